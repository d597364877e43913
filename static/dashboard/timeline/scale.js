// The axis: which part of it is in view, and how it is written.

const GUTTER = 132;
const NARROW_GUTTER = 84;
const MARGIN = 46;
const NARROW_MARGIN = 42;
const NARROW = 620;
const AIR = 1.04;
const LEAST_EVENTS = 8;
const LEAST_US = 2_000;

export function scaleOf(model, width, view) {
  const narrow = width < NARROW;
  const left = narrow ? NARROW_GUTTER : GUTTER;
  const right = width - (narrow ? NARROW_MARGIN : MARGIN);
  const span = view.end - view.start;
  return {
    narrow, left, right, width, view,
    x: (at) => left + ((right - left) * (at - view.start)) / span,
    at: (x) => view.start + (span * (x - left)) / (right - left),
    seen: (at) => at >= view.start && at <= view.end,
  };
}

export function wholeView(model) {
  return { start: 0, end: model.end * AIR };
}

export function zoomed(model, view, factor, centre) {
  const whole = wholeView(model);
  const least = model.timed ? LEAST_US : LEAST_EVENTS;
  const span = Math.min(Math.max((view.end - view.start) * factor, least), whole.end);
  const share = (centre - view.start) / (view.end - view.start);
  return moved(model, { start: centre - span * share, end: centre + span * (1 - share) });
}

// A view that stays inside the axis.
export function moved(model, view) {
  const whole = wholeView(model);
  const span = Math.min(view.end - view.start, whole.end);
  const start = Math.min(Math.max(view.start, 0), whole.end - span);
  return { start, end: start + span };
}

export function ticks(scale, timed) {
  const { view, left, right, narrow } = scale;
  const wanted = Math.max(2, (right - left) / (narrow ? 50 : 72));
  const step = niceStep((view.end - view.start) / wanted, timed);
  const first = Math.ceil(view.start / step) * step;
  const found = [];
  for (let at = first; at <= view.end; at += step) found.push(at);
  return { step, found };
}

function niceStep(least, timed) {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  const step = [1, 2, 5, 10].map((times) => times * power).find((each) => each >= least);
  return timed ? step : Math.max(1, Math.round(step));
}

export function tickWords(at, step, timed) {
  if (!timed) return String(Math.round(at));
  if (at === 0) return "0";
  const decimals = Math.max(0, Math.min(6, -Math.floor(Math.log10(step / 1e6))));
  return `${(at / 1e6).toFixed(step >= 1e6 ? (step >= 10e6 ? 0 : 1) : decimals)} s`;
}

export function seconds(us) {
  return `${(us / 1e6).toFixed(3)} s`;
}

export function momentWords(model, at) {
  return model.timed ? seconds(at) : `event #${Math.round(at)}`;
}

const COUNT = new Intl.NumberFormat("en-US");

export function count(number) {
  return COUNT.format(number);
}
