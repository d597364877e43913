// Finds a text in the capture: / opens the bar, Enter and n walk forward, Shift+Enter and N back.
// The server searches; here its hits are walked, and marked where they stand on the page.

import { all, around, byId, find, unfold, within } from "./elements.js";
import { onKey } from "./keys.js";

const bar = byId("find", HTMLDialogElement);
const input = within(bar, "input", HTMLInputElement);
const counter = within(bar, "output", HTMLOutputElement);

let at = -1;
/** @type {HTMLElement | null} */
let walkedFrom = null;

const hits = () => all(bar, "#found a[data-number]", HTMLAnchorElement);

function open() {
  bar.show();
  input.focus();
  input.select();
}

function unmark() {
  for (const name of ["found", "found-here"]) CSS.highlights?.delete(name);
}

function close() {
  if (!bar.open) return false;
  bar.close();
  unmark();
  find(document, ".arrived", HTMLElement)?.focus({ preventScroll: true });
  return true;
}

/** @type {(by: number) => void} */
function walk(by) {
  const found = hits();
  if (found.length === 0) return;
  found[at]?.removeAttribute("aria-current");
  at = at < 0 ? (by > 0 ? 0 : found.length - 1) : (at + by + found.length) % found.length;
  const hit = found[at];
  hit.setAttribute("aria-current", "true");
  hit.scrollIntoView({ block: "nearest" });
  const { activeElement: active } = document;
  walkedFrom = active instanceof HTMLElement && bar.contains(active) ? active : null;
  counter.textContent = `${at + 1} of ${found.length}`;
  hit.click();
}

/** @type {(by: number) => void} */
function enter(by) {
  // What was found before stays until the answer for an emptied box is here.
  if (input.value) walk(by);
}

// Which of the same texts in an element is meant: those before it in the same line come first.
/** @type {(element: HTMLElement, hit: HTMLAnchorElement) => number} */
function numberIn(element, hit) {
  const bytes = element.dataset.bytes;
  if (!bytes) return Number(hit.dataset.number);
  const first = Number(bytes.split("-")[0]);
  /** @type {(link: HTMLAnchorElement) => number} */
  const byteOf = (link) => Number(new URLSearchParams(link.search).get("byte"));
  return hits().filter(
    (link) => link.search.includes("byte=") && byteOf(link) >= first && byteOf(link) < byteOf(hit),
  ).length;
}

/** @type {(element: Element) => Text[]} */
function textNodes(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) if (walker.currentNode instanceof Text) nodes.push(walker.currentNode);
  return nodes;
}

/** @type {(element: Element, wanted: string) => Range[]} */
function rangesOf(element, wanted) {
  // An empty text stands everywhere: the walk below would not end.
  if (!wanted) return [];
  const nodes = textNodes(element);
  const text = nodes
    .map((node) => node.data)
    .join("")
    .toLowerCase();
  /** @type {number[]} */
  const starts = [];
  let length = 0;
  for (const node of nodes) {
    starts.push(length);
    length += node.data.length;
  }
  /** @type {(offset: number, isEnd: boolean) => [node: Text, offset: number]} */
  const place = (offset, isEnd) => {
    let n = starts.length - 1;
    while (n > 0 && (isEnd ? starts[n] >= offset : starts[n] > offset)) n--;
    return [nodes[n], offset - starts[n]];
  };
  const ranges = [];
  for (
    let from = text.indexOf(wanted);
    from >= 0;
    from = text.indexOf(wanted, from + wanted.length)
  ) {
    const range = new Range();
    range.setStart(...place(from, false));
    range.setEnd(...place(from + wanted.length, true));
    ranges.push(range);
  }
  return ranges;
}

/** @type {(range: Range) => void} */
function show(range) {
  const element = range.startContainer.parentElement;
  if (!element) return;
  unfold(element);
  element.scrollIntoView({ block: "nearest" });
  const place = range.getBoundingClientRect();
  window.scrollBy(0, place.top - window.innerHeight / 3);
}

document.addEventListener("arrived", (event) => {
  const hit = hits()[at];
  const element = event.target;
  // What is arrived at takes the focus; whoever walks on keeps it.
  if (bar.open) walkedFrom?.focus({ preventScroll: true });
  if (!bar.open || !hit || !CSS.highlights || !(element instanceof HTMLElement)) return;
  const ranges = rangesOf(element, input.value.toLowerCase());
  const here = ranges[numberIn(element, hit)];
  CSS.highlights.set("found", new Highlight(...ranges));
  if (!here) return;
  CSS.highlights.set("found-here", new Highlight(here));
  show(here);
});

bar.addEventListener("submit", (event) => event.preventDefault());
bar.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close();
  else if (event.key === "Enter" && event.target === input) enter(event.shiftKey ? -1 : 1);
  else return;
  event.preventDefault();
});
bar.addEventListener("click", (event) => {
  const button = around(event.target, "[data-walk], [data-close]", HTMLElement);
  if (button && "close" in button.dataset) close();
  else if (button) walk(Number(button.dataset.walk));
  const link = around(event.target, "a[data-number]", HTMLAnchorElement);
  if (link) at = hits().indexOf(link);
});
bar.addEventListener("htmx:afterSwap", () => {
  at = -1;
  counter.textContent = "";
  unmark();
});

document.querySelector("[data-find]")?.addEventListener("click", (event) => {
  event.preventDefault();
  open();
});
onKey({
  "/": open,
  n: () => (bar.open ? walk(1) : false),
  N: () => (bar.open ? walk(-1) : false),
  Escape: close,
});

// A link from a list of hits names the text that was found there: it is looked for, and arrived at.
/** @type {(text: string) => Promise<void>} */
async function arriveAtText(text) {
  open();
  input.value = text;
  const form = within(bar, "form", HTMLFormElement);
  const address = `${form.action}?${new URLSearchParams({ q: text })}`;
  await htmx.ajax("GET", address, {
    target: within(bar, "#found", HTMLElement),
    swap: "innerHTML",
  });
  walk(1);
}

const wanted = new URLSearchParams(location.hash.slice(1)).get("find");
if (wanted) arriveAtText(wanted);
