// Replay: a clock that moves one player, or several on the same axis, through their time.

/** @import { Player } from "./player/player.js" */

export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];
const EVENTS_PER_SECOND = 20;
const STEP_MS = 120;

const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Clock {
  /** @param {Player[]} players */
  constructor(...players) {
    this.players = players;
    this.speed = 1;
    this.due = 0;
    this.hops = false;
    this.before = 0;
    /** @type {Set<(clock: Clock) => void>} */
    this.listeners = new Set();
  }

  get moment() {
    return Math.max(...this.players.map((player) => player.moment));
  }

  get end() {
    return Math.max(...this.players.map((player) => player.end));
  }

  get running() {
    return this.due !== 0;
  }

  // Called when it starts, stops or changes its speed; each move is told by the players.
  /** @type {(listener: (clock: Clock) => void) => () => boolean} */
  listen(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  tell() {
    for (const listener of this.listeners) listener(this);
  }

  /** @type {(moment: number) => void} */
  seek(moment) {
    for (const player of this.players) player.seek(moment);
  }

  /** @type {(speed: number) => void} */
  setSpeed(speed) {
    this.speed = speed;
    this.tell();
  }

  toggle() {
    if (this.running) this.pause();
    else this.play();
  }

  play() {
    if (this.running) return;
    if (this.moment >= this.end) this.seek(0);
    this.before = performance.now();
    this.wait();
    this.tell();
  }

  pause() {
    if (!this.running) return;
    if (this.hops) clearTimeout(this.due);
    else cancelAnimationFrame(this.due);
    this.due = 0;
    this.tell();
  }

  // Without motion it goes from chunk to chunk.
  wait() {
    this.hops = still.matches;
    this.due = this.hops
      ? setTimeout(() => this.hop(), STEP_MS / this.speed)
      : requestAnimationFrame((now) => this.run(now));
  }

  hop() {
    if (this.step(1)) this.wait();
    else this.pause();
  }

  /** @type {(now: number) => void} */
  run(now) {
    const rate = this.players.some((player) => player.timed) ? 1e6 : EVENTS_PER_SECOND;
    const passed = Math.max(0, (now - this.before) / 1000) * this.speed * rate;
    this.before = now;
    const moment = Math.min(this.moment + passed, this.end);
    this.seek(moment);
    if (moment >= this.end) this.pause();
    else if (this.running) this.wait();
  }

  // To the next chunk or the one before, of whichever player has it first; false at the end.
  /** @type {(by: number) => boolean} */
  step(by) {
    return this.go(by, "chunkFrom");
  }

  /** @type {(by: number) => boolean} */
  stall(by) {
    return this.go(by, "stallFrom");
  }

  /** @type {(by: number, from: "chunkFrom" | "stallFrom") => boolean} */
  go(by, from) {
    const start = Number.isFinite(this.moment) ? this.moment : by > 0 ? -Infinity : Infinity;
    const moments = this.players.map((player) => player[from](start, by));
    const found = moments.filter((at) => at !== undefined);
    if (!found.length) return false;
    this.seek(by > 0 ? Math.min(...found) : Math.max(...found));
    return true;
  }
}
