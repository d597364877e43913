// From the tape to what is drawn: marks per lane on one axis. Nothing here knows of pixels.
// The axis is microseconds where times were noted, else the number of the event.

const KIND_ORDER = ["reasoning", "content", "text", "refusal", "tool-call", "function-call"];
const STREAM_KINDS = new Set(["comment", "error", "end-mark", "ignored", "tail"]);

export function modelOf(drawing) {
  const { tape } = drawing;
  const timed = tape.clock !== "none" && tape.reads.at_us.length > 0;
  const eventRead = readsOfEvents(tape);
  const at = timed
    ? Float64Array.from(eventRead, (read) => tape.reads.at_us[read])
    : Float64Array.from(eventRead, (_, event) => event);
  const model = { drawing, tape, timed, partial: tape.clock === "partial", eventRead, at };
  model.lanes = lanesOf(model);
  model.end = endOf(model);
  model.stream = streamOf(model);
  model.sums = sumsOf(model);
  model.chunks = chunksOf(model);
  return model;
}

// The read that completes each event: both columns of ends only grow.
function readsOfEvents({ reads, events }) {
  const last = Math.max(reads.byte_end.length - 1, 0);
  let read = 0;
  return Int32Array.from(events.byte_end, (end) => {
    while (read < last && reads.byte_end[read] < end) read++;
    return read;
  });
}

function endOf({ timed, tape, at, drawing }) {
  if (!timed) return Math.max(at.length - 1, 1);
  const last = tape.reads.at_us.at(-1) ?? 0;
  return Math.max(last, drawing.duration_us ?? 0, 1);
}

// Pieces of one lane that came in one read are one group: they were not apart in time.
function lanesOf({ drawing, tape, timed, eventRead, at }) {
  const lanes = tape.lanes.map((lane, index) => ({
    ...lane, index, name: drawing.lanes[index].name, text: drawing.lanes[index].text,
    groups: [], pieces: [], marks: [], length: 0,
  }));
  const { event, lane: of, length_u16 } = tape.pieces;
  for (let i = 0; i < event.length; i++) addPiece(lanes[of[i]], event[i], length_u16[i], timed, eventRead, at);
  for (let i = 0; i < tape.marks.event.length; i++) addMark(lanes, tape.marks, i, at);
  return lanes.sort(byPlace);
}

function byPlace(a, b) {
  return a.choice - b.choice
    || KIND_ORDER.indexOf(a.kind) - KIND_ORDER.indexOf(b.kind)
    || (a.tool_call ?? 0) - (b.tool_call ?? 0);
}

function addPiece(lane, event, length, timed, eventRead, at) {
  // A snapshot says everything again: what it added is its growth.
  const total = lane.mode === "snapshot" ? length : lane.length + length;
  const grown = Math.max(0, total - lane.length);
  lane.length = total;
  lane.pieces.push({ event, at: at[event], total, grown });
  const before = lane.groups.at(-1);
  if (timed && before && eventRead[before.event] === eventRead[event]) {
    before.n++;
    before.characters += grown;
    before.last = event;
  } else {
    lane.groups.push({ event, last: event, at: at[event], n: 1, characters: grown });
  }
}

function addMark(lanes, marks, i, at) {
  const lane = marks.lane[i] === null ? null : lanes.find((each) => each.index === marks.lane[i]);
  lane?.marks.push({ kind: marks.kind[i], event: marks.event[i], at: at[marks.event[i]] });
}

// What belongs to the stream and to no choice.
function streamOf({ tape, at }) {
  const marks = [];
  tape.events.kind.forEach((kind, event) => {
    if (STREAM_KINDS.has(kind)) marks.push({ kind, event, at: at[event] });
  });
  tape.marks.event.forEach((event, i) => {
    // A role that came before any text of its choice has no lane to stand on: the table holds it.
    const loose = tape.marks.lane[i] === null && tape.marks.kind[i] !== "role";
    if (loose) marks.push({ kind: tape.marks.kind[i], event, at: at[event] });
  });
  return marks.sort((a, b) => a.event - b.event);
}

// Characters so far, choice by choice.
function sumsOf({ lanes }) {
  const sums = new Map();
  for (const lane of lanes) {
    if (!sums.has(lane.choice)) sums.set(lane.choice, []);
    sums.get(lane.choice).push(...lane.pieces);
  }
  return [...sums].map(([choice, pieces]) => {
    let total = 0;
    const steps = pieces.sort((a, b) => a.event - b.event)
      .map((piece) => ({ at: piece.at, total: (total += piece.grown) }));
    return { choice, steps, total };
  });
}

// The events that gave text, in order: what the scrubber steps through.
function chunksOf({ tape, at }) {
  const events = [...new Set(tape.pieces.event)].sort((a, b) => a - b);
  return events.map((event) => ({ event, at: at[event] }));
}

// First position in a list ordered by `at` that lies beyond a moment.
export function after(list, moment) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle].at <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

// How much of a lane was there at a moment.
export function lengthAt(lane, moment) {
  const position = after(lane.pieces, moment);
  return position ? lane.pieces[position - 1].total : 0;
}
