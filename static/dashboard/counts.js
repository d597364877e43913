// Counts, facets and strip follow the rows: they are counted again as rows come, but not more often
// than every PAUSE_MS. What was unfolded stays so, and what was focused keeps the focus.

import { all, byId } from "./elements.js";

const PAUSE_MS = 3000;
const PLACES = "#facets, #strip";

let due = 0;
let lastAsked = -PAUSE_MS;
/** @type {Set<string>} */
let unfolded = new Set();
let focused = "";

/** @type {(element: Element) => string} */
const sectionOf = (element) =>
  element.closest("[aria-labelledby]")?.getAttribute("aria-labelledby") ?? "strip";

/** @type {(element: Element) => string} */
const nameOf = (element) => `${sectionOf(element)} ${element.getAttribute("href") ?? "summary"}`;

function ask() {
  due = 0;
  lastAsked = performance.now();
  // Not between a press and its release: a link would be gone before it is clicked.
  const isPressed = document.querySelector(`:is(${PLACES}):active`) !== null;
  if (document.hidden || isPressed) schedule();
  else htmx.trigger(byId("facets", HTMLElement), "recount");
}

function schedule() {
  if (!due) due = setTimeout(ask, lastAsked + PAUSE_MS - performance.now());
}

function remember() {
  const places = all(document, PLACES, HTMLElement);
  const open = places.flatMap((place) => all(place, "details[open]", HTMLElement));
  unfolded = new Set(open.map(sectionOf));
  const active = document.activeElement;
  focused = active?.closest(PLACES) ? nameOf(active) : "";
}

/** @type {(place: Element) => void} */
function restore(place) {
  for (const each of all(place, "details", HTMLDetailsElement)) {
    if (unfolded.has(sectionOf(each))) each.open = true;
  }
  for (const each of place.querySelectorAll("a, summary")) {
    const isFocused = focused && nameOf(each) === focused;
    if (isFocused && (each instanceof HTMLElement || each instanceof SVGElement)) each.focus();
  }
}

document.addEventListener("htmx:oobAfterSwap", ({ detail }) => {
  const { target } = detail;
  if (target.id === "rows" || target.id.startsWith("row-")) schedule();
  if (target.id === "strip") restore(target);
});

// All rows again, after a change to many.
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (detail.target.id === "rows") schedule();
});

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.target.id === "facets") remember();
});

document.addEventListener("htmx:afterSettle", ({ detail }) => {
  if (detail.target.id === "facets") restore(detail.target);
});
