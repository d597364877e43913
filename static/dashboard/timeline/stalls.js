// Silences: their place behind the lanes, and their words above everything.

import { clipped, line, words } from "./ink.js";
import { seconds } from "./scale.js";

const WORDS_PX = 90;
const AIR_PX = 60;

export function drawStalls(frame) {
  const { context, layout, scale, colours, model } = frame;
  clipped(frame, () => {
    for (const [start, end] of model.drawing.stalls) {
      const [x0, x1] = [scale.x(start), scale.x(end)];
      context.save();
      context.beginPath();
      context.rect(x0, layout.axis, x1 - x0, layout.lanesEnd - layout.axis);
      context.clip();
      context.globalAlpha = 0.3;
      for (let x = x0 - (layout.lanesEnd - layout.axis); x < x1; x += 8.5) {
        line(context, x, layout.lanesEnd, x + layout.lanesEnd - layout.axis, layout.axis, colours["warning-mark"]);
      }
      context.restore();
      line(context, x0, layout.axis, x0, layout.lanesEnd, colours["warning-mark"]);
      line(context, x1, layout.axis, x1, layout.lanesEnd, colours["warning-mark"]);
    }
  });
}

export function drawStallWords(frame) {
  const { layout, scale, colours, model } = frame;
  for (const [start, end, before, next] of model.drawing.stalls) {
    const [x0, x1] = [Math.max(scale.x(start), scale.left), Math.min(scale.x(end), scale.right)];
    const middle = (x0 + x1) / 2;
    const look = { align: "center", strong: true, halo: true };
    if (x1 < scale.left || x0 > scale.right) continue;
    if (x1 - x0 < WORDS_PX) {
      words(frame, seconds(end - start), middle, layout.axis - 4, colours["warning-ink"], look);
      continue;
    }
    const y = layout.axis + (layout.lanesEnd - layout.axis) / 2;
    words(frame, `stall ${seconds(end - start)}`, middle, y, colours["warning-ink"], look);
    const silent = `no chunk between reads ${before} and ${next}`;
    if (x1 - x0 > frame.context.measureText(silent).width + AIR_PX) {
      words(frame, silent, middle, y + 16, colours["warning-ink"], { align: "center", halo: true });
    }
  }
}
