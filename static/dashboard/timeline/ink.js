// The few ways in which something is put on the canvas.

/**
 * @import { Frame } from "./draw.js"
 * @typedef {{ align?: CanvasTextAlign, strong?: boolean, halo?: boolean }} Look
 */

/**
 * @type {(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number,
 *   colour: string, width?: number, dash?: number[]) => void}
 */
export function line(context, x1, y1, x2, y2, colour, width = 1, dash = []) {
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
/**
 * @type {(frame: Frame, text: string, x: number, y: number, colour: string, look?: Look) => void}
 */
export function words(
  frame,
  text,
  x,
  y,
  colour,
  { align = "left", strong = false, halo = false } = {},
) {
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

// Everything left of the gutter and right of the axis stays clean when zoomed in.
/** @type {(frame: Frame, paint: () => void) => void} */
export function clipped(frame, paint) {
  const { context, scale, layout } = frame;
  context.save();
  context.beginPath();
  context.rect(scale.left - 6, 0, scale.right - scale.left + 12, layout.height);
  context.clip();
  paint();
  context.restore();
}

/** @type {(frame: Frame, x: number, y: number, radius: number) => void} */
export function ring({ context, colours }, x, y, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, Math.PI * 2);
  context.fillStyle = colours.paper;
  context.fill();
  context.lineWidth = 1;
  context.strokeStyle = colours["usage-mark"];
  context.stroke();
}

/** @type {(context: CanvasRenderingContext2D, text: string, width: number) => string} */
export function fitted(context, text, width) {
  let shown = text.length > 80 ? `${text.slice(0, 79)}…` : text;
  while (shown.length > 2 && context.measureText(shown).width > width)
    shown = `${shown.slice(0, -2)}…`;
  return shown;
}
