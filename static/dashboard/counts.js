// Counts, facets and strip follow the rows: they are counted again a while after rows came, but not
// under the hands of whoever uses them.

import { all, byId } from "./elements.js";

const PAUSE_MS = 3000;
const PLACES = "#facets, #strip";

let due = 0;
/** @type {Set<string>} */
let opened = new Set();

const isInUse = () =>
  document.querySelector(`:is(${PLACES}):is(:hover:active, :focus-within)`) !== null;

/** @type {(details: Element) => string} */
function nameOf(details) {
  return details.closest("[aria-labelledby]")?.getAttribute("aria-labelledby") ?? "strip";
}

/** @type {(place: ParentNode) => HTMLDetailsElement[]} */
const folded = (place) => all(place, "details", HTMLDetailsElement);

function ask() {
  due = 0;
  if (document.hidden || isInUse()) schedule();
  else htmx.trigger(byId("facets", HTMLElement), "recount");
}

function schedule() {
  if (!due) due = setTimeout(ask, PAUSE_MS);
}

// What was unfolded stays so.
/** @type {(place: Element) => void} */
function unfold(place) {
  for (const each of folded(place)) if (opened.has(nameOf(each))) each.open = true;
}

document.addEventListener("htmx:oobAfterSwap", ({ detail }) => {
  const { target } = detail;
  if (target.id === "rows" || target.id.startsWith("row-")) schedule();
  if (target.id === "strip") unfold(target);
});

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.target.id !== "facets") return;
  const places = all(document, PLACES, HTMLElement);
  opened = new Set(
    places
      .flatMap(folded)
      .filter((each) => each.open)
      .map(nameOf),
  );
});

document.addEventListener("htmx:afterSettle", ({ detail }) => {
  if (detail.target.id === "facets") unfold(detail.target);
});
