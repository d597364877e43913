// Asks for #live again and again: quickly at first, calmly on a page that nothing happens on,
// not at all in a hidden tab.

const CALM_AFTER_MS = 5 * 60_000;
const CALM = 5;
const LONGEST_MS = 30_000;

let timer = 0;
let failures = 0;
let lastChange = Date.now();

const live = () => document.getElementById("live");

/** @type {(interval: number) => number} */
function wait(interval) {
  // Who follows a list waits for what comes next.
  const isFollowed = document.querySelector("#tail [data-tail]") !== null;
  const calm = Date.now() - lastChange > CALM_AFTER_MS && !isFollowed ? CALM : 1;
  return Math.min(interval * calm * 2 ** failures, LONGEST_MS);
}

function schedule() {
  clearTimeout(timer);
  const place = live();
  if (place && !document.hidden) timer = setTimeout(ask, wait(Number(place.dataset.pollMs)));
}

function ask() {
  const place = live();
  if (place && !document.hidden) htmx.trigger(place, "poll");
}

document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.requestConfig.elt.id !== "live") return;
  failures = event.detail.successful ? 0 : Math.min(failures + 1, 5);
  schedule();
});

document.addEventListener("htmx:oobAfterSwap", (event) => {
  if (event.detail.target?.id !== "status") lastChange = Date.now();
});

document.addEventListener("visibilitychange", () => {
  if (document.hidden) clearTimeout(timer);
  else ask();
});

schedule();
