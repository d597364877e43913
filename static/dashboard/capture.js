// The capture page.

import "./arrival.js";
import "./panels/choices.js";
import "./panels/logprobs.js";
import "./panels/raw.js";
import "./provenance/provenance.js";
import "./rail.js";
import "./timeline/timeline.js";
