// Ages on a page that stays open, by the rule of the `age` filter in formats.py.

import { all } from "./elements.js";

/** @type {[limit: number, length: number, unit: string][]} */
const UNITS = [
  [60, 1, "s"],
  [3600, 60, "m"],
  [86400, 3600, "h"],
  [Infinity, 86400, "d"],
];

/** @type {(then: number, now: number) => string} */
export function age(then, now) {
  const past = Math.floor((now - then) / 1000);
  if (past < 2) return "now";
  const [, length, unit] = UNITS.find(([limit]) => past < limit) ?? UNITS[UNITS.length - 1];
  return `${Math.floor(past / length)} ${unit}`;
}

// Of what still runs, in seconds.
/** @type {(root: ParentNode) => void} */
export function refreshElapsed(root) {
  for (const each of all(root, "[data-since]", HTMLElement)) {
    const words = elapsed(Date.parse(each.dataset.since ?? ""), Date.now());
    if (each.textContent !== words) each.textContent = words;
  }
}

/** @type {(then: number, now: number) => string} */
export function elapsed(then, now) {
  return String(Math.max(0, Math.floor((now - then) / 1000)));
}

/** @type {(root: ParentNode) => void} */
export function refresh(root) {
  const now = Date.now();
  for (const time of all(root, ".age time", HTMLTimeElement)) {
    const words = age(Date.parse(time.dateTime), now);
    if (time.textContent !== words) time.textContent = words;
  }
}
