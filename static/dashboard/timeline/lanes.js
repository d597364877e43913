// The lanes of the choices, and the reads below them.

import { SINGLES_PX, binned, drawColumns } from "./columns.js";
import { clipped, fitted, line, opacity, ring, words } from "./ink.js";
import { after } from "./model.js";

export function drawLane(frame, row) {
  const { context, scale, colours, model } = frame;
  const { lane } = row;
  const base = row.top + row.height - 6;
  const short = scale.narrow ? row.group.replace("choice ", "") : row.group;
  if (row.group) words(frame, short, 0, base, colours.ink, { strong: true });
  const space = scale.left - 8 - (row.group ? (scale.narrow ? 14 : 54) : 0);
  const name = fitted(context, scale.narrow && lane.tool_call !== null ? "tool call" : lane.name, space);
  words(frame, name, scale.left - 8, base, colours.word(lane.kind), { align: "right" });
  line(context, scale.left, row.base + 0.5, scale.right, row.base + 0.5, colours.rule);
  clipped(frame, () => drawGroups(frame, lane, row));
  for (const mark of lane.marks) if (scale.seen(mark.at)) drawMark(frame, lane, row, mark, model);
}

function drawGroups(frame, lane, row) {
  const { scale } = frame;
  const first = Math.max(0, after(lane.groups, scale.view.start) - 1);
  const last = Math.min(lane.groups.length, after(lane.groups, scale.view.end) + 1);
  const pixels = (scale.right - scale.left) / Math.max(last - first, 1);
  if (pixels >= SINGLES_PX) {
    for (let i = first; i < last; i++) drawGroup(frame, lane, row, lane.groups[i]);
  } else {
    const columns = binned(scale, lane.groups, first, last, (group) => group.characters);
    drawColumns(frame, columns, row, frame.colours.mark(lane.kind));
  }
}

function drawGroup(frame, lane, row, group) {
  const { context, scale, colours } = frame;
  const x = scale.x(group.at);
  const full = row.height - 6;
  context.globalAlpha = opacity(frame, group.at);
  context.fillStyle = colours.mark(lane.kind);
  if (group.n > 1) {
    context.fillRect(x - 2, row.base - full, 5, full);
    context.globalAlpha = 1;
    words(frame, `×${group.n}`, x - 6, row.base - 4, colours.word(lane.kind), { align: "right", strong: true, halo: true });
  } else {
    const height = Math.max(5, Math.min(full, 5.2 * Math.sqrt(group.characters)));
    const width = scale.narrow ? 1.5 : 2.4;
    context.fillRect(x - width / 2, row.base - height, width, height);
  }
  context.globalAlpha = 1;
}

function drawMark(frame, lane, row, mark, model) {
  const x = frame.scale.x(mark.at);
  if (mark.kind === "role") return ring(frame, x, row.base - 4, 2.5);
  if (mark.kind !== "finish") return;
  const finish = model.drawing.finishes.find((each) => each.choice === lane.choice);
  drawFinish(frame, x, row.base, mark.at, finish ?? { reason: "finish", ordinary: true });
}

function drawFinish(frame, x, base, at, finish) {
  const { context, colours, scale } = frame;
  context.globalAlpha = opacity(frame, at);
  context.fillStyle = finish.ordinary ? colours.ink : colours["error-mark"];
  context.fillRect(x - 3.5, base - 11, 7, 11);
  context.globalAlpha = 1;
  const width = context.measureText(finish.reason).width;
  const flips = x + 9 + width > scale.width;
  words(frame, finish.reason, flips ? x - 8 : x + 7, base - 2, finish.ordinary ? colours.ink : colours["error-ink"], {
    align: flips ? "right" : "left", strong: !finish.ordinary, halo: true,
  });
}

export function drawReads(frame) {
  const { context, layout, scale, colours, model } = frame;
  const row = layout.reads;
  const { at_us: times, byte_end: ends } = model.tape.reads;
  words(frame, "reads", 0, row.base - 3, colours.ink, { strong: true });
  if (!scale.narrow) words(frame, "bytes each", scale.left - 8, row.base - 3, colours["ink-soft"], { align: "right" });
  line(context, scale.left, row.base + 0.5, scale.right, row.base + 0.5, colours.rule);
  const list = model.readList ??= times.map((at, i) => ({ at, bytes: ends[i] - (ends[i - 1] ?? 0) }));
  const first = Math.max(0, after(list, scale.view.start) - 1);
  const last = Math.min(list.length, after(list, scale.view.end) + 1);
  clipped(frame, () => {
    if ((scale.right - scale.left) / Math.max(last - first, 1) < SINGLES_PX) {
      drawColumns(frame, binned(scale, list, first, last, (read) => read.bytes), row, colours["control-edge"]);
      return;
    }
    context.fillStyle = colours["control-edge"];
    for (const read of list.slice(first, last)) {
      const height = Math.min(row.height - 3, 2.2 + Math.sqrt(read.bytes) / 4);
      context.globalAlpha = opacity(frame, read.at);
      context.fillRect(scale.x(read.at) - 0.6, row.base - height, 1.2, height);
    }
    context.globalAlpha = 1;
  });
}
