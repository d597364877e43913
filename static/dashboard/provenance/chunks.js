// What the tape says of characters: which chunk brought them, and what a chunk brought.

/**
 * @import { Tape } from "../tape.js"
 * @typedef {{ event: number[], start: number[], end: number[] }} LanePieces
 */

// First position in an ordered column whose value is not below a limit.
/** @type {(column: number[], limit: number) => number} */
function bisect(column, limit) {
  let low = 0;
  let high = column.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class Chunks {
  /** @param {Pick<Tape, "events" | "pieces">} tape */
  constructor(tape) {
    this.tape = tape;
    /** @type {Map<number, LanePieces>} */
    this.lanes = new Map();
  }

  // The pieces of one lane as columns.
  /** @type {(lane: number) => LanePieces} */
  of(lane) {
    const known = this.lanes.get(lane) ?? this.columns(lane);
    this.lanes.set(lane, known);
    return known;
  }

  /** @type {(lane: number) => LanePieces} */
  columns(lane) {
    const { event, lane: of, start_u16, length_u16 } = this.tape.pieces;
    /** @type {LanePieces} */
    const found = { event: [], start: [], end: [] };
    for (let i = 0; i < event.length; i++) {
      if (of[i] !== lane) continue;
      found.event.push(event[i]);
      found.start.push(start_u16[i]);
      found.end.push(start_u16[i] + length_u16[i]);
    }
    return found;
  }

  // Positions in the lane's columns: the first chunk of some characters, and behind the last.
  /** @type {(lane: number, start: number, end: number) => [first: number, behind: number]} */
  within(lane, start, end) {
    const { start: starts, end: ends } = this.of(lane);
    return [bisect(ends, start + 1), bisect(starts, end)];
  }

  // The numbers of the events, neighbours as one pair.
  /** @type {(lane: number, start: number, end: number) => [first: number, last: number][]} */
  runs(lane, start, end) {
    const { event } = this.of(lane);
    const [first, behind] = this.within(lane, start, end);
    /** @type {[first: number, last: number][]} */
    const runs = [];
    for (let i = first; i < behind; i++) {
      const last = runs.at(-1);
      if (last && event[i] <= last[1] + 1) last[1] = event[i];
      else runs.push([event[i], event[i]]);
    }
    return runs;
  }

  // The chunk beside some characters: before them (-1) or behind them (1).
  /**
   * @type {(lane: number, start: number, end: number, step: number) => [start: number,
   *   end: number] | null}
   */
  beside(lane, start, end, step) {
    const columns = this.of(lane);
    const [first, behind] = this.within(lane, start, end);
    const at = step > 0 ? behind : first - 1;
    return at in columns.start ? [columns.start[at], columns.end[at]] : null;
  }

  // What one event gave: lane, first character and end.
  /** @type {(event: number) => [lane: number, start: number, end: number][]} */
  given(event) {
    const { event: events, lane, start_u16, length_u16 } = this.tape.pieces;
    /** @type {[lane: number, start: number, end: number][]} */
    const given = [];
    for (let i = bisect(events, event); events[i] === event; i++) {
      given.push([lane[i], start_u16[i], start_u16[i] + length_u16[i]]);
    }
    return given;
  }

  // The event that a byte of the body belongs to.
  /** @type {(byte: number) => number | null} */
  eventAt(byte) {
    const { byte_start, byte_end } = this.tape.events;
    const at = bisect(byte_start, byte + 1) - 1;
    return at >= 0 && byte < byte_end[at] ? at : null;
  }
}
