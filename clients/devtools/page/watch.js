// Runs in a watched page: records the calls of its `fetch`, and tells of them while they come.

import { VERSION } from "../version.js";
import { lineOf } from "./envelope.js";
import { Ledger } from "./ledger.js";
import { isCompletion, recordingFetch } from "./recording_fetch.js";
import { textOf } from "./runtime.js";
import { factsOf } from "./told_call.js";

/** @typedef {import("./recording.js").Recording} Recording */

const CALLS = "response-inspector:calls";
const WATCH = "response-inspector:watch";
const PAUSE_MILLISECONDS = 100;
/** Each holds 10 MB at most. */
const MOST_OPEN = 50;

/** Those of the page may be replaced by it. */
const { setInterval, clearInterval } = globalThis;

class Open extends Set {
  /** @param {Recording} recording */
  add(recording) {
    if (this.size >= MOST_OPEN) throw new RangeError("too many calls are open");
    return super.add(recording);
  }
}

const watch = {
  ledger: new Ledger(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY),
  /** @type {Set<Recording>} */
  open: new Open(),
  /** How much of it was told, by call. @type {Map<Recording, {status: number | null, reads: number}>} */
  told: new Map(),
  toldDropped: 0,

  /** @param {Recording} recording */
  take(recording) {
    if (!this.open.delete(recording) || !isOfModel(recording)) return;
    this.tell([{ ...this.news(recording), line: textOf(lineOf(recording).text) }]);
    this.told.delete(recording);
  },

  /** @param {Recording} recording */
  discard(recording) {
    this.open.delete(recording);
    this.told.delete(recording);
  },

  /** What was not told of a call yet. @param {Recording} recording */
  news(recording) {
    const from = this.told.get(recording)?.reads ?? 0;
    this.told.set(recording, { status: recording.status, reads: recording.reads.length });
    return factsOf(recording, from);
  },

  /** @param {Recording} recording */
  hasNews(recording) {
    const told = this.told.get(recording);
    return told?.status !== recording.status || told?.reads !== recording.reads.length;
  },

  tellOpen() {
    const changed = [...this.open].filter((each) => isOfModel(each) && this.hasNews(each));
    if (changed.length) this.tell(changed.map((each) => this.news(each)));
  },

  /** @param {object[]} calls */
  tell(calls) {
    const dropped = this.ledger.counts.dropped - this.toldDropped;
    this.toldDropped += dropped;
    const detail = JSON.stringify({ version: VERSION, dropped, calls });
    dispatchEvent(new CustomEvent(CALLS, { detail }));
  },
};

/** What only may be answered with a stream is told once it is.
 * @param {Recording} recording */
const isOfModel = ({ asked, status }) => isCompletion(asked.method, asked.url) || status !== null;

/** @type {Parameters<typeof recordingFetch>[1]} */
const recorder = { delivery: watch, tags: [], metadata: {}, sample: 0, everything: "streams" };
/** @type {ReturnType<typeof setInterval> | undefined} */
let pause;

/** @param {boolean} isOn */
function turn(isOn) {
  recorder.sample = isOn ? 1 : 0;
  clearInterval(pause);
  pause = isOn ? setInterval(() => watch.tellOpen(), PAUSE_MILLISECONDS) : undefined;
  if (!isOn) for (const each of watch.open) watch.discard(each);
}

function endWithPage() {
  for (const each of [...watch.open]) each.stopped();
}

/** Once for each page, however often it is put in. */
const MARK = Symbol.for("response-inspector");
const scope = /** @type {Record<symbol, boolean>} */ (/** @type {unknown} */ (globalThis));
if (!scope[MARK]) {
  Object.defineProperty(scope, MARK, { value: true });
  globalThis.fetch = recordingFetch(fetch.bind(globalThis), recorder);
  addEventListener(WATCH, (event) => turn(/** @type {CustomEvent} */ (event).detail === "on"));
  addEventListener("pagehide", endWithPage);
  dispatchEvent(new CustomEvent(CALLS, { detail: "" }));
}
