// What belongs to the stream and to no choice: comments, errors, usage, the end mark.

import { line, opacity, ring, words } from "./ink.js";

const STREAM_WORDS = {
  comment: "comment", error: "error", "end-mark": "end mark", ignored: "ignored", tail: "tail",
  usage: "usage", finish: "finish", role: "role",
};

export function drawStream(frame) {
  const { context, layout, scale, colours, model } = frame;
  const row = layout.stream;
  words(frame, "stream", 0, row.base - 3, colours.ink, { strong: true });
  line(context, scale.left, row.base + 0.5, scale.right, row.base + 0.5, colours.rule);
  const lastUsage = model.stream.findLast((mark) => mark.kind === "usage");
  let free = scale.left;
  model.stream.forEach((mark, i) => {
    if (!scale.seen(mark.at)) return;
    const x = scale.x(mark.at);
    context.globalAlpha = opacity(frame, mark.at);
    drawStreamMark(frame, mark.kind, x, row);
    context.globalAlpha = 1;
    if (scale.narrow || (mark.kind === "usage" && mark !== lastUsage)) return;
    free = drawStreamWord(frame, mark, x, row, free, model.stream[i + 1]);
  });
}

function drawStreamMark(frame, kind, x, row) {
  const { context, colours } = frame;
  if (kind === "comment" || kind === "ignored" || kind === "role") return ring(frame, x, row.base - 5, 3);
  const colour = { error: "error-mark", tail: "error-mark", "end-mark": "good-mark" }[kind] ?? "usage-mark";
  context.fillStyle = colours[colour];
  context.fillRect(kind === "usage" ? x - 4 : x + 1, row.base - 12, 4, 12);
}

// A word stands where there is room for it; usage reads towards the left, out of the end mark's way.
function drawStreamWord(frame, mark, x, row, free, next) {
  const { context, colours, scale } = frame;
  const text = STREAM_WORDS[mark.kind] ?? mark.kind;
  const width = context.measureText(text).width;
  const colour = mark.kind === "error" || mark.kind === "tail" ? colours["error-ink"] : colours["ink-soft"];
  const toLeft = mark.kind === "usage" || x + 9 + width > scale.width;
  const start = toLeft ? x - 8 - width : x + 8;
  const blocked = !toLeft && next && scale.x(next.at) < start + width;
  if (start < free || blocked) return free;
  words(frame, text, start, row.base - 2, colour, { halo: true });
  return start + width + 4;
}
