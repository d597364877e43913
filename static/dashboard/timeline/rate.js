// Characters a second: those of an arrival over the time since the arrival before it. The first has
// nothing before it and so no rate. Nothing is smoothed; where arrivals are closer than pixels, a
// column holds their characters over the time that they took together.

import { COLUMN_PX, isApart, topOf } from "./columns.js";
import { clipped, line, words } from "./ink.js";
import { between } from "./model.js";
import { count } from "./scale.js";

/**
 * @import { Frame } from "./draw.js"
 * @import { Row } from "./layout.js"
 * @import { Arrivals } from "./model.js"
 * @import { Scale } from "./scale.js"
 * @typedef {{ characters: number, us: number, arrivals: number, rate: number }} Rate
 * @typedef {[x0: number, x1: number, rate: number]} Bar
 */

// The arrivals between two places of the axis: their characters over the time since the one before.
/** @type {(all: Arrivals["all"], first: number, end: number) => Rate | null} */
export function rateOf({ at, characters }, first, end) {
  if (end <= first || first < 1) return null;
  const us = at.values[end - 1] - at.values[first - 1];
  if (!us) return null;
  let sum = 0;
  for (let i = first; i < end; i++) sum += characters.values[i];
  return { characters: sum, us, arrivals: end - first, rate: (sum * 1e6) / us };
}

/** @type {(frame: Frame, row: Row) => void} */
export function drawRate(frame, row) {
  const { context, scale, colours, model } = frame;
  const { all } = model.arrivals;
  const bars = isApart(scale, all.at) ? singles(scale, all) : columns(scale, all);
  const top = topOf(Float64Array.from(bars, ([, , rate]) => rate));
  words(
    frame,
    scale.narrow ? "per s" : "characters/s",
    scale.left - 8,
    row.top + 10,
    colours["ink-soft"],
    { align: "right" },
  );
  words(frame, "0", scale.left - 8, row.base, colours["ink-soft"], { align: "right" });
  clipped(frame, () => {
    context.beginPath();
    for (const [x0, x1, rate] of bars) {
      const height = Math.max(1, Math.min(row.height, (row.height * rate) / top));
      context.rect(x0, row.base - height, Math.max(x1 - x0, 0.5), height);
    }
    context.fillStyle = colours["control-edge"];
    context.fill();
  });
  line(context, scale.left, row.base + 0.5, scale.right, row.base + 0.5, colours["rule-strong"]);
  if (bars.length)
    words(frame, count(Math.round(top)), scale.width, row.top + 8, colours["ink-soft"], {
      align: "right",
      halo: true,
    });
}

/** @type {(scale: Scale, all: Arrivals["all"]) => Bar[]} */
function singles(scale, all) {
  const [first, end] = between(all.at, scale.view.start - 1e-9, scale.view.end);
  /** @type {Bar[]} */
  const bars = [];
  for (let i = Math.max(first, 1); i < Math.min(end + 1, all.at.length); i++) {
    const found = rateOf(all, i, i + 1);
    if (found) bars.push([scale.x(all.at.values[i - 1]), scale.x(all.at.values[i]), found.rate]);
  }
  return bars;
}

/** @type {(scale: Scale, all: Arrivals["all"]) => Bar[]} */
function columns(scale, all) {
  /** @type {Bar[]} */
  const bars = [];
  const [begin, stop] = between(all.at, scale.view.start - 1e-9, scale.view.end);
  /** @type {(i: number) => number} */
  const columnOf = (i) => Math.floor((scale.x(all.at.values[i]) - scale.left) / COLUMN_PX);
  for (let first = begin; first < stop; ) {
    let end = first + 1;
    while (end < stop && columnOf(end) === columnOf(first)) end++;
    const found = rateOf(all, first, end);
    const x = scale.left + columnOf(first) * COLUMN_PX;
    if (found)
      bars.push([Math.min(x, scale.x(all.at.values[first - 1])), x + COLUMN_PX, found.rate]);
    first = end;
  }
  return bars;
}
