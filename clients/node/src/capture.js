// Puts a recorder in front of `fetch`.

import { deliveryTo } from "./deliveries.js";
import { recordingFetch } from "./recording_fetch.js";
import { environment, warn } from "./runtime.js";

/** @typedef {import("../index.d.ts").Options} Options */
/** @typedef {import("./recording_fetch.js").Recorder} Recorder */

/** @param {any} [target] @param {Options} [options] @returns {any} */
export function capture(target = globalThis.fetch, options = {}) {
  try {
    const recorder = recorderOf(options);
    return recorder === null ? target : captured(target, recorder);
  } catch (error) {
    // A program must not fail to start because it would not be watched.
    warn(`calls are not captured: ${error}`);
    return target;
  }
}

/** @param {any} target @param {Recorder} recorder */
function captured(target, recorder) {
  if (typeof target === "function") return recordingFetch(target, recorder);
  if (typeof target?.fetch !== "function") {
    warn("nothing is captured: the client has no property fetch; give it fetch: capture()");
    return target;
  }
  // The property of an SDK's client is called as a function of its own.
  target.fetch = recordingFetch(target.fetch, recorder);
  return target;
}

/** @param {Options} options @returns {Recorder | null} */
function recorderOf(options) {
  const env = environment();
  const url = options.url ?? env.INSPECTOR_URL;
  const key = options.key ?? env.INSPECTOR_KEY;
  if (!url || !key) {
    warn("nothing is captured: INSPECTOR_URL and INSPECTOR_KEY are not both set");
    return null;
  }
  return {
    delivery: deliveryTo(url, key, options.spool ?? env.INSPECTOR_SPOOL ?? ""),
    tags: options.tags ?? [],
    metadata: options.metadata ?? {},
    sample: options.sample ?? Number(env.INSPECTOR_SAMPLE ?? 1),
    everything: options.everything ?? false,
  };
}
