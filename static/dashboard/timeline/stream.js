// What belongs to the stream and to no choice: comments, errors, usage, the end mark.

import { line, ring, words } from "./ink.js";
import { between } from "./model.js";
import { count } from "./scale.js";

/**
 * @import { Frame } from "./draw.js"
 * @import { Row } from "./layout.js"
 * @typedef {{ kind: string, x: number }} StreamMark
 */

const RINGS = new Set(["comment", "ignored"]);
const LOUD = new Set(["error", "tail"]);

/** @type {(frame: Frame, row: Row) => void} */
export function drawStreamGround(frame, row) {
  const { context, scale, colours } = frame;
  words(frame, "stream", 0, row.base - 3, colours.ink, { strong: true });
  const usages = usagesOf(frame);
  // Of many a word beside one would lie on the others.
  if (usages > 1 && !scale.narrow)
    words(frame, `usage ×${count(usages)}`, scale.left - 8, row.base - 3, colours["ink-soft"], {
      align: "right",
    });
  line(context, scale.left, row.base + 0.5, scale.right, row.base + 0.5, colours.rule);
}

/** @type {(frame: Frame) => number} */
function usagesOf({ model }) {
  return model.stream.kinds.filter((kind) => kind === "usage").length;
}

// One of a kind at a pixel stands for all that would be drawn over it; loud ones come last.
/** @type {(frame: Frame) => StreamMark[]} */
function visibleMarks({ model: { stream }, scale }) {
  const [first, end] = between(stream.at, scale.view.start - 1e-9, scale.view.end);
  const found = [];
  /** @type {Record<string, number>} */
  const last = {};
  for (let i = first; i < end; i++) {
    const [kind, x] = [stream.kinds[i], scale.x(stream.at.values[i])];
    if (Math.abs(x - last[kind]) < 1) continue;
    last[kind] = x;
    found.push({ kind, x });
  }
  return found;
}

/** @type {(frame: Frame, row: Row) => void} */
export function drawStream(frame, row) {
  const marks = visibleMarks(frame);
  for (const { kind, x } of marks) if (!LOUD.has(kind)) drawStreamMark(frame, kind, x, row);
  for (const { kind, x } of marks) if (LOUD.has(kind)) drawStreamMark(frame, kind, x, row);
}

/** @type {(frame: Frame, kind: string, x: number, row: Row) => void} */
function drawStreamMark(frame, kind, x, row) {
  const { context, colours } = frame;
  if (RINGS.has(kind)) return ring(frame, x, row.base - 5, 3);
  const colour =
    { error: "error-mark", tail: "error-mark", "end-mark": "good-mark" }[kind] ?? "usage-mark";
  context.fillStyle = colours[colour];
  context.fillRect(kind === "usage" ? x - 4 : x + 1, row.base - 12, 4, 12);
}

// A word stands where there is room for it.
/** @type {(frame: Frame, row: Row) => void} */
export function drawStreamWords(frame, row) {
  if (frame.scale.narrow) return;
  const marks = visibleMarks(frame);
  const isOne = usagesOf(frame) === 1;
  let free = frame.scale.left;
  marks.forEach((mark, i) => {
    if (mark.kind === "usage" && !isOne) return;
    free = drawStreamWord(frame, mark, row, free, marks[i + 1]);
  });
}

// Usage reads towards the left, out of the end mark's way.
/**
 * @type {(frame: Frame, mark: StreamMark, row: Row, free: number,
 *   next: StreamMark | undefined) => number}
 */
function drawStreamWord(frame, { kind, x }, row, free, next) {
  const { context, colours, scale } = frame;
  const text = kind.replace("-", " ");
  const width = context.measureText(text).width;
  const colour = LOUD.has(kind) ? colours["error-ink"] : colours["ink-soft"];
  const toLeft = kind === "usage" || x + 9 + width > scale.width;
  const start = toLeft ? x - 8 - width : x + 8;
  const blocked = !toLeft && next && next.x < start + width;
  if (start < free || blocked) return free;
  words(frame, text, start, row.base - 2, colour, { halo: true });
  return start + width + 4;
}
