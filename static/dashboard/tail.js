// A list that is followed: new rows come in at the top until somebody pauses or scrolls down; what waits
// is counted, and how many come a minute.

import { Announcer } from "./announcer.js";
import { all, byId, within } from "./elements.js";
import { onKey } from "./keys.js";
import { ArrivalRate } from "./tail/arrival_rate.js";

const MOST_ROWS = 300;
const SECOND_MS = 1_000;
const BUTTONS = "button, a, summary, input";

const bar = byId("tail", HTMLElement);
const more = byId("tail-more", HTMLButtonElement);
const rows = byId("rows", HTMLTableSectionElement);
const announcer = new Announcer(byId("tail-announced", HTMLElement));
const rate = new ArrivalRate(performance.now());

let isPaused = false;
let waiting = 0;

const ask = () => htmx.trigger(byId("live", HTMLElement), "poll");

/** @type {(paused: boolean) => void} */
function pause(paused) {
  isPaused = paused;
  for (const each of all(bar, "[data-tail]", HTMLElement))
    each.setAttribute("aria-pressed", String((each.dataset.tail === "pause") === paused));
  if (paused) return;
  window.scrollTo({ top: 0, behavior: "instant" });
  ask();
}

function tellRate() {
  byId("tail-rate", HTMLElement).textContent = rate.words(performance.now());
}

/** @type {(number: number, isMore: boolean) => void} */
function tellWaiting(number, isMore) {
  more.hidden = number === 0 && !isMore;
  more.textContent = `${number.toLocaleString("en-US")}${isMore ? "+" : ""} more`;
  rate.note(performance.now(), Math.max(0, number - waiting));
  if (number > waiting) announcer.say(`${number} more captures.`);
  waiting = number;
}

// Whoever follows for an hour does not need the rows of an hour; what is selected stays.
function trim() {
  const old = [...rows.rows].slice(MOST_ROWS);
  for (const row of old) if (!row.querySelector(".pick :checked")) row.remove();
}

document.addEventListener("htmx:configRequest", (event) => {
  if (event.detail.elt.id === "live" && isPaused) event.detail.parameters.paused = "1";
});

document.addEventListener("htmx:oobBeforeSwap", ({ detail }) => {
  if (detail.target !== rows) return;
  const came = detail.fragment.querySelectorAll("tr").length;
  // Those that waited were counted when they came.
  rate.note(performance.now(), Math.max(0, came - waiting));
  if (came) announcer.say(`${came} new ${came === 1 ? "capture" : "captures"}.`);
  waiting = 0;
});

document.addEventListener("htmx:oobAfterSwap", ({ detail }) => {
  if (detail.target === rows) trim();
});

document.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (detail.requestConfig.elt.id !== "live" || !detail.successful) return;
  const { dataset } = within(document, "#status .paused", HTMLElement);
  tellWaiting(Number(dataset.number), dataset.more !== undefined);
});

onKey({
  f: () => pause(false),
  " ": ({ target }) => {
    if (target instanceof Element && target.closest(BUTTONS)) return false;
    pause(!isPaused);
  },
});
bar.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest("[data-tail]") : null;
  if (button instanceof HTMLElement) pause(button.dataset.tail === "pause");
});
more.addEventListener("click", () => pause(false));
setInterval(tellRate, SECOND_MS);
within(bar, ".choose", HTMLElement).classList.remove("waits-for-script");
pause(false);
