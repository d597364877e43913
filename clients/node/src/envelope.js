// Writes a recording as a line of a batch: an exchange envelope of the REST interface.

import * as credentials from "./credentials.js";
import { boundedTags } from "./labels.js";
import { KEPT_BYTES } from "./recording.js";
import { base64Of, bytesOf, concat, textOf } from "./runtime.js";

/** The API refuses a capture with more of it. */
const METADATA_CHARACTERS = 60_000;

/** @typedef {import("./recording.js").Recording} Recording */
/** @typedef {import("./recording.js").Read} Read */
/** @typedef {import("./runtime.js").Bytes} Bytes */
/** @typedef {{id: string, text: Bytes}} Line  `text` has its newline. */

/** @type {(recording: Recording) => Line} */
export function lineOf(recording) {
  const { asked, labels } = recording;
  const secrets = credentials.secretsOf(asked.url, asked.headers);
  const envelope = {
    response: responseOf(recording, secrets),
    request: {
      method: asked.method,
      url: credentials.cleanUrl(asked.url),
      headers: credentials.cleanRequestHeaders(asked.headers),
      ...(asked.body && asked.body.length <= KEPT_BYTES
        ? spelt("body", credentials.maskRequestBody(asked.body, secrets))
        : {}),
    },
    started_at: recording.startedAt.toISOString(),
    outcome: recording.outcome,
    measured_by: "client",
    tags: boundedTags(labels.tags),
    metadata: metadataOf(recording),
    idempotency_key: recording.id,
  };
  return { id: recording.id, text: bytesOf(`${JSON.stringify(envelope)}\n`) };
}

/** @type {(recording: Recording, secrets: Bytes[]) => Record<string, unknown>} */
function responseOf(recording, secrets) {
  const reads = masked(recording.reads, secrets).map(({ at, data }) => ({
    // Rounded up: a first read at 0 would say that nobody knows when the request was sent.
    at_us: Math.max(1, Math.ceil((at - recording.began) * 1000)),
    ...spelt("data", data),
  }));
  if (recording.status === null) return { reads };
  return { reads, status: recording.status, headers: headersOf(recording) };
}

/** `fetch` has undone the coding that the headers may tell of.
 * @type {(recording: Recording) => [string, string][]} */
function headersOf({ headers }) {
  const isCoded = headers.some(([name]) => name === "content-encoding");
  const kept = isCoded ? headers.filter(([name]) => !OF_CODING.includes(name)) : headers;
  return credentials.cleanResponseHeaders(kept);
}

const OF_CODING = ["content-encoding", "content-length"];

/** @type {(reads: Read[], secrets: Bytes[]) => Read[]} */
function masked(reads, secrets) {
  if (!secrets.length) return reads;
  const body = concat(reads.map((read) => read.data));
  const clean = credentials.mask(body, secrets);
  if (clean === body) return reads;
  let start = 0;
  return reads.map(({ at, data }) => {
    const end = start + data.length;
    const read = { at, data: clean.subarray(start, end) };
    start = end;
    return read;
  });
}

/** As text, or in base64 where it is none. @type {(name: string, data: Bytes) => object} */
function spelt(name, data) {
  const text = textOf(data);
  return text === null ? { [`${name}_b64`]: base64Of(data) } : { [name]: text };
}

/** @type {(recording: Recording) => Record<string, unknown>} */
function metadataOf({ labels, error }) {
  const said = { ...labels.metadata, ...(error === null ? {} : { transport_error: error }) };
  let text = "";
  try {
    // Strict readers refuse half of a surrogate pair.
    text = JSON.stringify(said, (_, value) => value?.toWellFormed?.() ?? value);
  } catch {
    return { left_out: "metadata that is no JSON" };
  }
  if (text.length > METADATA_CHARACTERS) {
    return { left_out: `metadata of ${text.length} characters` };
  }
  return JSON.parse(credentials.withoutKeys(text));
}
