// Silences: their place behind the lanes, and their words above everything.

import { EVENT_KINDS } from "../player/player.js";
import { COLUMN_PX } from "./columns.js";
import { clipped, line, words } from "./ink.js";
import { between } from "./model.js";
import { shortTime, tenths } from "./scale.js";

/**
 * @import { Stall } from "../tape.js"
 * @import { Frame } from "./draw.js"
 * @import { Look } from "./ink.js"
 * @import { Model, Silence } from "./model.js"
 */

const WORDS_PX = 90;
const LINES_PX = 40;
const AIR_PX = 60;
const RUNNING_PX = 84;
const COMMENT = EVENT_KINDS.indexOf("comment");

/** @type {(frame: Frame) => void} */
export function drawStalls(frame) {
  clipped(frame, () => {
    for (const [start, end] of frame.model.player.stalls)
      drawStall(frame, frame.scale.x(start), frame.scale.x(end));
    const { running } = frame.model;
    if (running) drawRunning(frame, running);
  });
}

// Nobody knows yet where it ends.
/** @type {(frame: Frame, silence: Silence) => void} */
function drawRunning(frame, { start, end }) {
  const { context, layout, scale, colours } = frame;
  const [x0, x1] = [scale.x(start), scale.x(end)];
  hatch(frame, Math.max(x0, scale.left), Math.min(x1, scale.right));
  line(context, x0, layout.axis, x0, layout.lanesEnd, colours["warning-mark"], 1.5);
}

/** @type {(frame: Frame, x0: number, x1: number) => void} */
function drawStall(frame, x0, x1) {
  const { context, layout, scale, colours } = frame;
  if (x1 < scale.left || x0 > scale.right) return;
  // Below 40 px lines and length stand above the axis only.
  const top = x1 - x0 < LINES_PX ? layout.axis - 6 : layout.axis;
  if (x1 - x0 >= COLUMN_PX)
    hatch(frame, Math.max(x0, scale.left - 20), Math.min(x1, scale.right + 20));
  for (const x of [x0, x1])
    line(
      context,
      x,
      top,
      x,
      x1 - x0 < LINES_PX ? layout.axis : layout.lanesEnd,
      colours["warning-mark"],
    );
}

/** @type {(frame: Frame, x0: number, x1: number) => void} */
function hatch({ context, layout, colours }, x0, x1) {
  const height = layout.lanesEnd - layout.axis;
  context.save();
  context.beginPath();
  context.rect(x0, layout.axis, x1 - x0, height);
  context.clip();
  context.globalAlpha = 0.3;
  context.beginPath();
  for (let x = x0 - height; x < x1; x += 8.5) {
    context.moveTo(x, layout.lanesEnd);
    context.lineTo(x + height, layout.axis);
  }
  context.lineWidth = 1;
  context.strokeStyle = colours["warning-mark"];
  context.stroke();
  context.restore();
}

// Inside where there is room, else above the box that says now.
/** @type {(frame: Frame, silence: Silence) => void} */
export function drawRunningWords(frame, { start, end }) {
  const { layout, scale, colours } = frame;
  const [x0, x1] = [Math.max(scale.x(start), scale.left), Math.min(scale.x(end), scale.right)];
  if (x1 < scale.left || x0 > scale.right) return;
  const text = `silent for ${tenths(end - start)}`;
  /** @type {Look} */
  const look = { align: x1 - x0 < RUNNING_PX ? "right" : "center", strong: true, halo: true };
  const isInside = x1 - x0 >= RUNNING_PX;
  const y = isInside ? layout.axis + 22 : layout.axis - 20;
  words(frame, text, isInside ? (x0 + x1) / 2 : scale.width, y, colours["warning-ink"], look);
}

// What is known of a silence: which reads it lay between, and whether comments kept the line open.
/** @type {(model: Pick<Model, "player" | "stream">, stall: Stall) => string} */
export function silenceWords({ player, stream }, [start, end, before, next]) {
  const [first, stop] = between(stream.at, start, end - 1);
  let comments = 0;
  for (let i = first; i < stop; i++)
    if (player.events.kind.values[stream.event.values[i]] === COMMENT) comments++;
  const keepAlives = comments ? `, ${comments} comment${comments === 1 ? "" : "s"} came` : "";
  return `no chunk between reads ${before} and ${next}${keepAlives}`;
}

/** @type {(frame: Frame) => void} */
export function drawStallWords(frame) {
  const { layout, scale, colours, model } = frame;
  let free = -Infinity;
  for (const stall of model.player.stalls) {
    const [start, end] = stall;
    const [x0, x1] = [Math.max(scale.x(start), scale.left), Math.min(scale.x(end), scale.right)];
    const middle = (x0 + x1) / 2;
    /** @type {Look} */
    const look = { align: "center", strong: true, halo: true };
    if (x1 < scale.left || x0 > scale.right) continue;
    if (x1 - x0 < WORDS_PX) {
      // Lengths that would lie over each other: the first is told, the lines and the readout tell all.
      if (middle - 20 < free) continue;
      words(frame, shortTime(end - start), middle, layout.axis - 7, colours["warning-ink"], look);
      free = middle + 24;
      continue;
    }
    const y = layout.axis + (layout.lanesEnd - layout.axis) / 2;
    words(frame, `stall ${shortTime(end - start)}`, middle, y, colours["warning-ink"], look);
    const silent = silenceWords(model, stall);
    if (x1 - x0 > frame.context.measureText(silent).width + AIR_PX) {
      words(frame, silent, middle, y + 16, colours["warning-ink"], { align: "center", halo: true });
    }
  }
}
