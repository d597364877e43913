// The list of votes.

import "./query_box.js";
import "./rows.js";
