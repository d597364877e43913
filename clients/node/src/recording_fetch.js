// A `fetch` that records each call that asks for a completion.

import { joined } from "./labels.js";
import { Recording } from "./recording.js";
import { absolute, bytesOf, copyOf, currentLabels } from "./runtime.js";

const COMPLETION =
  /(?:\/chat\/completions|\/completions|\/responses|\/messages|:generateContent|:streamGenerateContent|\/api\/chat|\/api\/generate|\/converse|\/converse-stream|\/invoke|\/invoke-with-response-stream|\/v[12]\/chat)\/?$/;

/** @typedef {typeof globalThis.fetch} Fetch */
/** @typedef {import("../index.d.ts").Options} Options */
/** @typedef {Pick<import("./delivery.js").Delivery, "ledger" | "open" | "take" | "discard">} Taker  What becomes of recordings. */
/** @typedef {import("./recording.js").Asked} Asked */
/** `"streams"`: also what is answered with a stream of events.
 * @typedef {Required<Pick<Options, "tags" | "metadata" | "sample">> & {everything: boolean | "streams", delivery: Taker}} Recorder */

/** Functions that record already: once is enough. */
const recording = new WeakSet();

/** @param {Fetch} fetch @param {Recorder} recorder @returns {Fetch} */
export function recordingFetch(fetch, recorder) {
  if (recording.has(fetch)) return fetch;
  /** @type {Fetch} */
  const wrapped = async (input, init) => {
    const call = begun(input, init, recorder);
    if (call === null) return fetch(input, init);
    let response;
    try {
      response = await fetch(input, init);
    } catch (error) {
      call.failed(error);
      throw error;
    }
    if (recorder.everything === "streams" && !isOfModel(call.asked, response)) {
      recorder.delivery.discard(call);
      return response;
    }
    return recorded(response, call, recorder.delivery, signalOf(input, init));
  };
  recording.add(wrapped);
  return wrapped;
}

// -- the request ----------------------------------------------------------------------------------

/** @type {(input: any, init: RequestInit | undefined, recorder: Recorder) => Recording | null} */
function begun(input, init, recorder) {
  const { delivery } = recorder;
  let isCounted = false;
  try {
    const asked = askedOf(input, init);
    if (!isWanted(asked, recorder)) {
      delivery.ledger.counts.skipped += 1;
      return null;
    }
    delivery.ledger.begin();
    isCounted = true;
    const labels = joined({ tags: recorder.tags, metadata: recorder.metadata }, currentLabels());
    const call = new Recording(asked, labels, (ended) => delivery.take(ended));
    delivery.open.add(call);
    return call;
  } catch {
    if (isCounted) delivery.ledger.abandon();
    return null;
  }
}

/** @type {(method: string, url: string) => boolean} */
export function isCompletion(method, url) {
  const path = url.split(/[?#]/, 1)[0].replaceAll(/%3a/gi, ":");
  return method === "POST" && COMPLETION.test(path);
}

/** @type {(asked: Asked, response: Response) => boolean} */
const isOfModel = ({ method, url }, { headers }) =>
  isCompletion(method, url) || /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");

/** @type {(asked: Asked, recorder: Recorder) => boolean} */
function isWanted(asked, recorder) {
  if (!recorder.everything && !isCompletion(asked.method, asked.url)) return false;
  return recorder.sample >= 1 || Math.random() < recorder.sample;
}

/** @type {(input: any, init: RequestInit | undefined) => Asked} */
function askedOf(input, init) {
  const isRequest = input instanceof Request;
  return {
    method: (init?.method ?? (isRequest ? input.method : "GET")).toUpperCase(),
    url: isRequest ? input.url : absolute(String(input)),
    headers: [...new Headers(init?.headers ?? (isRequest ? input.headers : undefined))],
    body: bodyOf(init?.body),
  };
}

/** Null for one that is read while it is sent, as a stream or the upload of a file.
 * @type {(body: unknown) => import("./runtime.js").Bytes | null} */
function bodyOf(body) {
  if (typeof body === "string" || body instanceof URLSearchParams) return bytesOf(String(body));
  // A copy: whoever owns the bytes may change them before they are sent on from here.
  if (ArrayBuffer.isView(body)) {
    return copyOf(new Uint8Array(body.buffer, body.byteOffset, body.byteLength));
  }
  return body instanceof ArrayBuffer ? copyOf(new Uint8Array(body)) : null;
}

/** @type {(input: any, init: RequestInit | undefined) => AbortSignal | null} */
const signalOf = (input, init) => init?.signal ?? (input instanceof Request ? input.signal : null);

// -- the answer -----------------------------------------------------------------------------------

/** Ends the recordings of answers that nobody reads or cancels. @type {FinalizationRegistry<Recording>} */
const forgotten = new FinalizationRegistry((call) => call.closed());

/** @type {(response: Response, call: Recording, delivery: Taker, signal: AbortSignal | null) => Response} */
function recorded(response, call, delivery, signal) {
  try {
    call.answered(response);
    if (response.body === null) {
      call.ended();
      return response;
    }
    // No other can be made again, and the body is taken by then.
    if (response.status < 200 || response.status > 599) throw new RangeError();
    const body = passed(response.body, call);
    // An abort that comes while nobody reads is seen nowhere else.
    signal?.addEventListener("abort", () => call.failed(signal.reason), { once: true });
    return withBody(response, body);
  } catch {
    delivery.discard(call);
    return response;
  }
}

/** A stream of the same reads: it asks for one when it is asked for one.
 * @type {(body: ReadableStream<Uint8Array>, call: Recording) => ReadableStream<Uint8Array>} */
function passed(body, call) {
  const reader = body.getReader();
  /** @type {import("node:stream/web").UnderlyingSource<Uint8Array>} */
  const source = {
    async pull(controller) {
      let read;
      try {
        read = await reader.read();
      } catch (error) {
        call.failed(error);
        controller.error(error);
        return;
      }
      if (read.done) {
        call.ended();
        controller.close();
      } else {
        call.read(read.value);
        controller.enqueue(read.value);
      }
    },
    cancel(reason) {
      call.closed();
      return reader.cancel(reason);
    },
  };
  // Not the stream, whose object browsers drop while what it stands for is still read.
  forgotten.register(source, call);
  return new ReadableStream(source, { highWaterMark: 0 });
}

/** @type {(response: Response, body: ReadableStream<Uint8Array>) => Response} */
function withBody(response, body) {
  const { status, statusText, headers, url, redirected, type } = response;
  const same = new Response(body, { status, statusText, headers });
  for (const [name, value] of Object.entries({ url, redirected, type })) {
    Object.defineProperty(same, name, { value });
  }
  return same;
}
