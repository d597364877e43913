// What another part of the page points at: a pale column, and a highlighter block behind each mark.

import { after } from "../player/column.js";
import { isApart } from "./columns.js";
import { clipped } from "./ink.js";

/**
 * @import { Lit } from "../pointed.js"
 * @import { Frame } from "./draw.js"
 * @import { LaneRow } from "./layout.js"
 */

const MAX_BLOCKS = 2_000;
const BETWEEN_PX = 24;

/** @type {(frame: Frame) => void} */
export function drawLit(frame) {
  const { lit, layout, context, colours } = frame;
  if (!lit?.events.length) return;
  clipped(frame, () => {
    context.fillStyle = colours["lit-column"];
    for (const [x0, x1] of columnsOf(frame, lit))
      context.fillRect(x0, layout.axis, x1 - x0, layout.lanesEnd - layout.axis);
    for (const row of layout.rows) {
      if (lit.lane === null || lit.lane === undefined || row.lane.index === lit.lane)
        drawBlocks(frame, lit, row);
    }
  });
}

// Stretches that stand close to each other are one column.
/** @type {(frame: Frame, lit: Lit) => [x0: number, x1: number][]} */
function columnsOf({ model: { player }, scale }, lit) {
  /** @type {[x0: number, x1: number][]} */
  const found = [];
  for (const [first, last] of lit.events) {
    if (last >= player.events.length) continue;
    const [x0, x1] = [scale.x(player.momentOf(first)) - 3, scale.x(player.momentOf(last)) + 5];
    const before = found.at(-1);
    if (before && x0 - before[1] < BETWEEN_PX) before[1] = Math.max(before[1], x1);
    else found.push([x0, x1]);
  }
  return found;
}

/** @type {(frame: Frame, lit: Lit, row: LaneRow) => void} */
function drawBlocks(frame, lit, row) {
  const { scale } = frame;
  let left = MAX_BLOCKS;
  for (const [first, last] of lit.events) {
    const from = firstGroup(row, first);
    const end = after(row.first, last);
    if (end <= from) continue;
    if (isApart(scale, row.at) && end - from <= left) {
      for (let i = from; i < end; i++)
        block(frame, row, scale.x(row.at.values[i]), scale.x(row.at.values[i]));
    } else {
      block(frame, row, scale.x(row.at.values[from]), scale.x(row.at.values[end - 1]));
    }
    left -= end - from;
  }
}

// A group may hold the event without beginning with it.
/** @type {(row: LaneRow, event: number) => number} */
function firstGroup(row, event) {
  const next = after(row.first, event - 1);
  return next > 0 && row.last.values[next - 1] >= event ? next - 1 : next;
}

/** @type {(frame: Frame, row: LaneRow, x0: number, x1: number) => void} */
function block({ context, colours, scale }, row, x0, x1) {
  const width = x1 - x0 + (scale.narrow ? 6 : 8.4);
  context.fillStyle = colours.lit;
  context.fillRect(x0 - 4, row.top + 1, width, row.height - 3);
  context.fillStyle = colours["lit-edge"];
  context.fillRect(x0 - 4, row.base + 1, width, 3);
}
