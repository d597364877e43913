// What comes closer than pixels can show: one column for every two of them.

import { LATER } from "./ink.js";

const COLUMN_PX = 2;
export const SINGLES_PX = 3;

// One pass over what is in view: a value for every two pixels.
export function binned(scale, list, first, last, valueOf) {
  const columns = new Float64Array(Math.ceil((scale.right - scale.left) / COLUMN_PX) + 1);
  for (let i = first; i < last; i++) {
    const column = Math.floor((scale.x(list[i].at) - scale.left) / COLUMN_PX);
    if (column >= 0 && column < columns.length) columns[column] += valueOf(list[i]);
  }
  return columns;
}

export function drawColumns(frame, columns, row, colour) {
  const { context, scale } = frame;
  const filled = columns.filter((value) => value > 0).sort();
  const top = filled[Math.floor(filled.length * 0.99)] ?? 1;
  const full = row.height - 6;
  const split = frame.scrub === null ? Infinity : scale.x(frame.scrub);
  for (const [later, alpha] of [[false, 1], [true, LATER]]) {
    context.beginPath();
    columns.forEach((value, column) => {
      const x = scale.left + column * COLUMN_PX;
      if (!value || x > split !== later) return;
      const height = Math.max(1, Math.min(full, (full * value) / top));
      context.rect(x, row.base - height, COLUMN_PX, height);
    });
    context.globalAlpha = alpha;
    context.fillStyle = colour;
    context.fill();
  }
  context.globalAlpha = 1;
}
