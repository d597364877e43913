// A list while it is open: keys that move through its rows, ages, and rows that come and fill in.

import { refresh } from "./ages.js";
import { onKey, showKeys } from "./keys.js";

const AGES_MS = 5_000;
const TOP_PX = 80;
const HEAD_PX = 120;
const MOST_ROWS = 400;

const rows = document.getElementById("rows");
const links = () => [...rows.querySelectorAll(".row-link")];
const current = () => links().findIndex((link) => link.closest("tr").contains(document.activeElement));

function move(step) {
  const all = links();
  if (!all.length) return;
  const from = current();
  const to = from < 0 ? (step > 0 ? 0 : all.length - 1) : from + step;
  const link = all[Math.min(Math.max(to, 0), all.length - 1)];
  link.focus({ preventScroll: true });
  link.closest("tr").scrollIntoView({ block: "nearest" });
}

onKey({ j: () => move(1), k: () => move(-1), Enter: () => current() >= 0 && false });
showKeys();
setInterval(() => refresh(rows), AGES_MS);

// Whoever reads further down must not have lines move under their eyes.
function isReading() {
  const isBelow = window.scrollY > TOP_PX && rows.getBoundingClientRect().top < HEAD_PX;
  return isBelow || rows.rows.length > MOST_ROWS;
}

document.addEventListener("htmx:configRequest", (event) => {
  if (event.detail.elt.id === "live" && isReading()) event.detail.parameters.hold = "1";
});

// What was received between two looks may be told by both.
document.addEventListener("htmx:oobBeforeSwap", (event) => {
  if (event.detail.target !== rows) return;
  for (const row of event.detail.fragment.querySelectorAll("tr")) {
    if (document.getElementById(row.id)) row.remove();
  }
});

// A row that is replaced by its finished self keeps the focus.
let focused = null;
document.addEventListener("htmx:oobBeforeSwap", (event) => {
  const row = event.detail.target;
  if (row?.matches("tr") && row.contains(document.activeElement)) {
    focused = [row.id, document.activeElement.matches(".row-link") ? ".row-link" : "input"];
  }
});
document.addEventListener("htmx:afterRequest", () => {
  if (focused) document.getElementById(focused[0])?.querySelector(focused[1])?.focus({ preventScroll: true });
  focused = null;
  refresh(rows);
});
