// The live stream of a recording: a token from the page's own server, then events from the proxy; both
// again, after longer and longer waits, until the recording has ended.

import { eventsOf } from "./event_stream.js";

/**
 * @import { StreamEvent } from "./event_stream.js"
 * @typedef {"connecting" | "open" | "waiting" | "none" | "ended"} ConnectionState
 * @typedef {{ fetch: typeof fetch, wait: (ms: number) => Promise<void>,
 *   alarm: (ms: number, ring: () => void) => () => void }} Surroundings
 * @typedef {{ changed: (state: ConnectionState) => void, took: (event: StreamEvent) => void }} Listener
 */

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
// The proxy says something every ten seconds.
const SILENT_MS = 25_000;
const NOT_FOUND = 404;

/** @type {Surroundings} */
const BROWSER = {
  fetch: (...asked) => fetch(...asked),
  wait: (ms) =>
    new Promise((done) => {
      setTimeout(done, ms);
    }),
  alarm: (ms, ring) => {
    const set = setTimeout(ring, ms);
    return () => clearTimeout(set);
  },
};

export class Connection {
  /** @param {string} address @param {Listener} listener @param {Surroundings} surroundings */
  constructor(address, listener, surroundings = BROWSER) {
    this.address = address;
    this.listener = listener;
    this.surroundings = surroundings;
    this.closing = new AbortController();
    this.failures = 0;
    /** @type {ConnectionState} */
    this.state = "connecting";
  }

  // Comes back when nothing more is to be had.
  async run() {
    while (!this.closing.signal.aborted) {
      const state = await this.attempt();
      if (this.closing.signal.aborted) return;
      this.turn(state);
      if (state === "none" || state === "ended") return;
      await this.surroundings.wait(this.waitMs());
    }
  }

  // Not twice at the same moment from pages that lost the same proxy.
  waitMs() {
    const most = Math.min(FIRST_WAIT_MS * 2 ** this.failures, LONGEST_WAIT_MS);
    this.failures += 1;
    return most * (0.5 + Math.random() / 2);
  }

  close() {
    this.closing.abort();
  }

  /** @type {(state: ConnectionState) => void} */
  turn(state) {
    this.state = state;
    this.listener.changed(state);
  }

  /** @type {() => Promise<ConnectionState>} */
  async attempt() {
    const silent = new AbortController();
    const signal = AbortSignal.any([silent.signal, this.closing.signal]);
    let disarm = () => {};
    const heard = () => {
      disarm();
      disarm = this.surroundings.alarm(SILENT_MS, () => silent.abort());
    };
    try {
      heard();
      const url = await this.streamAddress(signal);
      return url === null ? "none" : await this.follow(url, signal, heard);
    } catch {
      return "waiting";
    } finally {
      disarm();
    }
  }

  // null where there is no live stream of it, or none any more.
  /** @type {(signal: AbortSignal) => Promise<string | null>} */
  async streamAddress(signal) {
    const answer = await this.surroundings.fetch(this.address, {
      headers: { Accept: "application/json" },
      signal,
    });
    if (answer.status === NOT_FOUND) return null;
    if (!answer.ok) throw new Error(`${this.address} answered ${answer.status}`);
    return (await answer.json()).url;
  }

  /** @type {(url: string, signal: AbortSignal, heard: () => void) => Promise<ConnectionState>} */
  async follow(url, signal, heard) {
    const answer = await this.surroundings.fetch(url, { credentials: "omit", signal });
    if (!answer.ok || !answer.body) throw new Error(`the proxy answered ${answer.status}`);
    this.turn("open");
    for await (const event of eventsOf(answer.body, heard)) {
      if (event.name === "lost") return "waiting";
      if (event.name === "append") this.failures = 0;
      this.listener.took(event);
      if (event.name === "end") return "ended";
    }
    return "waiting";
  }
}
