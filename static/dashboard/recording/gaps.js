// Pauses between arrivals of chunks, and the silence that runs: by the rule of inspector/core/timing/timeline.py.

import { Column } from "../player/column.js";

/**
 * @import { Player } from "../player/player.js"
 * @import { Stall } from "../tape.js"
 * @import { Silence } from "../timeline/model.js"
 */

const MIN_STALL_US = 1_000_000;
const STALL_FACTOR = 8;
// Bytes are stored within a second of their arrival, on a busy machine within two.
const STORED_LATE_US = 2_000_000;
// Sorted anew when there are so many more: a percentile hardly moves before.
const SORT_AGAIN = 1.02;

export class Gaps {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.epoch = player.epoch;
    this.taken = 0;
    this.lengths = new Column(Float64Array);
    this.ordered = new Float64Array();
    // Those that may be stalls.
    /** @type {Stall[]} */
    this.long = [];
    this.longest = 0;
    /** @type {number | null} */
    this.last = null;
    this.lastRead = 0;
  }

  // Takes what the player has got since.
  grow() {
    const { player } = this;
    if (this.epoch !== player.epoch) Object.assign(this, new Gaps(player));
    for (; this.taken < player.chunks.length; this.taken++)
      this.take(player.chunks.values[this.taken]);
  }

  /** @type {(event: number) => void} */
  take(event) {
    const { player, last, lastRead } = this;
    if (!player.isKnown(event)) return;
    const at = player.momentOf(event);
    const read = player.events.read.values[event];
    if (at === last) return;
    if (last !== null) {
      this.lengths.push(at - last);
      this.longest = Math.max(this.longest, at - last);
      if (at - last > MIN_STALL_US) this.long.push([last, at, lastRead, read]);
    }
    this.last = at;
    this.lastRead = read;
  }

  sorted() {
    const { values, length } = this.lengths;
    if (length < this.ordered.length || length > this.ordered.length * SORT_AGAIN)
      this.ordered = Float64Array.from(values.subarray(0, length)).sort();
    return this.ordered;
  }

  // The nearest rank; null where there is no gap yet.
  /** @type {(share: number) => number | null} */
  percentile(share) {
    const ordered = this.sorted();
    if (!ordered.length) return null;
    return ordered[Math.max(1, Math.ceil(share * ordered.length)) - 1];
  }

  // A gap is a stall if it is longer than a second and than eight times the p95 of the others.
  limit() {
    const ordered = this.sorted();
    const others = ordered.length - 1;
    const pace = others > 0 ? ordered[Math.floor(((others - 1) * 95) / 100)] : 0;
    return Math.max(MIN_STALL_US, STALL_FACTOR * pace);
  }

  /** @type {() => Stall[]} */
  stalls() {
    const limit = this.limit();
    return this.long.filter(([start, end]) => end - start > limit);
  }

  // The silence up to now, where it was already longer than a stall must be when the recording was last
  // heard of: what has come is told a while later. Before the first chunk it counts from the request.
  /** @type {(now: number, heard: number) => Silence | null} */
  running(now, heard) {
    if (!this.player.timed) return null;
    const start = this.last ?? 0;
    return heard - STORED_LATE_US - start > this.limit() ? { start, end: now } : null;
  }
}
