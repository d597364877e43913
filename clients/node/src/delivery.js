// Takes recordings as they end, and sends them in batches, one at a time, between what the program does.

import { Connection } from "./connection.js";
import { lineOf } from "./envelope.js";
import { Ledger, Reason } from "./ledger.js";
import { limits } from "./limits.js";
import { later, timer, warn } from "./runtime.js";

/** The server stores so many, or 4 MB, in one commit. */
const BATCH_LINES = 100;
const BATCH_BYTES = 4_000_000;
const TRIES_BEFORE_SPOOLING = 2;
const STORED = [200, 202];
const AGAIN = [408, 429, 500, 502, 503, 504];
const KEY_REFUSED = [401, 403];

/** @typedef {import("./recording.js").Recording} Recording */
/** @typedef {import("./envelope.js").Line} Line */
/** @typedef {import("./connection.js").Answer} Answer */

/** To one server, with one key. */
export class Delivery {
  /** @param {string} url @param {string} key @param {import("./spool.js").Spool | null} spool */
  constructor(url, key, spool = null) {
    this.connection = new Connection(url, key);
    this.spool = spool;
    this.ledger = new Ledger(limits.queueCalls, limits.queueBytes);
    /** Ended, in their order. @type {Recording[]} */
    this.queue = [];
    /** Taken from the queue and not settled. @type {Map<string, Recording>} */
    this.held = new Map();
    /** @type {Set<Recording>} */
    this.open = new Set();
    this.isRunning = false;
    this.isClosed = false;
    this.isFailing = false;
    this.notBefore = 0;
    /** @type {Set<string>} */
    this.told = new Set();
    /** @type {(() => void)[]} */
    this.waiters = [];
    this.wake = () => {};
  }

  // -- by calls -----------------------------------------------------------------------------------

  /** @param {Recording} recording */
  take(recording) {
    this.open.delete(recording);
    if (!this.ledger.arrive(recording.size)) return this.tell(Reason.QUEUE_FULL);
    this.queue.push(recording);
    if (!this.isRunning && !this.isClosed) this.run();
  }

  /** An open recording that cannot go on. @param {Recording} recording */
  discard(recording) {
    if (this.open.delete(recording)) this.ledger.abandon();
  }

  // -- by the program -----------------------------------------------------------------------------

  /** @type {(milliseconds: number) => Promise<boolean>} */
  flush(milliseconds) {
    this.isHurried = true;
    this.wake();
    return new Promise((resolve) => {
      const settled = () => {
        clearTimeout(holding);
        this.isHurried = false;
        resolve(this.ledger.counts.waiting === 0);
      };
      // Holds the program, which is what its end wants.
      const holding = setTimeout(settled, milliseconds);
      if (this.ledger.counts.waiting === 0) settled();
      else this.waiters.push(settled);
    });
  }

  /** At the end of the program, at once: what is not sent is spooled or dropped. */
  close() {
    for (const recording of [...this.open]) recording.stopped();
    this.isClosed = true;
    this.wake();
    this.connection.close();
    const rest = [...this.held.values(), ...this.queue.splice(0)];
    for (const recording of rest) this.held.set(recording.id, recording);
    const lines = this.spool ? rest.map((each) => this.line(each)).filter((each) => !!each) : [];
    if (this.spool && lines.length) this.toSpool(lines);
    else for (const recording of rest) this.drop(recording.id, Reason.EXIT);
  }

  // -- sending ------------------------------------------------------------------------------------

  async run() {
    this.isRunning = true;
    try {
      while (!this.isClosed && (this.queue.length || this.spool?.oldest())) {
        await this.pause(
          this.queue.length ? limits.lingerMilliseconds : this.notBefore - Date.now(),
        );
        await this.deliver(await this.nextLines());
        await this.sendSpooled();
      }
    } catch {
      for (const id of [...this.held.keys()]) this.drop(id, Reason.NOT_RECORDED);
    }
    this.isRunning = false;
    if (this.queue.length && !this.isClosed) later(() => this.isRunning || this.run());
  }

  /** @type {() => Promise<Line[]>} */
  async nextLines() {
    const lines = [];
    let size = 0;
    while (this.queue.length && lines.length < BATCH_LINES && size < BATCH_BYTES) {
      const recording = /** @type {Recording} */ (this.queue.shift());
      this.held.set(recording.id, recording);
      const line = this.line(recording);
      if (line) {
        lines.push(line);
        size += line.text.length;
      }
      // One at a time: what the program does comes between.
      await new Promise((resolve) => later(() => resolve(undefined)));
    }
    return lines;
  }

  /** @type {(recording: Recording) => Line | null} */
  line(recording) {
    try {
      return lineOf(recording);
    } catch {
      this.drop(recording.id, Reason.NOT_RECORDED);
      return null;
    }
  }

  /** @param {Line[]} lines @returns {Promise<void>} */
  async deliver(lines) {
    for (let tries = 1; lines.length && !this.isClosed; tries += 1) {
      if (this.spool && Date.now() < this.notBefore) return this.toSpool(lines);
      const answer = await this.post(lines);
      if (answer.status === 413 && lines.length > 1) {
        const half = lines.length >> 1;
        await this.deliver(lines.slice(0, half));
        return this.deliver(lines.slice(half));
      }
      lines = this.judge(lines, answer);
      if (lines.length) await this.pauseAfter(answer, tries);
    }
  }

  /** @type {(lines: Line[]) => Promise<Answer>} */
  async post(lines) {
    const answer = await this.connection.post(lines);
    this.isFailing = answer.status === null || AGAIN.includes(answer.status);
    if (this.isFailing) this.tell(NOT_NOW, detail(answer));
    return answer;
  }

  /** Settles what the answer decides, and returns what is to be sent again.
   * @type {(lines: Line[], answer: Answer) => Line[]} */
  judge(lines, answer) {
    if (this.isFailing) return lines;
    if (answer.status !== 200) {
      this.refuse(lines, answer);
      return [];
    }
    return lines.filter((line, number) => {
      // One that the answer does not mention was not stored.
      const status = answer.statuses[number] ?? 503;
      if (AGAIN.includes(status)) return true;
      if (STORED.includes(status)) this.settle("sent", line.id);
      else this.drop(line.id, reasonOf(status), answer.trouble);
      return false;
    });
  }

  /** @type {(lines: Line[], answer: Answer) => void} */
  refuse(lines, answer) {
    const reason = reasonOf(answer.status ?? 0);
    if (!this.spool || reason === Reason.TOO_LARGE) {
      for (const line of lines) this.drop(line.id, reason, detail(answer));
      return;
    }
    // The program may be given another key or address meanwhile.
    this.tell(reason, detail(answer));
    this.notBefore = Date.now() + limits.longestPauseMilliseconds;
    this.toSpool(lines);
  }

  /** Until the server may be asked again; not at all where the spool takes what is left.
   * @type {(answer: Answer, tries: number) => Promise<void>} */
  async pauseAfter(answer, tries) {
    const milliseconds = this.pauseMilliseconds(answer, tries);
    const isLong = tries >= TRIES_BEFORE_SPOOLING || milliseconds > limits.firstPauseMilliseconds;
    if (this.spool && isLong) this.notBefore = Date.now() + milliseconds;
    else await this.pause(milliseconds, false);
  }

  /** @type {(answer: Answer, tries: number) => number} */
  pauseMilliseconds(answer, tries) {
    const longest = limits.firstPauseMilliseconds * 2 ** tries;
    return answer.retryAfter || Math.random() * Math.min(limits.longestPauseMilliseconds, longest);
  }

  /** Holds no program. A flush ends one that only lets calls gather.
   * @type {(milliseconds: number, isLinger?: boolean) => Promise<void>} */
  pause(milliseconds, isLinger = true) {
    if (milliseconds <= 0 || (isLinger && this.isHurried)) return Promise.resolve();
    return new Promise((resolve) => {
      const waiting = timer(() => resolve(), milliseconds);
      this.wake = () => {
        if (!isLinger && !this.isClosed) return;
        clearTimeout(waiting);
        resolve();
      };
    });
  }

  // -- what becomes of calls ----------------------------------------------------------------------

  /** @type {(fate: "sent" | "spooled" | "dropped", id: string, reason?: string) => void} */
  settle(fate, id, reason) {
    const recording = this.held.get(id);
    if (!recording) return;
    this.held.delete(id);
    this.ledger.settle(fate, recording.size, reason);
    if (this.ledger.counts.waiting === 0) for (const each of this.waiters.splice(0)) each();
  }

  /** @type {(id: string, reason: string, trouble?: string) => void} */
  drop(id, reason, trouble) {
    this.settle("dropped", id, reason);
    this.tell(reason, trouble);
  }

  /** @param {Line[]} lines */
  toSpool(lines) {
    let isWritten = false;
    let trouble = "";
    try {
      isWritten = this.spool?.write(lines) ?? false;
    } catch (error) {
      trouble = String(error);
    }
    for (const line of lines) {
      if (isWritten) this.settle("spooled", line.id);
      else this.drop(line.id, Reason.SPOOL_FULL, trouble);
    }
  }

  /** The oldest file of the spool, if there is one and the server may be asked. */
  async sendSpooled() {
    if (!this.spool || this.isClosed || Date.now() < this.notBefore) return;
    try {
      const file = this.spool.oldest();
      if (file && (await this.isTaken(this.spool.read(file)))) this.spool.remove(file);
    } catch {
      // Another process has sent it.
    }
  }

  /** @type {(lines: Line[]) => Promise<boolean>} */
  async isTaken(lines) {
    const answer = await this.post(lines);
    if (answer.status === 413 && lines.length > 1) {
      const taken = [];
      for (const line of lines) taken.push(await this.isTaken([line]));
      return taken.every(Boolean);
    }
    const statuses = lines.map((_, number) => answer.statuses[number] ?? 503);
    if (answer.status === 413) return true;
    if (answer.status !== 200 || statuses.some((status) => AGAIN.includes(status))) {
      const longest = Math.random() * limits.longestPauseMilliseconds;
      this.notBefore = Date.now() + (answer.retryAfter || longest);
      return false;
    }
    const stored = statuses.filter((status) => STORED.includes(status));
    this.ledger.counts.sentFromSpool += stored.length;
    return true;
  }

  /** Once for each reason; `counts()` has the numbers. @param {string} reason @param {string} [trouble] */
  tell(reason, trouble) {
    if (this.told.has(reason)) return;
    this.told.add(reason);
    const what = reason === NOT_NOW ? "wait to be" : "are not";
    const text = [reason, trouble].filter(Boolean).join(": ");
    warn(`calls ${what} captured: ${text}`);
  }
}

const NOT_NOW = "the server does not take them now";

/** @type {(answer: Answer) => string} */
const detail = (answer) => [answer.status, answer.trouble].filter(Boolean).join(" ");

/** @type {(status: number) => string} */
function reasonOf(status) {
  if (KEY_REFUSED.includes(status)) return Reason.KEY_REFUSED;
  return status === 413 ? Reason.TOO_LARGE : Reason.REFUSED;
}
