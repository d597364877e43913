// The line of words under the drawing: what is below the pointer.

import { after } from "./model.js";
import { count, momentWords } from "./scale.js";

const NEAR_PX = 6;

export function readoutAt({ model, layout, scale }, x, y) {
  if (x < scale.left - NEAR_PX || x > scale.right + NEAR_PX) return "";
  const row = layout.rows.find((each) => y >= each.top && y < each.top + each.height);
  if (row) return laneWords(model, scale, row.lane, x);
  if (layout.reads && y >= layout.reads.top && y < layout.reads.base + 3) return readWords(model, scale, x);
  return momentWords(model, Math.max(0, scale.at(x)));
}

function near(list, scale, x) {
  const start = after(list, scale.at(x - NEAR_PX));
  const end = after(list, scale.at(x + NEAR_PX));
  return list.slice(start, end);
}

function laneWords(model, scale, lane, x) {
  const groups = near(lane.groups, scale, x);
  const name = `choice ${lane.choice} ${lane.name}`;
  if (!groups.length) return `${momentWords(model, Math.max(0, scale.at(x)))}, ${name}`;
  const chunks = groups.reduce((sum, group) => sum + group.n, 0);
  const characters = groups.reduce((sum, group) => sum + group.characters, 0);
  const [first, last] = [groups[0], groups.at(-1)];
  const events = first.event === last.last ? `event #${first.event}` : `${count(chunks)} chunks, events #${first.event} to #${last.last}`;
  const when = model.timed ? spanWords(model, first.at, last.at) : "";
  const read = model.timed && groups.length === 1 ? `, read ${model.eventRead[first.event]}` : "";
  return `${when}${events}, ${name}, ${count(characters)} characters${read}`;
}

function spanWords(model, start, end) {
  return start === end ? `${momentWords(model, start)}, ` : `${momentWords(model, start)} to ${momentWords(model, end)}, `;
}

function readWords(model, scale, x) {
  const reads = near(model.readList, scale, x);
  if (!reads.length) return momentWords(model, Math.max(0, scale.at(x)));
  const bytes = reads.reduce((sum, read) => sum + read.bytes, 0);
  const what = reads.length === 1 ? `read ${model.readList.indexOf(reads[0])}` : `${count(reads.length)} reads`;
  return `${spanWords(model, reads[0].at, reads.at(-1).at)}${what}, ${count(bytes)} bytes`;
}
