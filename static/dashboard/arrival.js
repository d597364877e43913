// Arrives at what the address names: a panel, choice, call, finding, event or byte. What does not
// stand on the page yet is fetched to its place first.

import { all, around, find, within } from "./elements.js";

/** @type {Record<string, string>} */
const PANELS = {
  choice: "choices",
  block: "choices",
  call: "tool_calls",
  finding: "findings",
  event: "raw",
  byte: "raw",
};
const NAMED = /^#(choice|block|call|finding|event|byte)-([\w-]+)$/;

// What is fetched for one arrival; a place that cannot be shown ends the search.
const MAX_FETCHES = 3;
let fetches = 0;

/** @type {(name: string, wanted: number) => (row: HTMLElement) => boolean} */
function holding(name, wanted) {
  return (row) => {
    const [first, last] = (row.dataset[name] ?? "").split("-").map(Number);
    return wanted >= first && (name === "bytes" ? wanted < last : wanted <= last);
  };
}

// What stands beside the text is no place of its own: it follows.
/** @type {(selector: string) => HTMLElement[]} */
function rows(selector) {
  const found = all(document, `#raw ${selector}`, HTMLElement);
  return found.filter((row) => !row.closest(".beside"));
}

/** @type {(kind: string, name: string) => HTMLElement | null | undefined} */
function target(kind, name) {
  if (kind !== "byte") return document.getElementById(`${kind}-${name}`);
  return rows("tr[data-bytes]:not(.run)").find(holding("bytes", Number(name)));
}

/** @type {(kind: string, name: string) => HTMLElement | undefined} */
function foldedRun(kind, name) {
  if (kind !== "event" && kind !== "byte") return undefined;
  return rows("tr.run").find(holding(`${kind}s`, Number(name)));
}

/** @type {(element: HTMLElement) => void} */
function mark(element) {
  for (const each of document.querySelectorAll(".arrived")) each.classList.remove("arrived");
  const box = around(element, ".block, .choice", HTMLElement) ?? element;
  box.classList.add("arrived");
  box.tabIndex = -1;
  box.focus({ preventScroll: true });
  const byte = box.querySelector(".lit-byte") ?? box;
  byte.scrollIntoView({ block: element.closest("table") ? "center" : "start" });
  box.dispatchEvent(new Event("arrived", { bubbles: true }));
}

/** @type {(run: HTMLElement, kind: string, name: string) => Promise<void>} */
async function fetchRun(run, kind, name) {
  const address = within(run, "a[hx-get]", HTMLElement).getAttribute("hx-get");
  await htmx.ajax("GET", `${address}&${kind}=${name}`, { target: run, swap: "outerHTML" });
}

// The bytes are shown in another way than as text: the text is fetched, for it holds every place.
/** @type {(panel: HTMLElement, part: string) => Promise<void>} */
async function fetchText(panel, part) {
  await htmx.ajax("GET", part, { target: panel, swap: "outerHTML" });
  const page = `${location.pathname}${part.includes("?") ? part.slice(part.indexOf("?")) : ""}`;
  history.replaceState(history.state, "", page + location.hash);
}

// A line that shows only some of its bytes is fetched again, open around the one that is asked for.
/** @type {(row: HTMLElement, byte: string) => Promise<void>} */
async function unfold(row, byte) {
  const first = row.dataset.bytes?.split("-")[0];
  if (!row.dataset.clipped || byte === first) return;
  // Settled at once: later the classes of the row that it replaces would be put back.
  const swap = "outerHTML settle:0ms";
  await htmx.ajax("GET", `${row.dataset.clipped}&byte=${byte}`, { target: row, swap });
}

/** @type {(kind: string, name: string) => Promise<void>} */
async function arrive(kind, name) {
  const found = target(kind, name);
  if (found && kind === "byte") await unfold(found, name);
  if (found) {
    mark(target(kind, name) ?? found);
    return;
  }
  const panel = document.getElementById(PANELS[kind]);
  const run = foldedRun(kind, name);
  if (!panel || fetches >= MAX_FETCHES) return;
  fetches += 1;
  const text = find(panel, "[data-text-part]", HTMLElement)?.dataset.textPart;
  const later = panel.getAttribute("hx-get");
  if (run) await fetchRun(run, kind, name);
  else if (text) await fetchText(panel, text);
  else if (later !== null) await htmx.ajax("GET", later, { target: panel, swap: "outerHTML" });
  else return;
  await arrive(kind, name);
}

// Shows a place as its address would, and leaves the address alone.
/** @type {(kind: string, name: string) => Promise<void>} */
export async function arriveAt(kind, name) {
  fetches = 0;
  await arrive(kind, name);
}

function begin() {
  const [, kind, name] = location.hash.match(NAMED) ?? [];
  if (kind) arriveAt(kind, name);
}

// A link to the page of a place's bytes leads to the place on this page.
document.addEventListener("click", (event) => {
  const link = around(event.target, "a[href]", HTMLAnchorElement);
  const isPlain =
    event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  if (!link || !isPlain || !NAMED.test(link.hash)) return;
  if (link.pathname !== location.pathname && link.pathname !== `${location.pathname}lines/`) return;
  event.preventDefault();
  if (location.hash === link.hash) begin();
  else location.hash = link.hash;
});

window.addEventListener("hashchange", begin);
begin();
