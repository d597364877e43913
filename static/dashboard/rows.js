// A list while it is open: keys that move through its rows, ages, and rows that come and fill in.

import { refresh, refreshElapsed } from "./ages.js";
import { all, byId, find } from "./elements.js";
import { onKey, showKeys } from "./keys.js";

const AGES_MS = 5_000;
const TOP_PX = 80;
const HEAD_PX = 120;
const MAX_ROWS = 400;
const SECOND_MS = 1_000;

const rows = byId("rows", HTMLTableSectionElement);
const links = () => all(rows, ".row-link", HTMLElement);
const current = () =>
  links().findIndex((link) => link.closest("tr")?.contains(document.activeElement));

/** @type {(step: number) => void} */
function move(step) {
  const found = links();
  if (!found.length) return;
  const from = current();
  const to = from < 0 ? (step > 0 ? 0 : found.length - 1) : from + step;
  const link = found[Math.min(Math.max(to, 0), found.length - 1)];
  link.focus({ preventScroll: true });
  link.closest("tr")?.scrollIntoView({ block: "nearest" });
}

onKey({ j: () => move(1), k: () => move(-1), Enter: () => current() >= 0 && false });
showKeys();
setInterval(() => refresh(rows), AGES_MS);
setInterval(() => refreshElapsed(rows), SECOND_MS);

// Whoever reads further down must not have lines move under their eyes.
function isReading() {
  const isBelow = window.scrollY > TOP_PX && rows.getBoundingClientRect().top < HEAD_PX;
  return isBelow || rows.rows.length > MAX_ROWS;
}

document.addEventListener("htmx:configRequest", (event) => {
  if (event.detail.elt.id === "live" && isReading()) event.detail.parameters.paused = "1";
});

// What was received between two looks may be told by both, and what is gone was perhaps never shown.
document.addEventListener("htmx:oobBeforeSwap", (event) => {
  if (event.detail.target !== rows) return;
  for (const row of event.detail.fragment.querySelectorAll("tr")) {
    const { gone } = row.dataset;
    if (gone) document.getElementById(gone)?.remove();
    if (gone || document.getElementById(row.id)) row.remove();
  }
});

// A call may arrive after others that were made later.
document.addEventListener("htmx:oobAfterSwap", (event) => {
  if (event.detail.target !== rows) return;
  for (const row of all(rows, "tr.new", HTMLElement).reverse()) {
    let next = row.nextElementSibling;
    while (isBefore(row, next)) next = next.nextElementSibling;
    if (next !== row.nextElementSibling) rows.insertBefore(row, next);
  }
});

/** @type {(row: HTMLElement, next: Element | null) => next is HTMLElement} */
function isBefore(row, next) {
  return next instanceof HTMLElement && (next.dataset.place ?? "") > (row.dataset.place ?? "");
}

// A row that is replaced by its finished self keeps the focus.
/** @type {string | null} */
let focused = null;
document.addEventListener("htmx:oobBeforeSwap", (event) => {
  const row = event.detail.target;
  const { activeElement: active } = document;
  if (!active || !row?.matches("tr") || !row.contains(active)) return;
  focused = `#${CSS.escape(row.id)} ${active.matches(".row-link") ? ".row-link" : "input"}`;
});
document.addEventListener("htmx:afterRequest", () => {
  if (focused) find(document, focused, HTMLElement)?.focus({ preventScroll: true });
  focused = null;
  refresh(rows);
});
