// Asks again and again for what has come of a recording since: less often where an answer is long in
// coming or fails, and not at all in a hidden tab.

/**
 * @import { Growth } from "./growth.js"
 * @typedef {"asking" | "waiting" | "too-long" | "ended"} AskerState
 * @typedef {{ fetch: typeof fetch, wait: (ms: number) => Promise<void>,
 *   shown: () => Promise<void>, now: () => number }} Surroundings
 * @typedef {{ changed: (state: AskerState) => void, took: (growth: Growth) => void,
 *   heard: (asked: number) => void }} Listener
 */

const LEAST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
const [NOTHING_NEW, NOT_FOUND] = [204, 404];

/** @type {Surroundings} */
const BROWSER = {
  fetch: (...asked) => fetch(...asked),
  wait: (ms) =>
    new Promise((done) => {
      setTimeout(done, ms);
    }),
  shown: () =>
    new Promise((done) => {
      const look = () => {
        if (document.hidden) return;
        document.removeEventListener("visibilitychange", look);
        done();
      };
      document.addEventListener("visibilitychange", look);
      look();
    }),
  now: () => performance.now(),
};

export class Asker {
  /** @param {string} address @param {Listener} listener @param {Surroundings} surroundings */
  constructor(address, listener, surroundings = BROWSER) {
    this.address = address;
    this.listener = listener;
    this.surroundings = surroundings;
    this.closing = new AbortController();
    this.cursor = "";
    this.waitMs = LEAST_WAIT_MS;
    this.failures = 0;
    /** @type {AskerState} */
    this.state = "asking";
  }

  // Comes back when nothing more is to be had.
  async run() {
    while (!this.isOver) {
      await this.surroundings.shown();
      const state = await this.ask().catch(() => "waiting");
      if (this.isOver) return;
      this.turn(/** @type {AskerState} */ (state));
      await this.surroundings.wait(this.nextMs());
    }
  }

  get isOver() {
    return this.closing.signal.aborted || this.state === "too-long" || this.state === "ended";
  }

  close() {
    this.closing.abort();
  }

  // The answer is as old as the question.
  /** @type {() => Promise<AskerState>} */
  async ask() {
    const asked = this.surroundings.now();
    const answer = await this.surroundings.fetch(`${this.address}?since=${this.cursor}`, {
      headers: { Accept: "application/json" },
      signal: this.closing.signal,
    });
    if (answer.status === NOT_FOUND) return "ended";
    if (!answer.ok) throw new Error(`${this.address} answered ${answer.status}`);
    const told = answer.status === NOTHING_NEW ? null : await answer.json();
    this.listener.heard(asked);
    if (told && told.state !== "growing") return told.state;
    if (told) this.take(told);
    return "asking";
  }

  /** @type {(growth: Growth) => void} */
  take(growth) {
    this.cursor = growth.cursor;
    this.waitMs = growth.wait_ms;
    this.listener.took(growth);
  }

  /** @type {(state: AskerState) => void} */
  turn(state) {
    this.failures = state === "waiting" ? this.failures + 1 : 0;
    this.state = state;
    this.listener.changed(state);
  }

  // After a failure not at the same moment as other pages.
  nextMs() {
    if (!this.failures) return this.waitMs;
    const most = Math.min(this.waitMs * 2 ** this.failures, LONGEST_WAIT_MS);
    return most * (0.5 + Math.random() / 2);
  }
}
