// The calls of the tab, within limits. What a page tells is a stranger's: only what has the form of
// a call is taken.

/** Calls that are listed, and characters of all that may be kept. */
export const MOST_CALLS = 200;
export const MOST_CHARACTERS = 64 * 1024 * 1024;
/** Of one call, in the drawing and in the list of times. */
export const MOST_READS = 2_000;
const TEXT_CHARACTERS = 2_000;

/** @typedef {[number, number]} Read  µs since the call began, bytes */
/** @typedef {{id: string, method: string, url: string, model: string, startedAt: string,
 *   status: number | null, bytes: number, outcome: string, error: string, hasEndMark: boolean,
 *   isStream: boolean}} Told */
/** @typedef {import("./installation.js").Kept} Kept */
/** @typedef {Told & {origin: string, reads: Read[], readCount: number, line: string,
 *   isKeeping: boolean, kept: Kept | null, trouble: string}} Call
 *  `line` is the capture as it would be sent; empty until the call has ended. */
/** @typedef {{origin: string, version: string, dropped: number, calls: unknown[]}} News */

export class CallList {
  constructor() {
    /** Oldest first. @type {Map<string, Call>} */
    this.calls = new Map();
    this.characters = 0;
    this.dropped = 0;
  }

  /** Calls that are new or changed, and those that had to give way.
   * @type {(news: News) => {changed: Call[], gone: Call[]}} */
  take({ origin, dropped, calls }) {
    this.dropped += dropped;
    const changed = [];
    for (const each of calls) {
      const call = this.takeOne(each, origin);
      if (call) changed.push(call);
      else this.dropped += 1;
    }
    const gone = this.makeRoom();
    return { changed: changed.filter((each) => this.calls.has(each.id)), gone };
  }

  /** @param {unknown} value @param {string} origin */
  takeOne(value, origin) {
    const told = toldIn(value);
    if (told === null) return null;
    const known = this.calls.get(told.id);
    // An id that comes again after the end is somebody's invention.
    if (known?.line) return null;
    const { reads, line, ...facts } = told;
    const call = Object.assign(known ?? newCall(facts, origin), facts);
    call.readCount += reads.length;
    call.reads.push(...reads.slice(0, MOST_READS - call.reads.length));
    call.line = line;
    this.characters += line.length;
    this.calls.set(call.id, call);
    return call;
  }

  /** Those that have ended go first. */
  makeRoom() {
    const gone = [];
    while (this.calls.size > MOST_CALLS || this.characters > MOST_CHARACTERS) {
      const all = [...this.calls.values()];
      const call = all.find((each) => each.line && !each.isKeeping) ?? all[0];
      if (!call.kept) this.dropped += 1;
      this.remove(call);
      gone.push(call);
    }
    return gone;
  }

  /** @param {Call} call */
  remove(call) {
    this.calls.delete(call.id);
    this.characters -= call.line.length;
  }

  /** Ended and not kept, oldest first. */
  unkept() {
    return [...this.calls.values()].filter((each) => each.line && !each.kept && !each.isKeeping);
  }

  /** All that are not under way. */
  clear() {
    const gone = [...this.calls.values()].filter((each) => each.line && !each.isKeeping);
    for (const call of gone) this.remove(call);
    this.dropped = 0;
    return gone;
  }
}

/** @type {(told: Told, origin: string) => Call} */
const newCall = (told, origin) => ({
  ...told,
  origin,
  reads: [],
  readCount: 0,
  line: "",
  isKeeping: false,
  kept: null,
  trouble: "",
});

/** News as a relay passes them on; null for what is none.
 * @type {(message: any) => News | null} */
export function newsIn(message) {
  try {
    const { version, dropped, calls } = JSON.parse(message.text);
    const isNews = Array.isArray(calls) && Number.isSafeInteger(dropped);
    if (!isNews) return null;
    const allDropped = dropped + Number(message.dropped);
    return { origin: String(message.origin), version: String(version), dropped: allDropped, calls };
  } catch {
    return null;
  }
}

/** @type {(value: any) => (Told & {reads: Read[], line: string}) | null} */
function toldIn(value) {
  if (typeof value !== "object" || value === null || !textIn(value.id)) return null;
  const reads = Array.isArray(value.reads) ? value.reads : [];
  if (!reads.every(isRead)) return null;
  const status = Number.isSafeInteger(value.status) ? value.status : null;
  return {
    id: textIn(value.id),
    method: textIn(value.method),
    url: textIn(value.url),
    model: textIn(value.model),
    startedAt: textIn(value.startedAt),
    status,
    bytes: Number.isSafeInteger(value.bytes) ? value.bytes : 0,
    outcome: textIn(value.outcome),
    error: textIn(value.error),
    hasEndMark: value.hasEndMark === true,
    isStream: value.isStream === true,
    reads,
    line: typeof value.line === "string" ? value.line : "",
  };
}

/** @type {(value: unknown) => boolean} */
const isRead = (value) =>
  Array.isArray(value)
  && value.length === 2
  && value.every((each) => Number.isSafeInteger(each) && each >= 0);

/** @type {(value: unknown) => string} */
const textIn = (value) => (typeof value === "string" ? value.slice(0, TEXT_CHARACTERS) : "");
