// What had arrived at a moment, for every lane of one tape. Knows nothing of a page.
//
// A moment is microseconds where times were noted and pass, else the number of an event. What came
// with a time that contradicts others stands at the last moment known before it: the order of the
// bytes is always known.

import { after, Column } from "./column.js";
import { GrowingText, SnapshotText } from "./texts.js";
import { judge } from "./times.js";

/**
 * @import { Columns, EventColumns, EventKind, MarkColumns, MarkKind, NamedLane } from "../tape.js"
 * @import { PieceColumns, ReadColumns, SnapshotPiece, Stall } from "../tape.js"
 * @typedef {NamedLane & { index: number, length: number, text: GrowingText | SnapshotText | null,
 *   event: Column, start: Column, end: Column }} PlayerLane
 */

/** @type {EventKind[]} */
export const EVENT_KINDS = ["chunk", "comment", "error", "end-mark", "ignored", "tail"];
/** @type {MarkKind[]} */
export const MARK_KINDS = ["role", "finish", "usage"];
const KIND_CODES = Object.fromEntries(EVENT_KINDS.map((name, code) => [name, code]));
const NO_LANE = -1;

export class Player {
  /** @param {Partial<Columns> | null} columns */
  constructor(columns = null) {
    this.clock = "none";
    this.reads = {
      at: new Column(Float64Array),
      end: new Column(Float64Array),
      known: new Column(Uint8Array),
    };
    this.events = {
      start: new Column(Float64Array),
      end: new Column(Float64Array),
      kind: new Column(Uint8Array),
      read: new Column(Uint32Array),
      moment: new Column(Float64Array),
      length: 0,
    };
    /** @type {PlayerLane[]} */
    this.lanes = [];
    this.pieces = {
      event: new Column(Uint32Array),
      lane: new Column(Uint32Array),
      grown: new Column(Uint32Array),
    };
    this.marks = {
      event: new Column(Uint32Array),
      lane: new Column(Int32Array),
      kind: new Column(Uint8Array),
    };
    this.chunks = new Column(Uint32Array);
    /** @type {Stall[]} */
    this.stalls = [];
    /** @type {number | null} */
    this.duration = null;
    // How far time has come where more may follow; null where the tape is whole.
    /** @type {number | null} */
    this.now = null;
    this.timed = false;
    this.end = 1;
    this.moment = Infinity;
    this.passed = 0;
    // Counts how often moments that stood already were found anew.
    this.epoch = 0;
    /** @type {Set<(player: Player) => void>} */
    this.listeners = new Set();
    if (columns) this.append(columns);
  }

  // Begins empty, with the same listeners and at the same moment.
  clear() {
    const { listeners, moment, epoch } = this;
    Object.assign(this, new Player(), { listeners, moment, epoch: epoch + 1 });
  }

  // The tape's columns, or what came later: `reads`, `events`, `lanes`, `marks`, `pieces` with
  // numbers that count on, `texts` as [lane, more] pairs (characters, or the pieces of a snapshot
  // lane), and, in place of those before, `clock`, `stalls`, `duration_us` and, as long as more may
  // follow, `now_us`.
  /** @type {(columns: Partial<Columns>) => void} */
  append(columns) {
    const { clock = this.clock, reads, events, lanes = [], marks, pieces, texts = [] } = columns;
    this.clock = clock;
    this.stalls = columns.stalls ?? this.stalls;
    this.duration = columns.duration_us ?? this.duration;
    this.now = columns.now_us ?? this.now;
    for (const lane of lanes) this.addLane(lane);
    if (reads) this.addReads(reads);
    if (events) this.addEvents(events);
    this.time();
    if (pieces) this.addPieces(pieces);
    if (marks) this.addMarks(marks);
    for (const [lane, more] of texts) this.addText(this.lanes[lane], more);
    this.seek(this.moment);
  }

  /** @type {(lane: NamedLane) => void} */
  addLane(lane) {
    this.lanes.push({
      ...lane,
      index: this.lanes.length,
      length: 0,
      text: null,
      event: new Column(Uint32Array),
      end: new Column(Uint32Array),
      start: new Column(Uint32Array),
    });
  }

  /** @type {(columns: ReadColumns) => void} */
  addReads({ at_us: times, byte_end: ends }) {
    this.reads.at.extend(times);
    this.reads.end.extend(ends);
  }

  // The read that completes each event: both columns of ends only grow.
  /** @type {(columns: EventColumns) => void} */
  addEvents({ byte_start: starts, byte_end: ends, kind }) {
    const { events, reads } = this;
    const last = Math.max(reads.end.length - 1, 0);
    let read = events.read.last ?? 0;
    events.start.extend(starts);
    events.end.extend(ends);
    events.kind.extend(kind.map((name) => KIND_CODES[name]));
    events.read.reserve(ends.length);
    for (let i = 0; i < ends.length; i++) {
      while (read < last && reads.end.values[read] < ends[i]) read++;
      events.read.push(read);
    }
    events.length += ends.length;
  }

  // The moment of each event that has none yet; of all, where the axis is another one now.
  time() {
    const { reads, events } = this;
    const rejudged = reads.known.length < reads.at.length && judge(reads.at, reads.known);
    const timed = this.awaitsFirst() || (this.clock !== "none" && this.lastKnown() > 0);
    if (rejudged || timed !== this.timed) {
      events.moment.clear();
      this.epoch += 1;
    }
    this.timed = timed;
    let latest = events.moment.last ?? 0;
    let read = events.moment.length ? events.read.values[events.moment.length - 1] + 1 : 0;
    for (let event = events.moment.length; event < events.length; event++) {
      for (; read <= events.read.values[event]; read++) {
        if (reads.known.values[read]) latest = reads.at.values[read];
      }
      events.moment.push(timed ? latest : event);
    }
    const known = Math.max(this.lastKnown(), this.duration ?? 0, this.now ?? 0);
    this.end = Math.max(timed ? known : events.length - 1, 1);
  }

  // Time passes, and nothing else comes.
  /** @type {(now: number) => void} */
  wait(now) {
    this.now = now;
    this.time();
  }

  // Whoever waits for the first byte has an axis of time, though no read has one.
  awaitsFirst() {
    return this.now !== null && this.reads.at.length === 0;
  }

  lastKnown() {
    const { at, known } = this.reads;
    for (let read = at.length - 1; read >= 0; read--)
      if (known.values[read]) return at.values[read];
    return 0;
  }

  /** @type {(columns: PieceColumns) => void} */
  addPieces({ event, lane: of, start_u16: starts, length_u16: lengths }) {
    for (let i = 0; i < event.length; i++) {
      const lane = this.lanes[of[i]];
      // A snapshot says everything again: what it added is its growth.
      const length = lane.mode === "snapshot" ? lengths[i] : starts[i] + lengths[i];
      this.pieces.event.push(event[i]);
      this.pieces.lane.push(of[i]);
      this.pieces.grown.push(Math.max(0, length - lane.length));
      lane.event.push(event[i]);
      lane.start.push(lane.mode === "snapshot" ? 0 : starts[i]);
      lane.end.push(length);
      lane.length = length;
      if (this.chunks.last !== event[i]) this.chunks.push(event[i]);
    }
  }

  /** @type {(columns: MarkColumns) => void} */
  addMarks({ event, lane, kind }) {
    this.marks.event.extend(event);
    for (let i = 0; i < event.length; i++) {
      this.marks.lane.push(lane[i] ?? NO_LANE);
      this.marks.kind.push(MARK_KINDS.indexOf(kind[i]));
    }
  }

  /** @type {(lane: PlayerLane, more: string | SnapshotPiece[] | null) => void} */
  addText(lane, more) {
    if (more === null) return;
    if (typeof more === "string") this.growing(lane).add(more);
    else this.snapshots(lane).add(more);
  }

  /** @type {(lane: PlayerLane) => GrowingText} */
  growing(lane) {
    if (lane.text instanceof GrowingText) return lane.text;
    const text = new GrowingText();
    lane.text = text;
    return text;
  }

  /** @type {(lane: PlayerLane) => SnapshotText} */
  snapshots(lane) {
    if (lane.text instanceof SnapshotText) return lane.text;
    const text = new SnapshotText();
    lane.text = text;
    return text;
  }

  // Before the first event, or at no moment in particular: Infinity is the end, however far it moves.
  /** @type {(moment: number) => void} */
  seek(moment) {
    this.moment = moment;
    this.passed = after(this.events.moment, moment);
    for (const listener of this.listeners) listener(this);
  }

  // Called after each seek and append; what comes back ends it.
  /** @type {(listener: (player: Player) => void) => () => boolean} */
  listen(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  // How many pieces of a lane, and how many marks, had come.
  /** @type {(lane: PlayerLane) => number} */
  piecesOf(lane) {
    return after(lane.event, this.passed - 1);
  }

  get marksPassed() {
    return after(this.marks.event, this.passed - 1);
  }

  get chunksPassed() {
    return after(this.chunks, this.passed - 1);
  }

  /** @type {(lane: PlayerLane) => number} */
  lengthOf(lane) {
    const passed = this.piecesOf(lane);
    return passed ? lane.end.values[passed - 1] : 0;
  }

  /** @type {(lane: PlayerLane) => number | null} */
  lastEventOf(lane) {
    const passed = this.piecesOf(lane);
    return passed ? lane.event.values[passed - 1] : null;
  }

  // null where the text was not sent along.
  /** @type {(lane: PlayerLane) => string | null} */
  textOf(lane) {
    const passed = this.piecesOf(lane);
    return lane.text === null ? null : lane.text.at(this.lengthOf(lane), passed);
  }

  /** @type {(event: number) => number} */
  momentOf(event) {
    return this.events.moment.values[event];
  }

  /** @type {(event: number) => boolean} */
  isKnown(event) {
    return this.timed && this.reads.known.values[this.events.read.values[event]] === 1;
  }

  // The moment of the next chunk (1) or of the one before (-1); undefined at the end. Chunks that
  // came together are one step.
  /** @type {(moment: number, by: number) => number | undefined} */
  chunkFrom(moment, by) {
    const { chunks } = this;
    const passed = after(chunks, after(this.events.moment, moment) - 1);
    if (by > 0) return passed < chunks.length ? this.momentOf(chunks.values[passed]) : undefined;
    let here = passed - 1;
    while (here >= 0 && this.momentOf(chunks.values[here]) >= moment) here--;
    return here >= 0 ? this.momentOf(chunks.values[here]) : undefined;
  }

  /** @type {(moment: number, by: number) => number | undefined} */
  stallFrom(moment, by) {
    if (!this.timed) return undefined;
    const starts = this.stalls.map(([start]) => start).sort((a, b) => a - b);
    return by > 0 ? starts.find((at) => at > moment) : starts.findLast((at) => at < moment);
  }
}
