// Draws one frame. Order matters: ground, stalls, lines, marks, then what must never be hidden.

import { after } from "./model.js";
import { flagsOf } from "./layout.js";
import { count, momentWords, seconds, tickWords, ticks } from "./scale.js";

const LATER = 0.38;
const SINGLES_PX = 3;
const COLUMN_PX = 2;
const STALL_WORDS_PX = 90;
const STALL_AIR_PX = 60;
const SUM_DASHES = [[], [4, 2], [2, 2]];
const STREAM_WORDS = {
  comment: "comment", error: "error", "end-mark": "end mark", ignored: "ignored", tail: "tail",
  usage: "usage", finish: "finish", role: "role",
};

export function draw(frame) {
  const { context, layout, scale, colours } = frame;
  context.clearRect(0, 0, scale.width, layout.height);
  context.font = `11px ${colours.font}`;
  context.textBaseline = "alphabetic";
  drawGrid(frame);
  if (frame.model.timed) drawStalls(frame);
  layout.rows.forEach((row) => drawLane(frame, row));
  if (layout.stream) drawStream(frame);
  if (layout.reads) drawReads(frame);
  if (layout.sums) drawSums(frame);
  if (frame.model.timed) {
    drawStallWords(frame);
    drawFlags(frame);
  }
  if (frame.scrub !== null) drawScrubber(frame);
}

function line(context, x1, y1, x2, y2, colour, width = 1, dash = []) {
  context.save();
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.setLineDash(dash);
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
  context.restore();
}

// Words with a halo of paper, so that marks behind them do not cut them up.
function words(frame, text, x, y, colour, { align = "left", strong = false, halo = false } = {}) {
  const { context, colours } = frame;
  context.save();
  context.font = `${strong ? "600 " : ""}11px ${colours.font}`;
  context.textAlign = align;
  if (halo) {
    context.lineJoin = "round";
    context.lineWidth = 4;
    context.strokeStyle = colours.paper;
    context.strokeText(text, x, y);
  }
  context.fillStyle = colour;
  context.fillText(text, x, y);
  context.restore();
}

function opacity(frame, at) {
  return frame.scrub !== null && at > frame.scrub ? LATER : 1;
}

// Everything left of the gutter and right of the axis stays clean when zoomed in.
function clipped(frame, paint) {
  const { context, scale, layout } = frame;
  context.save();
  context.beginPath();
  context.rect(scale.left - 6, 0, scale.right - scale.left + 12, layout.height);
  context.clip();
  paint();
  context.restore();
}

function drawGrid(frame) {
  const { context, layout, scale, colours, model } = frame;
  const { step, found } = ticks(scale, model.timed);
  for (const at of found) {
    const x = Math.round(scale.x(at)) + 0.5;
    line(context, x, layout.axis, x, layout.bottom, colours.rule);
    words(frame, tickWords(at, step, model.timed), x, layout.height - 6, colours["ink-soft"], { align: "center" });
  }
  line(context, scale.left, layout.axis + 0.5, scale.right, layout.axis + 0.5, colours["rule-strong"]);
  if (!model.timed) words(frame, "event", scale.left - 8, layout.height - 6, colours["ink-soft"], { align: "right" });
}

function drawStalls(frame) {
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

function drawStallWords(frame) {
  const { layout, scale, colours, model } = frame;
  for (const [start, end, before, next] of model.drawing.stalls) {
    const [x0, x1] = [Math.max(scale.x(start), scale.left), Math.min(scale.x(end), scale.right)];
    const middle = (x0 + x1) / 2;
    const look = { align: "center", strong: true, halo: true };
    if (x1 < scale.left || x0 > scale.right) continue;
    if (x1 - x0 < STALL_WORDS_PX) {
      words(frame, seconds(end - start), middle, layout.axis - 4, colours["warning-ink"], look);
      continue;
    }
    const y = layout.axis + (layout.lanesEnd - layout.axis) / 2;
    words(frame, `stall ${seconds(end - start)}`, middle, y, colours["warning-ink"], look);
    const silent = `no bytes between reads ${before} and ${next}`;
    if (x1 - x0 > frame.context.measureText(silent).width + STALL_AIR_PX) {
      words(frame, silent, middle, y + 16, colours["warning-ink"], { align: "center", halo: true });
    }
  }
}

function fitted(context, text, width) {
  let shown = text;
  while (shown.length > 1 && context.measureText(shown).width > width) shown = shown.slice(0, -2);
  return shown === text ? text : `${shown}…`;
}

function drawLane(frame, row) {
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

// One pass over what is in view: a value for every two pixels.
export function binned(scale, list, first, last, valueOf) {
  const columns = new Float64Array(Math.ceil((scale.right - scale.left) / COLUMN_PX) + 1);
  for (let i = first; i < last; i++) {
    const column = Math.floor((scale.x(list[i].at) - scale.left) / COLUMN_PX);
    if (column >= 0 && column < columns.length) columns[column] += valueOf(list[i]);
  }
  return columns;
}

function drawColumns(frame, columns, row, colour) {
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

function ring(frame, x, y, radius) {
  const { context, colours } = frame;
  context.beginPath();
  context.arc(x, y, radius, 0, Math.PI * 2);
  context.fillStyle = colours.paper;
  context.fill();
  context.strokeStyle = colours["usage-mark"];
  context.stroke();
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

function drawStream(frame) {
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

function drawReads(frame) {
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

function drawSums(frame) {
  const { context, layout, scale, colours, model } = frame;
  const { sums } = layout;
  const most = Math.max(...model.sums.map((sum) => sum.total), 1);
  const y = (total) => sums.base - (sums.height * total) / (most * 1.06);
  words(frame, "characters", scale.left - 8, sums.top + 10, colours["ink-soft"], { align: "right" });
  words(frame, "0", scale.left - 8, sums.base, colours["ink-soft"], { align: "right" });
  line(context, scale.left, sums.base + 0.5, scale.right, sums.base + 0.5, colours["rule-strong"]);
  clipped(frame, () => model.sums.slice(0, 3).forEach((sum, i) => drawSum(frame, sum, y, SUM_DASHES[i])));
  if (!scale.seen(model.end)) return;
  let lowest = -Infinity;
  for (const sum of [...model.sums.slice(0, 3)].sort((a, b) => b.total - a.total)) {
    const at = Math.max(y(sum.total) - 5, lowest + 14);
    lowest = at;
    const text = scale.narrow ? count(sum.total) : `choice ${sum.choice}: ${count(sum.total)}`;
    words(frame, text, scale.width, at, colours["ink-soft"], { align: "right", halo: true });
  }
}

function drawSum(frame, sum, y, dash) {
  const { context, scale, colours } = frame;
  const first = Math.max(0, after(sum.steps, scale.view.start) - 1);
  let total = first ? sum.steps[first - 1].total : 0;
  let lastX = -Infinity;
  context.save();
  context.strokeStyle = colours["ink-soft"];
  context.lineWidth = 1.5;
  context.setLineDash(dash);
  context.beginPath();
  context.moveTo(scale.left, y(total));
  for (let i = first; i < sum.steps.length; i++) {
    const x = scale.x(sum.steps[i].at);
    // Steps closer than half a pixel are one step.
    if (x - lastX > 0.5) {
      context.lineTo(x, y(total));
      lastX = x;
    }
    total = sum.steps[i].total;
    context.lineTo(Math.max(x, lastX), y(total));
    if (x > scale.right) break;
  }
  context.lineTo(Math.min(scale.right, scale.x(frame.model.end)), y(total));
  context.stroke();
  context.restore();
}

function drawFlags(frame) {
  const { context, layout, scale, colours, model } = frame;
  const placed = [];
  for (const flag of flagsOf(model)) {
    if (!scale.seen(flag.at)) continue;
    const x = scale.x(flag.at);
    const value = (flag.at / 1e6).toFixed(3);
    context.font = `600 11px ${colours.font}`;
    const name = context.measureText(flag.name).width;
    context.font = `11px ${colours.font}`;
    const width = name + 4 + context.measureText(value).width;
    const flips = x + width > scale.width;
    const left = flips ? x - width : x;
    let row = 0;
    while (placed.some((each) => each.row === row && left < each.right + 6 && left + width > each.left)) row++;
    row = Math.min(row, Math.max(layout.flagRows - 1, 0));
    placed.push({ row, left, right: left + width });
    const y = 11 + row * 15;
    line(context, Math.round(x) + 0.5, y + 3, Math.round(x) + 0.5, layout.lanesEnd, colours["ink-faint"], 1, [1, 3]);
    words(frame, flag.name, left, y, flag.kind ? colours[`${flag.kind}-ink`] : colours.ink, { strong: true, halo: true });
    words(frame, value, left + name + 4, y, colours["ink-soft"], { halo: true });
  }
}

function drawScrubber(frame) {
  const { context, layout, scale, colours, model } = frame;
  if (!scale.seen(frame.scrub)) return;
  const x = scale.x(frame.scrub);
  line(context, x, layout.axis - 8, x, layout.bottom, colours.ink, 1.5);
  const text = momentWords(model, frame.scrub);
  context.font = `600 11px ${colours.font}`;
  const width = context.measureText(text).width + 12;
  const left = Math.min(Math.max(x - width / 2, 0), scale.width - width);
  context.fillStyle = colours.ink;
  context.beginPath();
  context.roundRect(left, layout.axis - 14, width, 17, 2);
  context.fill();
  words(frame, text, left + width / 2, layout.axis - 2, colours.paper, { align: "center", strong: true });
}
