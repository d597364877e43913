// Rows that are selected, with the box of each or `x`. They stay so while rows come and fill in.

import { onKey } from "./keys.js";

const rows = document.getElementById("rows");
const form = document.getElementById("selection");
const links = document.getElementById("selected-links");
const compare = document.getElementById("compare-selected");
const said = document.getElementById("selection-said");
const MOST_COMPARED = 4;
const BOX = "input[type=checkbox]";
const selected = new Set();

const boxes = () => [...rows.querySelectorAll(BOX)];

function show() {
  for (const box of boxes()) box.checked = selected.has(box.value);
  form.classList.toggle("some", selected.size > 0 || said.textContent !== "");
  document.getElementById("selected-number").textContent = selected.size;
  if (compare) compare.disabled = selected.size < 2 || selected.size > MOST_COMPARED;
  if (links) showLinks();
}

function showLinks() {
  const shown = boxes().filter((box) => box.checked);
  const addresses = shown.map((box) => box.closest("tr").querySelector(".row-link").href.split("?")[0]);
  links.textContent = addresses.join("\n") + (addresses.length ? "\n" : "");
}

function select(box, on) {
  if (on) selected.add(box.value);
  else selected.delete(box.value);
  said.textContent = "";
  show();
}

function toggle() {
  const box = document.activeElement?.closest("#rows tr")?.querySelector(BOX);
  if (!box) return false;
  select(box, !box.checked);
}

// A box with Shift selects what lies between it and the one before.
let last = null;
rows.addEventListener("click", (event) => {
  const box = event.target;
  if (!box.matches(BOX)) return;
  const all = boxes();
  const [from, to] = [all.findIndex((each) => each.value === last), all.indexOf(box)].sort((a, b) => a - b);
  const between = event.shiftKey && from >= 0 ? all.slice(from, to + 1) : [box];
  for (const each of between) select(each, box.checked);
  last = box.value;
});

onKey({ x: toggle });
document.getElementById("select-none").hidden = false;
document.getElementById("select-none").addEventListener("click", () => {
  selected.clear();
  said.textContent = "";
  show();
});

// What is done once is done: whoever goes on selecting means others.
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.elt !== form || !("once" in form.dataset) || !event.detail.successful) return;
  selected.clear();
  form.reset();
});

// What a browser kept checked over a reload counts.
for (const box of boxes()) if (box.checked) selected.add(box.value);
form.classList.add("scripted");
show();
document.addEventListener("htmx:afterRequest", show);
