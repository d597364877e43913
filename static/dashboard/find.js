// Finds a text in the capture: / opens the bar, Enter and n walk forward, Shift+Enter and N back.
// The server searches; here its hits are walked, and marked where they stand on the page.

import { onKey } from "./keys.js";

const bar = document.getElementById("find");
const input = bar.querySelector("input");
const told = bar.querySelector("output");

let at = -1;
let walkedFrom = null;

const hits = () => [...bar.querySelectorAll("#found a[data-number]")];

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
  document.querySelector(".arrived")?.focus({ preventScroll: true });
  return true;
}

function walk(by) {
  const found = hits();
  if (found.length === 0) return;
  found[at]?.removeAttribute("aria-current");
  at = at < 0 ? (by > 0 ? 0 : found.length - 1) : (at + by + found.length) % found.length;
  const hit = found[at];
  hit.setAttribute("aria-current", "true");
  hit.scrollIntoView({ block: "nearest" });
  walkedFrom = bar.contains(document.activeElement) ? document.activeElement : null;
  told.textContent = `${at + 1} of ${found.length}`;
  hit.click();
}

// Which of the same texts in an element is meant: those before it in the same line come first.
function numberIn(element, hit) {
  const bytes = element.dataset.bytes;
  if (!bytes) return Number(hit.dataset.number);
  const first = Number(bytes.split("-")[0]);
  const byteOf = (link) => Number(new URLSearchParams(link.search).get("byte"));
  return hits().filter((link) => link.search.includes("byte=") && byteOf(link) >= first && byteOf(link) < byteOf(hit)).length;
}

function textNodes(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  return nodes;
}

function rangesOf(element, wanted) {
  const nodes = textNodes(element);
  const text = nodes.map((node) => node.data).join("").toLowerCase();
  const starts = [];
  let length = 0;
  for (const node of nodes) {
    starts.push(length);
    length += node.data.length;
  }
  const place = (offset, isEnd) => {
    let n = starts.length - 1;
    while (n > 0 && (isEnd ? starts[n] >= offset : starts[n] > offset)) n--;
    return [nodes[n], offset - starts[n]];
  };
  const ranges = [];
  for (let from = text.indexOf(wanted); from >= 0; from = text.indexOf(wanted, from + wanted.length)) {
    const range = new Range();
    range.setStart(...place(from, false));
    range.setEnd(...place(from + wanted.length, true));
    ranges.push(range);
  }
  return ranges;
}

function show(range) {
  const element = range.startContainer.parentElement;
  for (let fold = element.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  element.scrollIntoView({ block: "nearest" });
  const place = range.getBoundingClientRect();
  window.scrollBy(0, place.top - window.innerHeight / 3);
}

document.addEventListener("arrived", (event) => {
  const hit = hits()[at];
  // What is arrived at takes the focus; whoever walks on keeps it.
  if (bar.open) walkedFrom?.focus({ preventScroll: true });
  if (!bar.open || !hit || !CSS.highlights) return;
  const ranges = rangesOf(event.target, input.value.toLowerCase());
  const here = ranges[numberIn(event.target, hit)];
  CSS.highlights.set("found", new Highlight(...ranges));
  if (!here) return;
  CSS.highlights.set("found-here", new Highlight(here));
  show(here);
});

bar.addEventListener("submit", (event) => event.preventDefault());
bar.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close();
  else if (event.key === "Enter" && event.target === input) walk(event.shiftKey ? -1 : 1);
  else return;
  event.preventDefault();
});
bar.addEventListener("click", (event) => {
  const button = event.target.closest("[data-walk], [data-close]");
  if (button) "close" in button.dataset ? close() : walk(Number(button.dataset.walk));
  const link = event.target.closest("a[data-number]");
  if (link) at = hits().indexOf(link);
});
bar.addEventListener("htmx:afterSwap", () => {
  at = -1;
  told.textContent = "";
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
