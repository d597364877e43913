// Captures what a page asks models for. The key of a provider never leaves the page.

import { capture as captureFetch } from "./capture.js";
import { eventSourceBy } from "./event_source.js";

export { counts, flush } from "./deliveries.js";

/** @typedef {import("../node/index.d.ts").Options} Options */

/** A `fetch` that records; `url` and `key` are those of Response Inspector.
 * @type {(fetch: typeof globalThis.fetch | undefined, options: Options) => typeof globalThis.fetch} */
export const capture = (fetch = globalThis.fetch, options = {}) =>
  captureFetch(fetch.bind(globalThis), options);

/** An `EventSource` that records each connection. @param {Options} options */
export const captureEventSource = (options) =>
  eventSourceBy(capture(globalThis.fetch, { ...options, everything: true }));
