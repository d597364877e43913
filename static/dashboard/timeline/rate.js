// Characters a second: those of an arrival over the time since the arrival before it. The first has
// nothing before it and so no rate. Nothing is smoothed; where arrivals are closer than pixels, a
// column holds their characters over the time that they took together.

import { between } from "./model.js";
import { COLUMN_PX, isApart, topOf } from "./columns.js";
import { clipped, line, words } from "./ink.js";
import { count } from "./scale.js";

// The arrivals between two places of the axis: their characters over the time since the one before.
export function rateOf({ at, characters }, first, end) {
  if (end <= first || first < 1) return null;
  const us = at.values[end - 1] - at.values[first - 1];
  let sum = 0;
  for (let i = first; i < end; i++) sum += characters.values[i];
  return { characters: sum, us, arrivals: end - first, rate: us ? (sum * 1e6) / us : null };
}

export function drawRate(frame) {
  const { context, layout, scale, colours, model } = frame;
  const row = layout.rate;
  const { all } = model.arrivals;
  const bars = isApart(scale, all.at) ? singles(scale, all) : columns(scale, all);
  const top = topOf(Float64Array.from(bars, ([, , rate]) => rate));
  words(frame, scale.narrow ? "per s" : "characters/s", scale.left - 8, row.top + 10, colours["ink-soft"], { align: "right" });
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
  if (bars.length) words(frame, count(Math.round(top)), scale.width, row.top + 8, colours["ink-soft"], { align: "right", halo: true });
}

function singles(scale, all) {
  const [first, end] = between(all.at, scale.view.start - 1e-9, scale.view.end);
  const bars = [];
  for (let i = Math.max(first, 1); i < Math.min(end + 1, all.at.length); i++) {
    bars.push([scale.x(all.at.values[i - 1]), scale.x(all.at.values[i]), rateOf(all, i, i + 1).rate]);
  }
  return bars;
}

function columns(scale, all) {
  const bars = [];
  const [begin, stop] = between(all.at, scale.view.start - 1e-9, scale.view.end);
  const columnOf = (i) => Math.floor((scale.x(all.at.values[i]) - scale.left) / COLUMN_PX);
  for (let first = begin; first < stop;) {
    let end = first + 1;
    while (end < stop && columnOf(end) === columnOf(first)) end++;
    const found = rateOf(all, first, end);
    const x = scale.left + columnOf(first) * COLUMN_PX;
    if (found) bars.push([Math.min(x, scale.x(all.at.values[first - 1])), x + COLUMN_PX, found.rate]);
    first = end;
  }
  return bars;
}
