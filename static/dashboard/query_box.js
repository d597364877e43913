// The box of the query completes the word at the caret: arrows choose, Tab completes, Enter
// searches, with what was chosen, Escape closes. The server knows what there is to offer, and how
// many have it.

import { completed, goesOn, moved } from "./completion.js";
import { all, byId, find, within } from "./elements.js";
import { onKey } from "./keys.js";

const WAIT_MS = 150;

const input = byId("find", HTMLInputElement);
const popup = byId("completion", HTMLElement);
const list = byId("completion-list", HTMLElement);
const box = within(document, ".query-box", HTMLElement);
const marks = within(box, ".query-marks", HTMLElement);

let chosen = -1;
let timer = 0;
let asking = new AbortController();

const options = () => all(list, "[role=option]", HTMLElement);
const isOpen = () => !popup.hidden;

function close() {
  clearTimeout(timer);
  asking.abort();
  popup.hidden = true;
  chosen = -1;
  input.setAttribute("aria-expanded", "false");
  input.removeAttribute("aria-activedescendant");
}

/** @type {(index: number) => void} */
function choose(index) {
  chosen = index;
  for (const [at, option] of options().entries()) {
    option.setAttribute("aria-selected", String(at === index));
    if (at !== index) continue;
    input.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }
}

/** @type {(html: string) => void} */
function show(html) {
  const offered = new DOMParser().parseFromString(html, "text/html");
  list.replaceChildren(...offered.body.childNodes);
  if (options().length === 0) return close();
  popup.hidden = false;
  input.setAttribute("aria-expanded", "true");
  chosen = -1;
  input.removeAttribute("aria-activedescendant");
}

async function ask() {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  const at = input.selectionStart ?? input.value.length;
  const query = new URLSearchParams({ q: input.value, at: String(at) });
  try {
    const answer = await fetch(`${box.dataset.complete}?${query}`, { signal });
    // An answer that came while the box was left, or after another question, is stale.
    if (answer.ok && document.activeElement === input) {
      const html = await answer.text();
      if (!signal.aborted) show(html);
    }
  } catch {
    close();
  }
}

function schedule() {
  clearTimeout(timer);
  timer = setTimeout(ask, WAIT_MS);
}

// Tells whether there is more to offer.
/** @type {(option: HTMLElement) => boolean} */
function take(option) {
  const { text = "", start, end } = option.dataset;
  const taken = { text, start: Number(start), end: Number(end) };
  const result = completed(input.value, taken);
  input.value = result.text;
  input.setSelectionRange(result.caret, result.caret);
  marks.hidden = true;
  close();
  const isMore = goesOn(taken);
  if (isMore) schedule();
  return isMore;
}

// A field alone is no search yet: its values are offered next.
/** @type {(event: KeyboardEvent) => void} */
function enter(event) {
  if (isOpen() && chosen >= 0 && take(options()[chosen])) event.preventDefault();
  else close();
}

/** @type {Record<string, (event: KeyboardEvent) => void>} */
const KEYS = {
  ArrowDown: () => (isOpen() ? choose(moved(chosen, 1, options().length)) : schedule()),
  ArrowUp: () => choose(moved(chosen, -1, options().length)),
  Tab: () => take(options()[Math.max(chosen, 0)]),
  Escape: close,
};

input.addEventListener("keydown", (event) => {
  if (event.key === "Enter") return enter(event);
  // A browser empties a search field by Escape, and a long query would be lost.
  if (event.key === "Escape") event.preventDefault();
  const act = KEYS[event.key];
  const isPlain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey;
  if (!act || !isPlain || !(isOpen() || event.key === "ArrowDown")) return;
  event.preventDefault();
  event.stopPropagation();
  act(event);
});

input.addEventListener("input", () => {
  // What was marked stood in the text before.
  marks.hidden = true;
  if (input.value.trim()) schedule();
  else close();
});

input.addEventListener("scroll", () => {
  marks.scrollLeft = input.scrollLeft;
});
input.addEventListener("blur", close);

popup.addEventListener("mousedown", (event) => {
  // The box keeps the focus.
  event.preventDefault();
  const option = event.target instanceof Element ? event.target.closest("[role=option]") : null;
  if (option instanceof HTMLElement) take(option);
});

onKey({
  "/": () => {
    input.focus();
    input.select();
  },
});

find(document, "#narrow", HTMLFormElement)?.addEventListener("submit", close);
