export { capture } from "./capture.js";
export { counts, flush } from "./deliveries.js";
export { tagged } from "./tagging.js";
