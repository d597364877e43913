// From a player's columns to what is drawn: marks per lane on one axis, and on while the player gets
// more. Nothing here knows of pixels. `taken` is how far something has been put together.

import { after, Column } from "../player/column.js";
import { EVENT_KINDS, MARK_KINDS } from "../player/player.js";
import { turn } from "../tape.js";

/**
 * @import { Player, PlayerLane } from "../player/player.js"
 * @import { Drawing, EventKind, MarkKind } from "../tape.js"
 * @typedef {{ at: Column, first: Column, last: Column, n: Column, characters: Column, known: Column }} Groups
 * @typedef {Groups & { lane: PlayerLane, marks: { kind: MarkKind, event: number }[], taken: number }} ModelLane
 * @typedef {{ lanes: ModelLane[], left: number }} Part
 * @typedef {{ event: Column, at: Column, kinds: (EventKind | MarkKind)[], taken: number,
 *   marked: number }} Stream
 * @typedef {{ choice: number, total: number, at: Column, so_far: Column }} Sum
 * @typedef {{ sums: Sum[], all: { at: Column, characters: Column }, taken: number }} Arrivals
 * @typedef {{ at: Column, bytes: Column, number: Column, taken: number }} Reads
 * @typedef {{ start: number, end: number }} Silence
 * @typedef {{ player: Player, drawing: Pick<Drawing, "finishes" | "firsts">, epoch: number, timed: boolean,
 *   end: number, grows: boolean, running: Silence | null, lanes: ModelLane[], parts: Part[],
 *   marked: number, stream: Stream, arrivals: Arrivals, reads: Reads }} Model
 */

const LANE_ORDER = [
  "reasoning",
  "content",
  "text",
  "refusal",
  "tool-call",
  "function-call",
  "hosted",
];
const CHUNK = EVENT_KINDS.indexOf("chunk");
const MANY = 1_000;
export const MAX_ROWS = 40;

// In turns: a page stays awake while very much is put together.
/** @type {(player: Player, drawing: Model["drawing"]) => Promise<Model>} */
export async function modelOf(player, drawing) {
  const model = emptyModel(player, drawing);
  const steps = growth(model);
  while (!steps.next().done) await turn();
  return model;
}

/** @type {(player: Player, drawing: Model["drawing"]) => Model} */
export function emptyModel(player, drawing) {
  return { player, drawing, running: null, ...nothing(player) };
}

// Adds what the player has got since, in time proportional to that.
/** @type {(model: Model) => void} */
export function grow(model) {
  const steps = growth(model);
  while (!steps.next().done);
}

/** @type {(model: Model) => Generator<void, void>} */
function* growth(model) {
  const { player } = model;
  if (model.epoch !== player.epoch) Object.assign(model, nothing(player));
  growParts(model);
  for (const lane of model.lanes) {
    const from = lane.taken;
    growLane(player, lane);
    if (lane.taken - from > MANY) yield;
  }
  growMarks(model);
  growStream(model);
  yield;
  growArrivals(model);
  yield;
  growReads(model);
  model.timed = player.timed;
  model.end = player.end;
  model.grows = player.now !== null;
}

/** @type {(player: Player) => Omit<Model, "player" | "drawing" | "running">} */
function nothing({ epoch }) {
  return {
    epoch,
    timed: false,
    end: 1,
    grows: false,
    lanes: [],
    parts: [],
    marked: 0,
    stream: {
      event: new Column(Uint32Array),
      at: new Column(Float64Array),
      kinds: [],
      taken: 0,
      marked: 0,
    },
    arrivals: {
      sums: [],
      all: { at: new Column(Float64Array), characters: new Column(Float64Array) },
      taken: 0,
    },
    reads: {
      at: new Column(Float64Array),
      bytes: new Column(Float64Array),
      number: new Column(Uint32Array),
      taken: 0,
    },
  };
}

/** @type {(model: Model) => void} */
function growParts(model) {
  const { lanes } = model.player;
  if (model.lanes.length === lanes.length) return;
  for (const lane of lanes.slice(model.lanes.length)) model.lanes.push(emptyLane(lane));
  const inOrder = inOrderOfBlocks(lanes);
  model.lanes.sort((a, b) => byPlace(a.lane, b.lane, inOrder));
  model.parts = partsOf(model.lanes);
}

/** @type {(lane: PlayerLane) => ModelLane} */
function emptyLane(lane) {
  return {
    lane,
    marks: [],
    at: new Column(Float64Array),
    first: new Column(Uint32Array),
    last: new Column(Uint32Array),
    n: new Column(Uint32Array),
    characters: new Column(Float64Array),
    known: new Column(Uint8Array),
    taken: 0,
  };
}

/** @type {(model: Model) => void} */
function growMarks(model) {
  const { event, lane: of, kind } = model.player.marks;
  if (model.marked === event.length) return;
  const lanes = new Map(model.lanes.map((each) => [each.lane.index, each]));
  for (let i = model.marked; i < event.length; i++) {
    const mark = { kind: MARK_KINDS[kind.values[i]], event: event.values[i] };
    lanes.get(of.values[i])?.marks.push(mark);
  }
  model.marked = event.length;
}

// Choices with several texts of a kind: their lanes stand in the order in which they began.
/** @type {(lanes: PlayerLane[]) => Set<number>} */
function inOrderOfBlocks(lanes) {
  const seen = new Set();
  const found = new Set();
  for (const { choice, kind, tool_call } of lanes) {
    const key = `${choice} ${kind}`;
    if (tool_call === null && seen.has(key)) found.add(choice);
    seen.add(key);
  }
  return found;
}

/** @type {(a: PlayerLane, b: PlayerLane, inOrder: Set<number>) => number} */
function byPlace(a, b, inOrder) {
  if (a.choice === b.choice && inOrder.has(a.choice)) return a.index - b.index;
  return (
    a.choice - b.choice
    || LANE_ORDER.indexOf(a.kind) - LANE_ORDER.indexOf(b.kind)
    || (a.tool_call ?? 0) - (b.tool_call ?? 0)
  );
}

// Pieces of one lane that came together are one group: they were not apart in time. Those whose time
// nobody can believe are groups of their own.
/** @type {(player: Player, groups: ModelLane) => void} */
function growLane(player, groups) {
  const { event, end } = groups.lane;
  let before = groups.taken ? end.values[groups.taken - 1] : 0;
  for (let i = groups.taken; i < event.length; i++) {
    addPiece(groups, player, event.values[i], Math.max(0, end.values[i] - before));
    before = end.values[i];
  }
  groups.taken = event.length;
}

/** @type {(groups: Groups, player: Player, event: number, grown: number) => void} */
function addPiece(groups, player, event, grown) {
  const at = player.momentOf(event);
  const known = player.timed ? Number(player.isKnown(event)) : 1;
  const end = groups.at.length - 1;
  if (
    player.timed
    && end >= 0
    && groups.at.values[end] === at
    && groups.known.values[end] === known
  ) {
    groups.n.values[end] += 1;
    groups.characters.values[end] += grown;
    groups.last.values[end] = event;
    return;
  }
  groups.at.push(at);
  groups.first.push(event);
  groups.last.push(event);
  groups.n.push(1);
  groups.characters.push(grown);
  groups.known.push(known);
}

// What is drawn at once where there are very many lanes: whole choices, as far as they fit.
/** @type {(lanes: ModelLane[]) => Part[]} */
function partsOf(lanes) {
  /** @type {{ lanes: ModelLane[] }[]} */
  const parts = [];
  for (const choice of new Set(lanes.map(({ lane }) => lane.choice))) {
    const own = lanes.filter(({ lane }) => lane.choice === choice);
    const part = parts.at(-1);
    if (part && part.lanes.length + own.length <= MAX_ROWS) part.lanes.push(...own);
    else parts.push({ lanes: own });
  }
  return parts.map(({ lanes: all }) => ({
    lanes: all.slice(0, MAX_ROWS),
    left: all.length - MAX_ROWS,
  }));
}

// What belongs to the stream and to no lane, in the order of events.
/** @type {(model: Model) => void} */
function growStream({ player, stream }) {
  const { event: marked, lane, kind } = player.marks;
  for (let event = stream.taken; event < player.events.length; event++) {
    const code = player.events.kind.values[event];
    if (code !== CHUNK) add(event, EVENT_KINDS[code]);
    for (
      ;
      stream.marked < marked.length && marked.values[stream.marked] <= event;
      stream.marked++
    ) {
      // A role that came before any text of its choice has no lane to stand on: the table holds it.
      const name = MARK_KINDS[kind.values[stream.marked]];
      if (lane.values[stream.marked] < 0 && name !== "role") add(event, name);
    }
  }
  stream.taken = player.events.length;

  /** @type {(event: number, name: EventKind | MarkKind) => void} */
  function add(event, name) {
    stream.event.push(event);
    stream.at.push(player.momentOf(event));
    stream.kinds.push(name);
  }
}

// Characters so far, choice by choice, and those of each arrival over all of them.
/** @type {(model: Model) => void} */
function growArrivals({ player, arrivals }) {
  const { sums, all } = arrivals;
  const sumOfLane = player.lanes.map(({ choice }) => sumOf(sums, choice));
  const { event, lane, grown } = player.pieces;
  for (let i = arrivals.taken; i < event.length; i++) {
    const at = player.momentOf(event.values[i]);
    const sum = sumOfLane[lane.values[i]];
    sum.total += grown.values[i];
    put(sum.at, sum.so_far, at, sum.total);
    if (player.timed && !player.isKnown(event.values[i])) continue;
    const together = all.at.last === at ? (all.characters.last ?? 0) : 0;
    put(all.at, all.characters, at, together + grown.values[i]);
  }
  arrivals.taken = event.length;
}

/** @type {(sums: Sum[], choice: number) => Sum} */
function sumOf(sums, choice) {
  const known = sums.find((sum) => sum.choice === choice);
  if (known) return known;
  const [at, so_far] = [new Column(Float64Array), new Column(Float64Array)];
  const sum = { choice, total: 0, at, so_far };
  sums.push(sum);
  sums.sort((a, b) => a.choice - b.choice);
  return sum;
}

/** @type {(ats: Column, values: Column, at: number, value: number) => void} */
function put(ats, values, at, value) {
  if (ats.length && ats.last === at) values.values[values.length - 1] = value;
  else {
    ats.push(at);
    values.push(value);
  }
}

// Reads with a time that holds; their numbers, for one that is left out moves the others.
/** @type {(model: Model) => void} */
function growReads({ player, reads }) {
  const { at, end, known } = player.reads;
  if (!player.timed) return;
  for (let read = reads.taken; read < at.length; read++) {
    if (!known.values[read]) continue;
    reads.at.push(at.values[read]);
    reads.bytes.push(end.values[read] - (read ? end.values[read - 1] : 0));
    reads.number.push(read);
  }
  reads.taken = at.length;
}

// The first and the end of what stands in a stretch of the axis.
/** @type {(column: Column, start: number, end: number) => [first: number, end: number]} */
export function between(column, start, end) {
  return [after(column, start), after(column, end)];
}

// What must be said of the clock where it says less than it seems to.
/** @type {(model: { player: Player, timed: boolean }) => string} */
export function clockWords({ player, timed }) {
  const { at, known } = player.reads;
  let odd = 0;
  for (let read = 0; read < known.length; read++) if (!known.values[read]) odd++;
  if (player.clock === "none" || !at.length) return "";
  if (!timed && odd)
    return "The recorded times contradict each other. Events are shown in order, without seconds.";
  if (!timed) return "All reads have time 0. Events are shown in order, without seconds.";
  if (!odd) return "";
  const reads =
    odd === 1
      ? "1 read bears a time that contradicts others"
      : `${odd.toLocaleString("en-US")} reads have times that contradict others`;
  return `${reads}: their events are drawn hollow, at the last known time before them.`;
}
