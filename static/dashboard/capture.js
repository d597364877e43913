// The capture page.

import "./arrival.js";
import "./panels/choices.js";
import "./panels/logprobs.js";
import "./panels/raw.js";
import "./provenance.js";
import "./rail.js";
import "./timeline.js";
