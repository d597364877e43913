// What is below the pointer: the line of words under the drawing, and the event that is meant.

import { COLUMN_PX, isApart } from "./columns.js";
import { between } from "./model.js";
import { rateOf } from "./rate.js";
import { count, momentWords, seconds, shortTime } from "./scale.js";
import { silenceWords } from "./stalls.js";

/**
 * @import { Column } from "../player/column.js"
 * @import { Player } from "../player/player.js"
 * @import { Frame } from "./draw.js"
 * @import { LaneRow, Row } from "./layout.js"
 * @import { Model } from "./model.js"
 * @import { Scale } from "./scale.js"
 * @typedef {{ text: string, event: number | null }} Readout
 */

const NEAR_PX = 6;

// {text, event}: `event` is the nearest one, null where nothing is near.
/** @type {(frame: Frame, x: number, y: number) => Readout} */
export function under(frame, x, y) {
  const { model, layout, scale } = frame;
  if (x < scale.left - NEAR_PX || x > scale.right + NEAR_PX) return { text: "", event: null };
  const row = layout.rows.find((each) => y >= each.top && y < each.top + each.height);
  if (row) return inLane(frame, row, x);
  if (layout.stream && within(layout.stream, y)) return inStream(frame, x);
  if (layout.reads && within(layout.reads, y)) return inReads(frame, x);
  if (layout.rate && y >= layout.rate.top && y <= layout.rate.base) return inRate(frame, x);
  return { text: momentWords(model, Math.max(0, scale.at(x))), event: null };
}

// What a column is, where marks are columns.
/** @type {(frame: Frame) => string} */
export function columnWords({ model, layout, scale }) {
  if (layout.rows.every((row) => isApart(scale, row.at))) return "";
  const span = scale.at(COLUMN_PX) - scale.at(0);
  const what = model.timed ? seconds(span) : `${span.toFixed(1)} events`;
  return `one column is ${what}; zoom in to see single chunks`;
}

/** @type {(row: Row, y: number) => boolean} */
function within(row, y) {
  return y >= row.top && y < row.base + 3;
}

// A column where marks are columns, else what is a few pixels away.
/** @type {(scale: Scale, ats: Column, x: number) => [first: number, end: number]} */
function near(scale, ats, x) {
  if (isApart(scale, ats)) return between(ats, scale.at(x - NEAR_PX), scale.at(x + NEAR_PX));
  const left = scale.left + Math.floor((x - scale.left) / COLUMN_PX) * COLUMN_PX;
  return between(ats, scale.at(left) - 1e-6, scale.at(left + COLUMN_PX) - 1e-6);
}

/** @type {(ats: Column, first: number, end: number, at: number) => number} */
function nearest(ats, first, end, at) {
  let best = first;
  for (let i = first; i < end; i++) {
    if (Math.abs(ats.values[i] - at) < Math.abs(ats.values[best] - at)) best = i;
  }
  return best;
}

/** @type {(column: Column, first: number, end: number) => number} */
function sumOf(column, first, end) {
  let sum = 0;
  for (let i = first; i < end; i++) sum += column.values[i];
  return sum;
}

/** @type {(frame: Frame, row: LaneRow, x: number) => Readout} */
function inLane({ model, scale }, row, x) {
  const { player } = model;
  const name = `choice ${row.lane.choice} ${row.lane.name}`;
  const [first, end] = near(scale, row.at, x);
  if (first === end) return { text: silentWords(model, scale, x, name), event: null };
  const [from, to] = [row.first.values[first], row.last.values[end - 1]];
  const chunks = sumOf(row.n, first, end);
  const events =
    from === to ? `event #${from}` : `${count(chunks)} chunks, events #${from} to #${to}`;
  const characters = `${count(sumOf(row.characters, first, end))} characters`;
  const when = model.timed ? spanWords(model, row.at.values[first], row.at.values[end - 1]) : "";
  const read = model.timed ? `, ${readWords(player, from, to)}` : "";
  const odd = row.known.values[first] ? "" : ", its own time contradicts others";
  const event = row.first.values[nearest(row.at, first, end, scale.at(x))];
  return { text: `${when}${events}, ${name}, ${characters}${read}${odd}`, event };
}

/** @type {(model: Model, scale: Scale, x: number, name: string) => string} */
function silentWords(model, scale, x, name) {
  const at = Math.max(0, scale.at(x));
  const stall = model.timed && model.player.stalls.find(([start, end]) => at > start && at < end);
  if (!stall) return `${momentWords(model, at)}, ${name}`;
  return `${momentWords(model, at)}, stall of ${shortTime(stall[1] - stall[0])}: ${silenceWords(model, stall)}`;
}

/** @type {(player: Player, from: number, to: number) => string} */
function readWords({ events }, from, to) {
  const [first, last] = [events.read.values[from], events.read.values[to]];
  return first === last ? `read ${count(first)}` : `reads ${count(first)} to ${count(last)}`;
}

/** @type {(model: Model, start: number, end: number) => string} */
function spanWords(model, start, end) {
  return start === end
    ? `${momentWords(model, start)}, `
    : `${momentWords(model, start)} to ${momentWords(model, end)}, `;
}

/** @type {(frame: Frame, x: number) => Readout} */
function inStream({ model, scale }, x) {
  const { stream } = model;
  const [first, end] = between(stream.at, scale.at(x - NEAR_PX), scale.at(x + NEAR_PX));
  if (first === end)
    return { text: `${momentWords(model, Math.max(0, scale.at(x)))}, stream`, event: null };
  const kinds = stream.kinds.slice(first, end);
  const names = [...new Set(kinds)].map((kind) =>
    named(kind, kinds.filter((each) => each === kind).length),
  );
  const when = model.timed
    ? spanWords(model, stream.at.values[first], stream.at.values[end - 1])
    : "";
  const event = stream.event.values[nearest(stream.at, first, end, scale.at(x))];
  return { text: `${when}${names.join(", ")}, event #${event}`, event };
}

/** @type {(kind: string, times: number) => string} */
function named(kind, times) {
  return `${times > 1 ? `${count(times)} × ` : ""}${kind.replace("-", " ")}`;
}

/** @type {(frame: Frame, x: number) => Readout} */
function inReads({ model, scale }, x) {
  const { at, bytes, number } = model.reads;
  const [first, end] = near(scale, at, x);
  if (first === end) return { text: momentWords(model, Math.max(0, scale.at(x))), event: null };
  const what =
    end - first === 1 ? `read ${count(number.values[first])}` : `${count(end - first)} reads`;
  const together = end - first === 1 ? eventsOf(model.player, number.values[first]) : "";
  return {
    text: `${spanWords(model, at.values[first], at.values[end - 1])}${what}, ${count(sumOf(bytes, first, end))} bytes${together}`,
    event: null,
  };
}

/** @type {(player: Player, read: number) => string} */
function eventsOf({ events }, read) {
  const [first, end] = between(events.read, read - 1, read);
  return end - first > 1 ? `, ×${end - first}, one read` : "";
}

// Of arrivals alone: what came, over the time since what came before it.
/** @type {(frame: Frame, x: number) => Readout} */
function inRate({ model, scale }, x) {
  const { all } = model.arrivals;
  const at = scale.at(x);
  const [passed] = between(all.at, at, at);
  const apart = isApart(scale, all.at);
  const [first, end] = apart
    ? [passed, Math.min(passed + 1, all.at.length)]
    : near(scale, all.at, x);
  const found = rateOf(all, first, end);
  if (!found)
    return {
      text: `${momentWords(model, Math.max(0, at))}, no rate: nothing came before`,
      event: null,
    };
  const over = `${count(found.characters)} characters in ${(found.us / 1000).toFixed(1)} ms`;
  const what =
    found.arrivals === 1 ? "since the arrival before" : `over ${count(found.arrivals)} arrivals`;
  return {
    text: `${count(Math.round(found.rate))} characters a second: ${over} ${what}`,
    event: null,
  };
}
