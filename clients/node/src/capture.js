// Puts a recorder in front of `fetch`.

import { deliveryTo } from "./deliveries.js";
import { joined } from "./labels.js";
import { Recording } from "./recording.js";
import { bytesOf, copyOf, currentLabels, environment, warn } from "./runtime.js";

const COMPLETION =
  /(?:\/chat\/completions|\/completions|\/responses|\/messages|:generateContent|:streamGenerateContent|\/api\/chat|\/api\/generate|\/converse|\/converse-stream|\/invoke|\/invoke-with-response-stream|\/v[12]\/chat)\/?$/;

/** @typedef {typeof globalThis.fetch} Fetch */
/** @typedef {import("../index.d.ts").Options} Options */
/** @typedef {import("./delivery.js").Delivery} Delivery */
/** @typedef {import("./recording.js").Asked} Asked */
/** @typedef {Required<Pick<Options, "tags" | "metadata" | "sample" | "everything">> & {delivery: Delivery}} Recorder */

/** Functions that record already: once is enough. */
const recording = new WeakSet();

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

/** @param {Fetch} fetch @param {Recorder} recorder @returns {Fetch} */
function recordingFetch(fetch, recorder) {
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
    url: isRequest ? input.url : String(input),
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

/** @type {(response: Response, call: Recording, delivery: Delivery, signal: AbortSignal | null) => Response} */
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
