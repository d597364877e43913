// Draws one frame. Order matters: ground, stalls, lines, marks, then what must never be hidden.

import { line, words } from "./ink.js";
import { drawLane, drawReads } from "./lanes.js";
import { flagsOf } from "./layout.js";
import { momentWords, tickWords, ticks } from "./scale.js";
import { drawStallWords, drawStalls } from "./stalls.js";
import { drawStream } from "./stream.js";
import { drawSums } from "./sums.js";

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
