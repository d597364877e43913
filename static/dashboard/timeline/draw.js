// Draws in three layers, so that a scrubber costs a frame only the putting together of them: ground,
// marks (pale after the scrubber), and words that nothing may hide.

import { line, words } from "./ink.js";
import { drawLane, drawLaneGround, drawLaneWords, drawReads, drawReadsGround } from "./lanes.js";
import { flagsOf } from "./layout.js";
import { drawLit } from "./lit.js";
import { drawRate } from "./rate.js";
import { momentWords, tenths, ticks, tickWords } from "./scale.js";
import { drawRunningWords, drawStalls, drawStallWords } from "./stalls.js";
import { drawStream, drawStreamGround, drawStreamWords } from "./stream.js";
import { drawSums } from "./sums.js";

/**
 * @import { Lit } from "../pointed.js"
 * @import { Colours } from "./colours.js"
 * @import { Layout } from "./layout.js"
 * @import { Model } from "./model.js"
 * @import { Scale } from "./scale.js"
 * @typedef {{ model: Model, layout: Layout, context: CanvasRenderingContext2D, colours: Colours,
 *   scrub: number | null, lit: Lit | null, scale: Scale }} Frame
 */

const LATER = 0.38;

/** @type {("ground" | "marks" | "top")[]} */
const NAMES = ["ground", "marks", "top"];

/** @type {(canvas: HTMLCanvasElement) => CanvasRenderingContext2D} */
export function contextOf(canvas) {
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser draws on no canvas");
  return context;
}

export class Layers {
  constructor() {
    this.ground = document.createElement("canvas");
    this.marks = document.createElement("canvas");
    this.top = document.createElement("canvas");
  }

  // Everything that stays as it is while the scrubber moves.
  /** @type {(frame: Frame, ratio: number) => void} */
  draw(frame, ratio) {
    const { layout, colours, scale } = frame;
    for (const name of NAMES) {
      const canvas = this[name];
      canvas.width = Math.round(scale.width * ratio);
      canvas.height = Math.round(layout.height * ratio);
      const context = contextOf(canvas);
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.font = `11px ${colours.font}`;
      LAYERS[name]({ ...frame, context });
    }
  }

  // Puts them together for one moment.
  /** @type {(frame: Frame) => void} */
  show(frame) {
    const { context, layout, scale } = frame;
    context.clearRect(0, 0, scale.width, layout.height);
    this.put(frame, this.ground, 0, scale.width);
    const split = splitAt(frame);
    this.put(frame, this.marks, 0, split);
    context.globalAlpha = LATER;
    this.put(frame, this.marks, split, scale.width);
    context.globalAlpha = 1;
    this.put(frame, this.top, 0, scale.width);
    const { model, scrub } = frame;
    if (scrub !== null) drawMoment(frame, scrub, momentWords(model, scrub));
  }

  /** @type {(frame: Frame, canvas: HTMLCanvasElement, from: number, to: number) => void} */
  put({ context, scale, layout }, canvas, from, to) {
    if (to <= from) return;
    const ratio = canvas.width / scale.width;
    context.drawImage(
      canvas,
      from * ratio,
      0,
      (to - from) * ratio,
      canvas.height,
      from,
      0,
      to - from,
      layout.height,
    );
  }
}

// Behind the marks of this moment, before those of the next.
/** @type {(frame: Frame) => number} */
function splitAt({ scrub, scale, model: { player } }) {
  if (scrub === null) return scale.width;
  const x = scale.x(scrub);
  const next =
    player.passed < player.events.length ? scale.x(player.momentOf(player.passed)) : Infinity;
  return Math.min(Math.max(x, Math.min(x + 8, next - 1.5), 0), scale.width);
}

/** @type {Record<"ground" | "marks" | "top", (frame: Frame) => void>} */
const LAYERS = {
  ground(frame) {
    const { layout } = frame;
    drawGrid(frame);
    drawLit(frame);
    if (frame.model.timed) drawStalls(frame);
    for (const row of layout.rows) drawLaneGround(frame, row);
    if (layout.stream) drawStreamGround(frame, layout.stream);
    if (layout.reads) drawReadsGround(frame, layout.reads);
    if (layout.sums) drawSums(frame, layout.sums);
    if (layout.rate) drawRate(frame, layout.rate);
  },
  marks(frame) {
    const { layout } = frame;
    for (const row of layout.rows) drawLane(frame, row);
    if (layout.stream) drawStream(frame, layout.stream);
    if (layout.reads) drawReads(frame, layout.reads);
  },
  top(frame) {
    const { layout } = frame;
    for (const row of layout.rows) drawLaneWords(frame, row);
    if (layout.stream) drawStreamWords(frame, layout.stream);
    if (!frame.model.timed) return;
    drawStallWords(frame);
    if (frame.model.running) drawRunningWords(frame, frame.model.running);
    drawFlags(frame);
    const { grows, end } = frame.model;
    if (grows) drawMoment(frame, end, `now ${tenths(end)}`, frame.layout.lanesEnd);
  },
};

/** @type {(frame: Frame) => void} */
function drawGrid(frame) {
  const { context, layout, scale, colours, model } = frame;
  const { step, found } = ticks(scale, model.timed);
  for (const at of found) {
    const x = Math.round(scale.x(at)) + 0.5;
    line(context, x, layout.axis, x, layout.bottom, colours.rule);
    words(frame, tickWords(at, step, model.timed), x, layout.height - 6, colours["ink-soft"], {
      align: "center",
    });
  }
  line(
    context,
    scale.left,
    layout.axis + 0.5,
    scale.right,
    layout.axis + 0.5,
    colours["rule-strong"],
  );
  if (!model.timed)
    words(frame, "event", scale.left - 8, layout.height - 6, colours["ink-soft"], {
      align: "right",
    });
}

/** @type {(frame: Frame) => void} */
function drawFlags(frame) {
  const { context, layout, scale, colours, model } = frame;
  /** @type {{ row: number, left: number, right: number }[]} */
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
    while (
      placed.some((each) => each.row === row && left < each.right + 6 && left + width > each.left)
    )
      row++;
    row = Math.min(row, Math.max(layout.flagRows - 1, 0));
    placed.push({ row, left, right: left + width });
    const y = 11 + row * 15;
    line(
      context,
      Math.round(x) + 0.5,
      y + 3,
      Math.round(x) + 0.5,
      layout.lanesEnd,
      colours["ink-faint"],
      1,
      [1, 3],
    );
    words(frame, flag.name, left, y, flag.kind ? colours[`${flag.kind}-ink`] : colours.ink, {
      strong: true,
      halo: true,
    });
    words(frame, value, left + name + 4, y, colours["ink-soft"], { halo: true });
  }
}

// A line through everything, with its time in a box on the axis.
/** @type {(frame: Frame, at: number, text: string, bottom?: number) => void} */
function drawMoment(frame, at, text, bottom = frame.layout.bottom) {
  const { context, layout, scale, colours } = frame;
  if (!scale.seen(at)) return;
  const x = scale.x(at);
  line(context, x, layout.axis - 8, x, bottom, colours.ink, 1.5);
  context.font = `600 11px ${colours.font}`;
  const width = context.measureText(text).width + 12;
  const left = Math.min(Math.max(x - width / 2, 0), scale.width - width);
  context.fillStyle = colours.ink;
  context.beginPath();
  context.roundRect(left, layout.axis - 14, width, 17, 2);
  context.fill();
  words(frame, text, left + width / 2, layout.axis - 2, colours.paper, {
    align: "center",
    strong: true,
  });
}
