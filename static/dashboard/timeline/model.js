// From a player's columns to what is drawn: marks per lane on one axis. Nothing here knows of pixels.

import { after, Column } from "../player/column.js";
import { EVENT_KINDS, MARK_KINDS } from "../player.js";
import { turn } from "../tape.js";

/**
 * @import { Player, PlayerLane } from "../player.js"
 * @import { Drawing, EventKind, MarkKind } from "../tape.js"
 * @typedef {{ at: Column, first: Column, last: Column, n: Column, characters: Column, known: Column }} Groups
 * @typedef {Groups & { lane: PlayerLane, marks: { kind: MarkKind, event: number }[] }} ModelLane
 * @typedef {{ lanes: ModelLane[], left: number }} Part
 * @typedef {{ event: Column, at: Column, kinds: (EventKind | MarkKind)[] }} Stream
 * @typedef {{ choice: number, total: number, at: Column, so_far: Column }} Sum
 * @typedef {{ sums: Sum[], all: { at: Column, characters: Column } }} Arrivals
 * @typedef {{ at: Column, bytes: Column, number: Column }} Reads
 * @typedef {{ player: Player, drawing: Pick<Drawing, "finishes" | "firsts">, timed: boolean, end: number,
 *   lanes: ModelLane[], parts: Part[], stream: Stream, arrivals: Arrivals, reads: Reads }} Model
 */

const LANE_ORDER = ["reasoning", "content", "text", "refusal", "tool-call", "function-call"];
const CHUNK = EVENT_KINDS.indexOf("chunk");
const MANY = 1_000;
export const MOST_ROWS = 40;

// In turns: a page stays awake while very much is put together.
/** @type {(player: Player, drawing: Model["drawing"]) => Promise<Model>} */
export async function modelOf(player, drawing) {
  const groups = [];
  for (const lane of player.lanes) {
    groups.push(groupsOf(player, lane));
    if (lane.event.length > MANY) await turn();
  }
  const lanes = lanesOf(player, groups);
  const parts = partsOf(lanes);
  const stream = streamOf(player);
  await turn();
  const arrivals = arrivalsOf(player);
  await turn();
  const reads = readsOf(player);
  const { timed, end } = player;
  return { player, drawing, timed, end, lanes, parts, stream, arrivals, reads };
}

/** @type {(player: Player, groups: Groups[]) => ModelLane[]} */
function lanesOf(player, groups) {
  /** @type {ModelLane[]} */
  const lanes = player.lanes.map((lane, index) => ({ ...groups[index], lane, marks: [] }));
  const { event, lane: of, kind } = player.marks;
  for (let i = 0; i < event.length; i++) {
    lanes[of.values[i]]?.marks.push({ kind: MARK_KINDS[kind.values[i]], event: event.values[i] });
  }
  return lanes.sort((a, b) => byPlace(a.lane, b.lane));
}

/** @type {(a: PlayerLane, b: PlayerLane) => number} */
function byPlace(a, b) {
  return (
    a.choice - b.choice
    || LANE_ORDER.indexOf(a.kind) - LANE_ORDER.indexOf(b.kind)
    || (a.tool_call ?? 0) - (b.tool_call ?? 0)
  );
}

// Pieces of one lane that came together are one group: they were not apart in time. Those whose time
// nobody can believe are groups of their own.
/** @type {(player: Player, lane: PlayerLane) => Groups} */
function groupsOf(player, lane) {
  const groups = {
    at: new Column(Float64Array),
    first: new Column(Uint32Array),
    last: new Column(Uint32Array),
    n: new Column(Uint32Array),
    characters: new Column(Float64Array),
    known: new Column(Uint8Array),
  };
  let before = 0;
  for (let i = 0; i < lane.event.length; i++) {
    const event = lane.event.values[i];
    const length = lane.end.values[i];
    addPiece(groups, player, event, Math.max(0, length - before));
    before = length;
  }
  return groups;
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
    if (part && part.lanes.length + own.length <= MOST_ROWS) part.lanes.push(...own);
    else parts.push({ lanes: own });
  }
  return parts.map(({ lanes: all }) => ({
    lanes: all.slice(0, MOST_ROWS),
    left: all.length - MOST_ROWS,
  }));
}

// What belongs to the stream and to no lane, in the order of events.
/** @type {(player: Player) => Stream} */
function streamOf(player) {
  /** @type {Stream} */
  const stream = { event: new Column(Uint32Array), at: new Column(Float64Array), kinds: [] };
  const { event: marked, lane, kind } = player.marks;
  let mark = 0;
  for (let event = 0; event < player.events.length; event++) {
    const code = player.events.kind.values[event];
    if (code !== CHUNK) add(event, EVENT_KINDS[code]);
    for (; mark < marked.length && marked.values[mark] === event; mark++) {
      // A role that came before any text of its choice has no lane to stand on: the table holds it.
      const name = MARK_KINDS[kind.values[mark]];
      if (lane.values[mark] < 0 && name !== "role") add(event, name);
    }
  }
  return stream;

  /** @type {(event: number, name: EventKind | MarkKind) => void} */
  function add(event, name) {
    stream.event.push(event);
    stream.at.push(player.momentOf(event));
    stream.kinds.push(name);
  }
}

// Characters so far, choice by choice, and those of each arrival over all of them.
/** @type {(player: Player) => Arrivals} */
function arrivalsOf(player) {
  /** @type {Map<number, Sum>} */
  const sums = new Map();
  const all = { at: new Column(Float64Array), characters: new Column(Float64Array) };
  const sumOfLane = player.lanes.map(({ choice }) => {
    const [at, so_far] = [new Column(Float64Array), new Column(Float64Array)];
    const sum = sums.get(choice) ?? { choice, total: 0, at, so_far };
    sums.set(choice, sum);
    return sum;
  });
  const { event, lane, grown } = player.pieces;
  for (let i = 0; i < event.length; i++) {
    const at = player.momentOf(event.values[i]);
    const sum = sumOfLane[lane.values[i]];
    sum.total += grown.values[i];
    put(sum.at, sum.so_far, at, sum.total);
    if (player.timed && !player.isKnown(event.values[i])) continue;
    const together = all.at.last === at ? (all.characters.last ?? 0) : 0;
    put(all.at, all.characters, at, together + grown.values[i]);
  }
  return { sums: [...sums.values()].sort((a, b) => a.choice - b.choice), all };
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
/** @type {(player: Player) => Reads} */
function readsOf(player) {
  const reads = {
    at: new Column(Float64Array),
    bytes: new Column(Float64Array),
    number: new Column(Uint32Array),
  };
  if (!player.timed) return reads;
  const { at, end, known } = player.reads;
  for (let read = 0; read < at.length; read++) {
    if (!known.values[read]) continue;
    reads.at.push(at.values[read]);
    reads.bytes.push(end.values[read] - (read ? end.values[read - 1] : 0));
    reads.number.push(read);
  }
  return reads;
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
