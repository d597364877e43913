// What comes closer than pixels can show: one column for every two of them.

import { between } from "./model.js";

/**
 * @import { Column } from "../player/column.js"
 * @import { Frame } from "./draw.js"
 * @import { Row } from "./layout.js"
 * @import { Scale } from "./scale.js"
 */

export const COLUMN_PX = 2;
export const SINGLES_PX = 3;

// Whether what is in view stands apart enough to be drawn one by one.
/** @type {(scale: Scale, ats: Column) => boolean} */
export function isApart(scale, ats) {
  const [first, end] = between(ats, scale.view.start, scale.view.end);
  return (scale.right - scale.left) / Math.max(end - first, 1) >= SINGLES_PX;
}

// One pass over what is in view: a sum for every two pixels.
/** @type {(scale: Scale, ats: Column, values: Column) => Float64Array} */
export function binned(scale, ats, values) {
  const columns = new Float64Array(Math.ceil((scale.right - scale.left) / COLUMN_PX) + 1);
  const [first, end] = between(ats, scale.view.start - 1e-9, scale.view.end);
  for (let i = first; i < end; i++) {
    const column = Math.floor((scale.x(ats.values[i]) - scale.left) / COLUMN_PX);
    if (column >= 0 && column < columns.length) columns[column] += values.values[i];
  }
  return columns;
}

// The value that only one filled column in a hundred exceeds.
/** @type {(columns: Float64Array) => number} */
export function topOf(columns) {
  const filled = columns.filter((value) => value > 0).sort();
  return filled.length ? filled[Math.min(filled.length - 1, Math.floor(filled.length * 0.99))] : 1;
}

/** @type {(frame: Frame, columns: Float64Array, row: Row, colour: string) => void} */
export function drawColumns({ context, scale }, columns, row, colour) {
  const top = topOf(columns);
  const full = row.height - 6;
  context.beginPath();
  columns.forEach((value, column) => {
    if (!value) return;
    const height = Math.max(1, Math.min(full, (full * value) / top));
    context.rect(scale.left + column * COLUMN_PX, row.base - height, COLUMN_PX, height);
  });
  context.fillStyle = colour;
  context.fill();
}
