// What every page has.

import "./copy.js";
import "./drops.js";
import "./help.js";
import "./live.js";
