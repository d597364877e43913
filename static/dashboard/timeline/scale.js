// The axis: which part of it is in view, and how it is written.

/**
 * @typedef {{ timed: boolean, end: number, grows?: boolean }} Axis
 * @typedef {{ start: number, end: number }} View
 * @typedef {{ narrow: boolean, left: number, right: number, width: number, view: View,
 *   x: (at: number) => number, at: (x: number) => number, seen: (at: number) => boolean }} Scale
 */

const WIDE_GUTTER = 184;
const GUTTER = 132;
const NARROW_GUTTER = 84;
const MARGIN = 46;
const NARROW_MARGIN = 42;
const NARROW = 620;
const WIDE = 900;
const AIR = 1.04;
const MIN_EVENTS = 8;
const MIN_US = 2_000;

/** @type {(width: number, view: View) => Scale} */
export function scaleOf(width, view) {
  const narrow = width < NARROW;
  const left = narrow ? NARROW_GUTTER : width < WIDE ? GUTTER : WIDE_GUTTER;
  const right = width - (narrow ? NARROW_MARGIN : MARGIN);
  const span = view.end - view.start;
  return {
    narrow,
    left,
    right,
    width,
    view,
    x: (at) => left + ((right - left) * (at - view.start)) / span,
    at: (x) => view.start + (span * (x - left)) / (right - left),
    seen: (at) => at >= view.start && at <= view.end,
  };
}

// The right edge of what still grows is now.
/** @type {(axis: Axis) => View} */
export function wholeView(model) {
  return { start: 0, end: model.end * (model.grows ? 1 : AIR) };
}

/** @type {(axis: Axis, view: View, factor: number, centre: number) => View} */
export function zoomed(model, view, factor, centre) {
  const whole = wholeView(model);
  const least = model.timed ? MIN_US : MIN_EVENTS;
  const span = Math.min(Math.max((view.end - view.start) * factor, least), whole.end);
  const share = (centre - view.start) / (view.end - view.start);
  return moved(model, { start: centre - span * share, end: centre + span * (1 - share) });
}

// A view that stays inside the axis.
/** @type {(axis: Axis, view: View) => View} */
export function moved(model, view) {
  const whole = wholeView(model);
  const span = Math.min(view.end - view.start, whole.end);
  const start = Math.min(Math.max(view.start, 0), whole.end - span);
  return { start, end: start + span };
}

/** @type {(scale: Scale, timed: boolean) => { step: number, found: number[] }} */
export function ticks(scale, timed) {
  const { view, left, right, narrow } = scale;
  const wanted = Math.max(2, (right - left) / (narrow ? 50 : 72));
  const step = niceStep((view.end - view.start) / wanted, timed);
  const first = Math.ceil(view.start / step) * step;
  const found = [];
  for (let at = first; at <= view.end; at += step) found.push(at);
  return { step, found };
}

/** @type {(least: number, timed: boolean) => number} */
function niceStep(least, timed) {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  const steps = [1, 2, 5].map((times) => times * power);
  const step = steps.find((each) => each >= least) ?? 10 * power;
  return timed ? step : Math.max(1, Math.round(step));
}

/** @type {(at: number, step: number, timed: boolean) => string} */
export function tickWords(at, step, timed) {
  if (!timed) return String(Math.round(at));
  if (at === 0) return "0";
  const decimals = Math.max(0, Math.min(6, -Math.floor(Math.log10(step / 1e6))));
  return `${(at / 1e6).toFixed(step >= 1e6 ? (step >= 10e6 ? 0 : 1) : decimals)} s`;
}

/** @type {(us: number) => string} */
export function seconds(us) {
  return `${(us / 1e6).toFixed(3)} s`;
}

// A length of time: no thousandths of seconds.
/** @type {(us: number) => string} */
export function shortTime(us) {
  if (us <= 0 || us >= 1e5) return `${(us / 1e6).toFixed(us > 0 ? 2 : 0)} s`;
  return `${(us / 1e3).toFixed(us >= 1e4 ? 0 : 1)} ms`;
}

// Of what counts up: more digits would only flicker.
/** @type {(us: number) => string} */
export function tenths(us) {
  return `${(Math.floor(us / 1e5) / 10).toFixed(1)} s`;
}

/** @type {(axis: { timed: boolean }, at: number) => string} */
export function momentWords(model, at) {
  return model.timed ? seconds(at) : `event #${Math.round(at)}`;
}

const COUNT = new Intl.NumberFormat("en-US");

/** @type {(number: number) => string} */
export function count(number) {
  return COUNT.format(number);
}
