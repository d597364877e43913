// Characters so far, one stepped line per choice.

import { after } from "../player/column.js";
import { clipped, line, words } from "./ink.js";
import { count } from "./scale.js";

/**
 * @import { Frame } from "./draw.js"
 * @import { SumsRow } from "./layout.js"
 * @import { Sum } from "./model.js"
 */

const DASHES = [[], [4, 2], [2, 2]];

/** @type {(frame: Frame, sums: SumsRow) => void} */
export function drawSums(frame, sums) {
  const { context, scale, colours, model } = frame;
  const most = Math.max(...sums.shown.map((sum) => sum.total), 1);
  /** @type {(total: number) => number} */
  const y = (total) => sums.base - (sums.height * total) / (most * 1.06);
  words(frame, "characters", scale.left - 8, sums.top + 10, colours["ink-soft"], {
    align: "right",
  });
  words(frame, "0", scale.left - 8, sums.base, colours["ink-soft"], { align: "right" });
  line(context, scale.left, sums.base + 0.5, scale.right, sums.base + 0.5, colours["rule-strong"]);
  clipped(frame, () => {
    for (const [i, sum] of sums.shown.entries()) drawSum(frame, sum, y, DASHES[i]);
  });
  if (!scale.seen(model.end)) return;
  let lowest = -Infinity;
  for (const sum of [...sums.shown].sort((a, b) => b.total - a.total)) {
    const at = Math.max(y(sum.total) - 5, lowest + 14);
    lowest = at;
    const text = scale.narrow ? count(sum.total) : `choice ${sum.choice}: ${count(sum.total)}`;
    words(frame, text, scale.width, at, colours["ink-soft"], { align: "right", halo: true });
  }
}

/** @type {(frame: Frame, sum: Sum, y: (total: number) => number, dash: number[]) => void} */
function drawSum(frame, { at, so_far }, y, dash) {
  const { context, scale, colours } = frame;
  const first = Math.max(0, after(at, scale.view.start) - 1);
  let total = first ? so_far.values[first - 1] : 0;
  let lastX = -Infinity;
  context.save();
  context.strokeStyle = colours["ink-soft"];
  context.lineWidth = 1.5;
  context.setLineDash(dash);
  context.beginPath();
  context.moveTo(scale.left, y(total));
  for (let i = first; i < at.length; i++) {
    const x = scale.x(at.values[i]);
    // Steps closer than half a pixel are one step.
    if (x - lastX > 0.5) {
      if (i > first) context.lineTo(lastX, y(total));
      context.lineTo(x, y(total));
      lastX = x;
    }
    total = so_far.values[i];
    if (x > scale.right) break;
  }
  context.lineTo(Math.max(lastX, scale.left), y(total));
  context.lineTo(Math.min(scale.right, scale.x(frame.model.end)), y(total));
  context.stroke();
  context.restore();
}
