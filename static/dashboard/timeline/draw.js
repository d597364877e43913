// Draws in three layers, so that a scrubber costs a frame only the putting together of them: ground,
// marks (pale after the scrubber), and words that nothing may hide.

import { line, words } from "./ink.js";
import { drawLane, drawLaneGround, drawLaneWords, drawReads, drawReadsGround } from "./lanes.js";
import { flagsOf } from "./layout.js";
import { drawLit } from "./lit.js";
import { drawRate } from "./rate.js";
import { momentWords, tickWords, ticks } from "./scale.js";
import { drawStallWords, drawStalls } from "./stalls.js";
import { drawStream, drawStreamGround, drawStreamWords } from "./stream.js";
import { drawSums } from "./sums.js";

const LATER = 0.38;

export class Layers {
  constructor() {
    this.names = ["ground", "marks", "top"];
    for (const name of this.names) this[name] = document.createElement("canvas");
  }

  // Everything that stays as it is while the scrubber moves.
  draw(frame, ratio) {
    const { layout, colours, scale } = frame;
    for (const name of this.names) {
      const canvas = this[name];
      canvas.width = Math.round(scale.width * ratio);
      canvas.height = Math.round(layout.height * ratio);
      const context = canvas.getContext("2d");
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.font = `11px ${colours.font}`;
      LAYERS[name]({ ...frame, context });
    }
  }

  // Puts them together for one moment.
  show(frame) {
    const { context, layout, scale } = frame;
    context.clearRect(0, 0, scale.width, layout.height);
    this.put(context, this.ground, scale, layout, 0, scale.width);
    const split = splitAt(frame);
    this.put(context, this.marks, scale, layout, 0, split);
    context.globalAlpha = LATER;
    this.put(context, this.marks, scale, layout, split, scale.width);
    context.globalAlpha = 1;
    this.put(context, this.top, scale, layout, 0, scale.width);
    if (frame.scrub !== null) drawScrubber(frame);
  }

  put(context, canvas, scale, layout, from, to) {
    if (to <= from) return;
    const ratio = canvas.width / scale.width;
    context.drawImage(canvas, from * ratio, 0, (to - from) * ratio, canvas.height, from, 0, to - from, layout.height);
  }
}

// Behind the marks of this moment, before those of the next.
function splitAt({ scrub, scale, model: { player } }) {
  if (scrub === null) return scale.width;
  const x = scale.x(scrub);
  const next = player.passed < player.events.length ? scale.x(player.momentOf(player.passed)) : Infinity;
  return Math.min(Math.max(x, Math.min(x + 8, next - 1.5), 0), scale.width);
}

const LAYERS = {
  ground(frame) {
    const { layout } = frame;
    drawGrid(frame);
    drawLit(frame);
    if (frame.model.timed) drawStalls(frame);
    for (const row of layout.rows) drawLaneGround(frame, row);
    if (layout.stream) drawStreamGround(frame);
    if (layout.reads) drawReadsGround(frame);
    if (layout.sums) drawSums(frame);
    if (layout.rate) drawRate(frame);
  },
  marks(frame) {
    const { layout } = frame;
    for (const row of layout.rows) drawLane(frame, row);
    if (layout.stream) drawStream(frame);
    if (layout.reads) drawReads(frame);
  },
  top(frame) {
    const { layout } = frame;
    for (const row of layout.rows) drawLaneWords(frame, row);
    if (layout.stream) drawStreamWords(frame);
    if (!frame.model.timed) return;
    drawStallWords(frame);
    drawFlags(frame);
  },
};

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
