// What the panel is told of a call, whose credentials stay in the page.

import { cleanUrl } from "./credentials.js";
import { concat, latin1Of, textOf } from "./runtime.js";

/** @typedef {import("./recording.js").Recording} Recording */

const TAIL_BYTES = 4096;
const MODEL_CHARACTERS = 200;
const IN_ADDRESS = /\/models?\/([^/:?#]+)/;
/** The last that a whole stream says, by format. */
const END = /data: ?\[DONE\]|"message_stop"|"response\.completed"|"finishReason":|"done": ?true/;

/** Found once: bodies are long. @type {WeakMap<Recording, string>} */
const models = new WeakMap();

/** With the reads from number `from` on, as [µs since the call began, bytes].
 * @type {(recording: Recording, from: number) => object} */
export const factsOf = (recording, from) => ({
  id: recording.id,
  method: recording.asked.method,
  url: cleanUrl(recording.asked.url),
  model: models.get(recording) ?? modelOf(recording),
  startedAt: recording.startedAt.toISOString(),
  status: recording.status,
  bytes: recording.totalBytes,
  reads: recording.reads
    .slice(from)
    .map(({ at, data }) => [microseconds(recording, at), data.length]),
  outcome: recording.outcome,
  error: recording.error ?? "",
  hasEndMark: recording.outcome ? hasEndMark(recording) : false,
  isStream: recording.headers.some(
    ([name, value]) => name === "content-type" && value.includes("stream"),
  ),
});

/** As the capture will have it. @type {(recording: Recording, at: number) => number} */
const microseconds = ({ began }, at) => Math.max(1, Math.ceil((at - began) * 1000));

/** @type {(recording: Recording) => string} */
function modelOf(recording) {
  const model = modelIn(recording.asked).slice(0, MODEL_CHARACTERS);
  models.set(recording, model);
  return model;
}

/** @type {(asked: Recording["asked"]) => string} */
function modelIn({ url, body }) {
  const inAddress = IN_ADDRESS.exec(url)?.[1] ?? "";
  try {
    return String(JSON.parse((body && textOf(body)) || "{}").model ?? inAddress);
  } catch {
    return inAddress;
  }
}

/** @type {(recording: Recording) => boolean} */
function hasEndMark({ reads }) {
  const last = [];
  let size = 0;
  for (let at = reads.length - 1; at >= 0 && size < TAIL_BYTES; at -= 1) {
    last.unshift(reads[at].data);
    size += reads[at].data.length;
  }
  return END.test(latin1Of(concat(last)));
}
