// One call while it goes on: what was asked, each read with its time, and how it ended.

import { copyOf, randomUUID } from "./runtime.js";

/** Of a response; a longer one is kept up to here. A longer request body is left out. */
export const KEPT_BYTES = 10 * 1024 * 1024;
const READ_OVERHEAD_BYTES = 100;

const TIMEOUTS = ["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"];

/** @typedef {import("./runtime.js").Bytes} Bytes */
/** @typedef {{at: number, data: Bytes}} Read */
/** @typedef {{method: string, url: string, headers: [string, string][], body: Bytes | null}} Asked */
/** @typedef {import("./labels.js").Labels} Labels */

export class Recording {
  /** @param {Asked} asked @param {Labels} labels @param {(recording: Recording) => void} take */
  constructor(asked, labels, take) {
    this.id = randomUUID();
    this.asked = asked;
    this.labels = labels;
    this.take = take;
    /** @type {number | null} */
    this.status = null;
    /** @type {[string, string][]} */
    this.headers = [];
    /** @type {Read[]} */
    this.reads = [];
    this.keptBytes = 0;
    this.totalBytes = 0;
    this.outcome = "";
    /** Name of the error that the caller got from `fetch`. @type {string | null} */
    this.error = null;
    this.startedAt = new Date();
    this.began = performance.now();
  }

  /** Bytes that it holds in memory, about. */
  get size() {
    const reads = this.keptBytes + READ_OVERHEAD_BYTES * this.reads.length;
    return reads + (this.asked.body?.length ?? 0) + 2_000;
  }

  /** @param {Response} response */
  answered(response) {
    this.status = response.status;
    this.headers = [...response.headers];
  }

  /** @param {Uint8Array} data */
  read(data) {
    const at = performance.now();
    this.totalBytes += data.length;
    if (this.keptBytes >= KEPT_BYTES) return;
    // A copy: whoever is given the bytes may change them, or give them away.
    const kept = copyOf(data.subarray(0, KEPT_BYTES - this.keptBytes));
    this.keptBytes += kept.length;
    this.reads.push({ at, data: kept });
  }

  /** `fetch` says that the answer is whole. */
  ended() {
    this.end(this.totalBytes > this.keptBytes ? "capped" : "ended");
  }

  /** The caller wants no more of it. */
  closed() {
    this.end("client-cancelled");
  }

  /** The program ends while the answer is still coming. */
  stopped() {
    this.end("recorder-stopped");
  }

  /** The caller gets this error. @param {unknown} error */
  failed(error) {
    const outcome = outcomeOf(error);
    if (outcome !== "client-cancelled") this.error ??= codeOf(error) || nameOf(error);
    this.end(outcome);
  }

  /** @param {string} outcome */
  end(outcome) {
    if (this.outcome) return;
    this.outcome = outcome;
    try {
      this.take(this);
    } catch {
      // The caller is in the middle of its answer.
    }
  }
}

/** @type {(error: unknown) => string} */
export function outcomeOf(error) {
  if (nameOf(error) === "AbortError") return "client-cancelled";
  const isTimeout = nameOf(error) === "TimeoutError" || TIMEOUTS.includes(codeOf(error));
  return isTimeout ? "upstream-timeout" : "upstream-error";
}

/** @type {(error: unknown) => string} */
const nameOf = (error) => (error instanceof Object && "name" in error ? String(error.name) : "");

/** Of what undici says beneath "fetch failed". @type {(error: unknown) => string} */
function codeOf(error) {
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof Object && "code" in cause ? String(cause.code) : "";
}
