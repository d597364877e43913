// Provenance: characters that are selected in any text of a lane, traced to their events, reads, times
// and bytes and lit wherever they show; and an event that is pointed at, with its characters lit.
//
// A text is an element with data-lane and data-start (its first character in the lane). On the document,
// "lit" tells {events: [[first, last], …], lane, start, end} or null; "pointed" asks for the characters
// of {event} (null: of none), "pinned" of it until another is.

import { arriveAt } from "../arrival.js";
import { all, around, byId, find, unfold, within } from "../elements.js";
import { onKey } from "../keys.js";
import { drawingAt } from "../tape.js";
import { bytesOf, lightRows } from "./bytes.js";
import { extentOf, rangesOf, TRACED, textWith, unitsOf, wordsOf } from "./characters.js";
import { Chunks } from "./chunks.js";
import { clearEdges, drawEdges, light } from "./lights.js";
import * as strip from "./strip.js";

/**
 * @typedef {{ lane: number, start: number, end: number }} Extent
 * @import { Trace } from "./strip.js"
 * @import { Lit } from "../pointed.js"
 * @typedef {{ trouble: string }} Trouble
 */

const SETTLED_MS = 150;
const MAX_WORDS = 200;
const PERMALINK = /^#text-(\d+)-(\d+)-(\d+)$/;

const box = byId("trace", HTMLElement);

/** @type {Extent | null} */
let standing = null;
/** @type {Trace | null} */
let trace = null;
/** @type {Chunks | null} */
let chunks = null;
/** @type {number | null} */
let pinned = null;
let due = 0;

/** @type {(one: Extent, other: Extent | null) => boolean} */
const same = (one, other) =>
  one.lane === other?.lane && one.start === other.start && one.end === other.end;
/** @type {(lane: number) => HTMLElement[]} */
const texts = (lane) => all(document, `${TRACED}[data-lane="${lane}"]`, HTMLElement);

// -- what is known ------------------------------------------------------------------------------------

async function chunksOfPage() {
  if (!box.dataset.timeline) return null;
  chunks ??= new Chunks((await drawingAt(box.dataset.timeline)).tape);
  return chunks;
}

/** @type {(extent: Extent) => Promise<Trace | Trouble>} */
async function ask({ lane, start, end }) {
  const answer = await fetch(`${box.dataset.trace}?lane=${lane}&start=${start}&end=${end}`);
  if (answer.ok) return answer.json();
  return { trouble: `The trace could not be loaded: the server answered ${answer.status}.` };
}

// -- light ----------------------------------------------------------------------------------------------

/** @type {(lane: number, start: number, end: number) => Range[]} */
function rangesEverywhere(lane, start, end) {
  return texts(lane).flatMap((element) => rangesOf(element, start, end));
}

// Each chunk apart: hairlines where the next begins, and of a chunk that is selected in part the rest.
/** @type {(chunks: Chunks, extent: Extent) => void} */
function lightChunks(known, { lane, start, end }) {
  const columns = known.of(lane);
  const [first, behind] = known.within(lane, start, end);
  if (behind <= first) return;
  const before = rangesEverywhere(lane, columns.start[first], start);
  light("trace-rest", [...before, ...rangesEverywhere(lane, end, columns.end[behind - 1])]);
  const starts = columns.start.slice(first + 1, Math.min(behind, first + 301));
  for (const element of texts(lane)) {
    const ranges = starts.flatMap((at) => rangesOf(element, at, at + 1).slice(0, 1));
    if (ranges.length) drawEdges(element, ranges);
  }
}

function lightTexts() {
  clearEdges();
  light("trace-rest", []);
  light("traced", standing ? rangesEverywhere(standing.lane, standing.start, standing.end) : []);
  if (standing && chunks) lightChunks(chunks, standing);
}

function lightBytes() {
  const pieces = standing && trace ? trace.pieces : [];
  const bytes = pieces.flatMap((piece) => piece.bytes);
  const isOf = standing && chunks && trace?.omitted ? rowsOf(chunks, standing) : undefined;
  light("traced-bytes", lightRows(bytes, isOf));
}

// Whether an event of a selection stands in a row.
/** @type {(known: Chunks, extent: Extent) => (first: number, end: number) => boolean} */
function rowsOf(known, { lane, start, end }) {
  const runs = known.runs(lane, start, end);
  return (first, behind) => {
    const [from, to] = [known.eventAt(first), known.eventAt(behind - 1)];
    return from !== null && runs.some((run) => run[0] <= (to ?? from) && from <= run[1]);
  };
}

function tellTimeline() {
  const detail = standing && chunks ? litOf(chunks, standing) : null;
  document.dispatchEvent(new CustomEvent("lit", { detail }));
}

/** @type {(known: Chunks, extent: Extent) => Lit} */
function litOf(known, { lane, start, end }) {
  return { events: known.runs(lane, start, end), lane, start, end };
}

// -- the standing selection ------------------------------------------------------------------------------

/** @type {(extent: Extent) => string} */
function quoted({ lane, start, end }) {
  const element = textWith(lane, start, end);
  return element ? wordsOf(rangesOf(element, start, end), MAX_WORDS) : "";
}

/** @type {(wanted: Extent) => void} */
function stand(wanted) {
  if (same(wanted, standing)) return;
  standing = wanted;
  trace = null;
  lightTexts();
  strip.begin(quoted(wanted));
  clearTimeout(due);
  due = setTimeout(() => settle(wanted), SETTLED_MS);
}

/** @type {(extent: Extent) => Promise<void>} */
async function settle(extent) {
  history.replaceState(history.state, "", `#text-${extent.lane}-${extent.start}-${extent.end}`);
  const [answer] = await Promise.all([ask(extent), chunksOfPage().catch(() => null)]);
  if (same(extent, standing)) show(extent, answer);
}

/** @type {(extent: Extent, answer: Trace | Trouble) => void} */
function show(extent, answer) {
  if ("trouble" in answer) {
    strip.refuse(answer.trouble);
    return;
  }
  trace = answer;
  strip.tell(quoted(extent), answer);
  lightTexts();
  lightBytes();
  followBytes(answer);
  tellTimeline();
}

function clear() {
  if (!standing && box.hidden) return false;
  clearTimeout(due);
  standing = trace = null;
  strip.hide();
  lightTexts();
  lightBytes();
  tellTimeline();
  document.getSelection()?.removeAllRanges();
  if (PERMALINK.test(location.hash))
    history.replaceState(history.state, "", location.pathname + location.search);
  return true;
}

// -- selecting ---------------------------------------------------------------------------------------------

/** @type {(node: Node | null) => Element | null} */
const elementOf = (node) => (node instanceof Element ? node : (node?.parentElement ?? null));

function selected() {
  const selection = document.getSelection();
  if (!selection?.rangeCount) return;
  const anchor = elementOf(selection.anchorNode);
  const element = around(anchor, TRACED, HTMLElement);
  if (selection.isCollapsed) {
    if (element && standing) clear();
    return;
  }
  if (!element) {
    sayUntraced(around(anchor, "[data-untraced]", HTMLElement));
    return;
  }
  const [start, end] = unitsOf(element, selection.getRangeAt(0));
  if (start < end) stand({ lane: Number(element.dataset.lane), start, end });
}

// Offsets in a text that is shown in another way are not those of the lane: nothing is lit.
/** @type {(element: HTMLElement | null) => void} */
function sayUntraced(element) {
  if (!element) return;
  if (standing) clear();
  const panel = element.closest(".panel") ?? document;
  const link = document.createElement("a");
  for (const { name, value } of within(panel, "header nav a[hx-get]", Element).attributes)
    link.setAttribute(name, value);
  link.textContent = "Show as text";
  strip.refuse(
    `Characters are traced where they are shown as text: the ${element.dataset.untraced} view has others.`,
    link,
  );
  htmx.process(link);
}

/** @type {(element: HTMLElement, start: number, end: number) => void} */
function select(element, start, end) {
  const ranges = rangesOf(element, start, end);
  unfold(element);
  for (const range of ranges) {
    const inside = elementOf(range.startContainer)?.closest("details");
    if (inside) inside.open = true;
  }
  const [first, last] = [ranges.at(0), ranges.at(-1)];
  if (!first || !last) return;
  const { startContainer, startOffset } = first;
  const selection = document.getSelection();
  selection?.setBaseAndExtent(startContainer, startOffset, last.endContainer, last.endOffset);
}

document.addEventListener("selectionchange", () => selected());

// -- by keys ------------------------------------------------------------------------------------------------

/** @type {Record<string, string>} */
const DIRECTIONS = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "backward",
  ArrowDown: "forward",
  Home: "backward",
  End: "forward",
};

/** @type {(event: KeyboardEvent) => string} */
function unitOf(event) {
  if (event.key === "Home" || event.key === "End") return "lineboundary";
  if (event.key === "ArrowUp" || event.key === "ArrowDown") return "line";
  return event.ctrlKey || event.altKey ? "word" : "character";
}

/** @type {(element: HTMLElement, event: KeyboardEvent) => void} */
function extend(element, event) {
  const selection = document.getSelection();
  if (!selection) return;
  if (!element.contains(selection.anchorNode)) {
    const [first] = extentOf(element);
    const [range] = rangesOf(element, first, first + 1);
    selection.collapse(range.startContainer, range.startOffset);
  }
  selection.modify("extend", DIRECTIONS[event.key], unitOf(event));
}

/** @type {(element: HTMLElement, step: number) => Promise<void>} */
async function stepChunk(element, step) {
  const known = await chunksOfPage();
  if (!known) return;
  const lane = Number(element.dataset.lane);
  const [first, last] = extentOf(element);
  const edge = step > 0 ? first : last;
  const [from, to] = standing?.lane === lane ? [standing.start, standing.end] : [edge, edge];
  const chunk =
    from === to && step > 0 ? chunkAt(known, lane, first) : known.beside(lane, from, to, step);
  if (!chunk) return;
  const [start, end] = [Math.max(chunk[0], first), Math.min(chunk[1], last)];
  if (start < end && rangesOf(element, start, end).length) select(element, start, end);
}

/** @type {(known: Chunks, lane: number, at: number) => [start: number, end: number] | null} */
function chunkAt(known, lane, at) {
  const { start, end } = known.of(lane);
  const [first] = known.within(lane, at, at + 1);
  return first in start ? [start[first], end[first]] : null;
}

document.addEventListener(
  "keydown",
  (event) => {
    const element = event.target;
    if (!(element instanceof HTMLElement) || !element.matches(TRACED)) return;
    if (!(event.key in DIRECTIONS) || event.metaKey) return;
    const isStep =
      !event.shiftKey && !event.ctrlKey && !event.altKey && event.key.startsWith("Arrow");
    if (event.shiftKey) extend(element, event);
    else if (isStep && (event.key === "ArrowLeft" || event.key === "ArrowRight"))
      stepChunk(element, event.key === "ArrowRight" ? 1 : -1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  },
  true,
);

// -- jumps ---------------------------------------------------------------------------------------------------

function toTimeline() {
  if (!standing) return false;
  const panel = document.getElementById("timeline");
  panel?.scrollIntoView({ block: "start" });
  (panel?.querySelector("canvas") ?? panel)?.focus({ preventScroll: true });
  return true;
}

function toBytes() {
  if (!standing) return false;
  const byte = trace?.bytes?.first;
  if (byte === undefined) document.getElementById("raw")?.scrollIntoView();
  else arriveAt("byte", String(byte));
  return true;
}

/** @type {Record<string, () => boolean>} */
const JUMPS = { timeline: toTimeline, bytes: toBytes, clear };
box.addEventListener("click", (event) => {
  const to = around(event.target, "[data-to]", HTMLElement)?.dataset.to;
  if (!to) return;
  event.preventDefault();
  JUMPS[to]();
});
onKey({ t: toTimeline, b: toBytes, Escape: clear });

// Hexadecimal beside the text shows where the selection begins.
/** @type {(trace: Trace) => void} */
function followBytes({ bytes }) {
  const beside = find(document, "[data-around]", HTMLElement);
  const byte = bytes?.first;
  if (byte === undefined || !beside || getComputedStyle(beside).display === "none") return;
  const shown = all(beside, "tr[data-bytes]", HTMLElement).some((row) => {
    const [first, end] = bytesOf(row);
    return first <= byte && byte < end;
  });
  if (!shown)
    htmx.ajax("GET", `${beside.dataset.around}?byte=${byte}`, {
      source: beside,
      target: beside,
      swap: "innerHTML",
    });
}

// -- pointed at ----------------------------------------------------------------------------------------------

/** @type {(event: number | null) => Promise<void>} */
async function point(event) {
  const known = await chunksOfPage();
  const given = event === null || !known ? [] : known.given(event);
  light(
    "pointed",
    given.flatMap((place) => rangesEverywhere(...place)),
  );
}

document.addEventListener("pointed", ({ detail }) => {
  if (detail.pinned) pinned = detail.event;
  point(detail.event ?? pinned);
});

/** @type {(event: Event) => void} */
function pointFromRow({ target }) {
  const row = around(target, "#raw tr", HTMLElement);
  if (!row) return;
  const event = row.dataset.event === undefined ? null : Number(row.dataset.event);
  document.dispatchEvent(new CustomEvent("pointed", { detail: { event, pinned: false } }));
}

/** @type {(event: PointerEvent | FocusEvent) => void} */
function pointAway({ target, relatedTarget }) {
  const inTable = "#raw table";
  if (!around(target, inTable, Element) || around(relatedTarget, inTable, Element)) return;
  document.dispatchEvent(new CustomEvent("pointed", { detail: { event: null, pinned: false } }));
}

document.addEventListener("pointerover", pointFromRow);
document.addEventListener("focusin", pointFromRow);
document.addEventListener("pointerout", pointAway);
document.addEventListener("focusout", pointAway);

// -- permalink -----------------------------------------------------------------------------------------------

// The panel that shows the characters, in the way that shows them.
/** @type {(display: Trace["display"]) => Promise<void>} */
async function fetchShown({ panel, changes }) {
  const query = new URLSearchParams(location.search);
  for (const [name, word] of Object.entries(changes))
    if (word) query.set(name, word);
    else query.delete(name);
  const search = query.size ? `?${query}` : "";
  const element = byId(panel, HTMLElement);
  await htmx.ajax("GET", `panels/${panel}/${search}`, { target: element, swap: "outerHTML" });
  history.replaceState(history.state, "", location.pathname + search + location.hash);
}

async function restore() {
  const named = location.hash.match(PERMALINK)?.slice(1).map(Number);
  if (!named) return;
  const [lane, start, end] = named;
  const wanted = { lane, start, end };
  if (same(wanted, standing)) return;
  const [answer] = await Promise.all([ask(wanted), chunksOfPage().catch(() => null)]);
  if ("trouble" in answer) {
    strip.refuse(answer.trouble);
    return;
  }
  if (!textWith(lane, start, end)) await fetchShown(answer.display);
  const element = textWith(lane, start, end);
  clearTimeout(due);
  standing = wanted;
  if (element) {
    element.focus({ preventScroll: true });
    select(element, start, end);
    const [first] = rangesOf(element, start, end);
    elementOf(first.startContainer)?.scrollIntoView({ block: "center" });
  }
  show(wanted, answer);
}

window.addEventListener("hashchange", restore);
document.addEventListener("htmx:afterSettle", () => {
  if (!standing) return;
  lightTexts();
  lightBytes();
});
restore();
