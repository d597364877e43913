// The raw panel: hexadecimal follows the place in the text, the tree answers keys and tells where
// its focused value stands. Everything shown here is a link or a form without scripts too.

import { all, around, byId, find, within } from "../elements.js";

// -- forms -----------------------------------------------------------------------------------------

// What a form asks for becomes the page's address, as it would without scripts.
document.addEventListener(
  "submit",
  (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.matches("[data-pushes]")) return;
    const params = new URLSearchParams();
    for (const [name, word] of new FormData(form)) if (word) params.append(name, String(word));
    const action = new URL(form.action);
    form.setAttribute("hx-push-url", `${action.pathname}?${params}${action.hash}`);
  },
  true,
);

// -- beside the text ---------------------------------------------------------------------------------

function follow() {
  const [, kind, number] = location.hash.match(/^#(event|byte)-(\d+)$/) ?? [];
  const beside = find(document, "[data-around]", HTMLElement);
  if (!kind || !beside || getComputedStyle(beside).display === "none") return;
  htmx.ajax("GET", `${beside.dataset.around}?${kind}=${number}`, {
    source: beside,
    target: beside,
    swap: "innerHTML",
  });
}

window.addEventListener("hashchange", follow);
follow();

// -- tree --------------------------------------------------------------------------------------------

const ROWS = "summary, .leaf";

/** @type {(node: Element) => HTMLElement | null} */
function rowOf(node) {
  return find(node, ":scope > details > summary, :scope > .leaf", HTMLElement);
}

/** @type {(row: Element) => boolean} */
function isVisible(row) {
  const inside = row.matches("summary") ? row.parentElement?.parentElement : row;
  return !inside?.closest("details:not([open])");
}

/** @type {(tree: Element) => HTMLElement[]} */
function visibleRows(tree) {
  return all(tree, ".node > .leaf, .node > details > summary", HTMLElement).filter(isVisible);
}

/** @type {(row: HTMLElement, step: number) => HTMLElement | null} */
function beyond(row, step) {
  const tree = row.closest("[data-tree]");
  const rows = tree ? visibleRows(tree) : [];
  return rows[rows.indexOf(row) + step] ?? null;
}

/** @type {(row: HTMLElement) => HTMLElement | null} */
function open(row) {
  const details = row.closest("details");
  if (!row.matches("summary") || !details) return null;
  if (details.open) return beyond(row, 1);
  details.open = true;
  return row;
}

/** @type {(row: HTMLElement) => HTMLElement | null} */
function close(row) {
  const details = row.parentElement;
  if (row.matches("summary") && details instanceof HTMLDetailsElement && details.open) {
    details.open = false;
    return row;
  }
  const outer = row.closest(".node")?.parentElement?.closest(".node");
  return outer ? rowOf(outer) : null;
}

/** @type {Map<string, (row: HTMLElement) => HTMLElement | null>} */
const GO = new Map([
  ["ArrowDown", (row) => beyond(row, 1)],
  ["ArrowUp", (row) => beyond(row, -1)],
  ["ArrowRight", open],
  ["ArrowLeft", close],
]);

document.addEventListener(
  "keydown",
  (event) => {
    const row = around(event.target, `[data-tree] :is(${ROWS})`, HTMLElement);
    if (!row || row !== event.target || event.ctrlKey || event.metaKey || event.altKey) return;
    const go = GO.get(event.key);
    if (!go) return;
    event.preventDefault();
    event.stopPropagation();
    go(row)?.focus();
  },
  true,
);

/** @type {(number: string | undefined) => string} */
function count(number) {
  return Number(number).toLocaleString("en");
}

/** @type {(node: HTMLElement) => void} */
function tell(node) {
  const position = within(document, ".tree-at", Element);
  const { pointer = "", start, end } = node.dataset;
  byId("tree-pointer", Element).textContent = pointer;
  within(position, "[data-when-whole]", Element).textContent = pointer ? "" : "the whole value";
  const bytes = `bytes ${count(start)} to ${count(end)}`;
  within(position, "[data-bytes-words]", Element).textContent = bytes;
  const text = within(position, "[data-in-text]", HTMLAnchorElement);
  text.href = text.href.replace(/byte=\d+.*/, `byte=${start}#byte-${start}`);
  const hex = within(position, "[data-in-hex]", Element);
  for (const name of ["href", "hx-get", "hx-push-url"]) {
    const address = hex.getAttribute(name) ?? "";
    const from = address.replace(/([?&]byte=)\d+/, `$1${start}`);
    hex.setAttribute(name, from.replace(/([?&]until=)\d+/, `$1${end}`));
  }
  htmx.process(hex);
}

/** @type {(event: Event) => void} */
function describePosition(event) {
  const node = around(event.target, "[data-tree] .node", HTMLElement);
  if (node) tell(node);
}

document.addEventListener("focusin", describePosition);
document.addEventListener("click", describePosition);
