// Rows that are selected, with the box of each or `x`, or all of the query. They stay so while rows
// come and fill in.

import { all, around, byId, find, within } from "./elements.js";
import { onKey } from "./keys.js";

const rows = byId("rows", HTMLElement);
const form = byId("selection", HTMLFormElement);
const none = byId("select-none", HTMLElement);
const number = byId("selected-number", HTMLElement);
const status = byId("selection-status", HTMLElement);
const links = document.getElementById("selected-links");
const every = document.getElementById("every");
const why = document.getElementById("compare-why");
const compare = find(document, "#compare-selected", HTMLButtonElement);
// What is done with rows that were picked; all of the query has links of its own.
const ofPicked = all(form, ".of-picked", HTMLButtonElement);
const ofAll = all(form, ".of-all", HTMLElement);
const BOX = "input[type=checkbox]";
/** @type {Set<string>} */
const selected = new Set();

const boxes = () => all(rows, BOX, HTMLInputElement);

// Of all captures of the query; what it says is asked for when something is selected first.
const allBox = () => every && find(every, BOX, HTMLInputElement);
let isCounted = false;

function count() {
  if (!every || isCounted || !selected.size) return;
  isCounted = true;
  htmx.trigger(every, "count");
}

function clear() {
  selected.clear();
  const box = allBox();
  if (box) box.checked = false;
}

function show() {
  count();
  const all = allBox()?.checked ? allBox() : null;
  for (const box of boxes()) {
    box.checked = all !== null || selected.has(box.value);
    // Until something is picked, with `x` or by pointing, the way through the rows is that of links.
    box.tabIndex = selected.size ? 0 : -1;
  }
  form.classList.toggle("some", selected.size > 0 || status.textContent !== "");
  number.textContent = all?.dataset.number ?? String(selected.size);
  const isComparable = selected.size === 2 && !all;
  if (compare) compare.disabled = !isComparable;
  const isFirst = selected.size === 1 && !all;
  if (why) why.textContent = isComparable ? "" : isFirst ? "one more" : "two at a time";
  for (const each of ofPicked) {
    each.disabled = !selected.size || all !== null;
    each.hidden = all !== null;
  }
  for (const each of ofAll) each.hidden = all === null;
  name(number.textContent);
  if (links) links.textContent = addresses().join("");
}

// What the palette calls what can be done with them.
/** @type {(number: string) => void} */
function name(number) {
  for (const each of all(form, "[data-command]", HTMLElement)) {
    const words = each.dataset.command ?? "";
    each.dataset.command = words.replace(/the( [\d,+]+| all)? selected/, `the ${number} selected`);
  }
}

// Of the rows that are selected, a line each.
function addresses() {
  const shown = boxes().filter((box) => box.checked);
  return shown.map((box) => `${linkOf(box).href.split("?")[0]}\n`);
}

/** @type {(box: Element) => HTMLAnchorElement} */
function linkOf(box) {
  return within(box.closest("tr") ?? rows, ".row-link", HTMLAnchorElement);
}

/** @type {(box: HTMLInputElement, on: boolean) => void} */
function select(box, on) {
  const all = allBox();
  // Whoever leaves out one of all goes on with those in sight.
  if (all?.checked) for (const each of boxes()) selected.add(each.value);
  if (all) all.checked = false;
  if (on) selected.add(box.value);
  else selected.delete(box.value);
  status.textContent = "";
  show();
}

function toggle() {
  const row = around(document.activeElement, "#rows tr", Element);
  const box = row && find(row, BOX, HTMLInputElement);
  if (box) select(box, !box.checked);
  return box !== null;
}

// A box with Shift selects what lies between it and the one before.
/** @type {string | null} */
let last = null;
rows.addEventListener("click", (event) => {
  const box = event.target;
  if (!(box instanceof HTMLInputElement) || !box.matches(BOX)) return;
  const shown = boxes();
  const before = shown.findIndex((each) => each.value === last);
  const [from, to] = [before, shown.indexOf(box)].sort((a, b) => a - b);
  const between = event.shiftKey && from >= 0 ? shown.slice(from, to + 1) : [box];
  const on = box.checked;
  for (const each of between) select(each, on);
  last = box.value;
});

onKey({ x: toggle });
none.hidden = false;
none.addEventListener("click", () => {
  clear();
  status.textContent = "";
  show();
});

// What is done once is done: whoever goes on selecting means others.
document.addEventListener("htmx:afterRequest", (event) => {
  const isOfAll = allBox()?.checked;
  if (event.detail.elt !== form || !event.detail.successful) return;
  if (!("once" in form.dataset) && !isOfAll) return;
  clear();
  form.reset();
});
every?.addEventListener("change", show);

// Whoever ticks it before its number has come keeps the tick.
let isTicked = false;
every?.addEventListener("htmx:beforeSwap", () => {
  isTicked = allBox()?.checked ?? false;
});
every?.addEventListener("htmx:afterSwap", () => {
  const box = allBox();
  if (box) box.checked = isTicked;
  show();
});

// What a browser kept checked over a reload counts.
for (const box of boxes()) if (box.checked) selected.add(box.value);
form.classList.add("scripted");
form.parentElement?.classList.add("scripted");
show();
document.addEventListener("htmx:afterRequest", show);
