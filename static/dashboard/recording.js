// The capture page while its response comes.

import "./capture.js";
import "./recording/recording.js";
