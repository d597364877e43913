// Provenance: characters that are selected in any text of a lane, traced to their events, reads, times
// and bytes and lit wherever they show; and an event that is pointed at, with its characters lit.
//
// A text is an element with data-lane and data-start (its first character in the lane). On the document,
// "lit" tells {events: [[first, last], …], lane, start, end} or null; "pointed" asks for the characters
// of {event} (null: of none), "pinned" of it until another is.

import { arriveAt } from "./arrival.js";
import { onKey } from "./keys.js";
import { lightRows } from "./provenance/bytes.js";
import { TRACED, extentOf, rangesOf, textWith, unitsOf, wordsOf } from "./provenance/characters.js";
import { Chunks } from "./provenance/chunks.js";
import { clearEdges, drawEdges, light } from "./provenance/lights.js";
import * as strip from "./provenance/strip.js";
import { drawingAt } from "./tape.js";

const SETTLED_MS = 150;
const MOST_WORDS = 200;
const PERMALINK = /^#text-(\d+)-(\d+)-(\d+)$/;

const box = document.getElementById("trace");

let standing = null;
let trace = null;
let chunks = null;
let due = 0;
let pinned = null;

const same = (one, other) => one && other
  && one.lane === other.lane && one.start === other.start && one.end === other.end;
const texts = (lane) => document.querySelectorAll(`${TRACED}[data-lane="${lane}"]`);

// -- what is known ------------------------------------------------------------------------------------

async function chunksOfPage() {
  if (!box.dataset.timeline) return null;
  chunks ??= new Chunks((await drawingAt(box.dataset.timeline)).tape);
  return chunks;
}

async function ask({ lane, start, end }) {
  const answer = await fetch(`${box.dataset.trace}?lane=${lane}&start=${start}&end=${end}`);
  if (answer.ok) return answer.json();
  return { trouble: `The trace could not be fetched: the server answered ${answer.status}.` };
}

// -- light ----------------------------------------------------------------------------------------------

function rangesEverywhere(lane, start, end) {
  return [...texts(lane)].flatMap((element) => rangesOf(element, start, end));
}

// Each chunk apart: hairlines where the next begins, and of a chunk that is selected in part the rest.
function lightChunks({ lane, start, end }) {
  const columns = chunks.of(lane);
  const [first, behind] = chunks.within(lane, start, end);
  if (behind <= first) return;
  const rest = [[columns.start[first], start], [end, columns.end[behind - 1]]];
  light("trace-rest", rest.flatMap(([from, to]) => (from < to ? rangesEverywhere(lane, from, to) : [])));
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
  if (standing && chunks) lightChunks(standing);
}

function lightBytes() {
  const pieces = standing && trace ? trace.pieces : [];
  const runs = standing && chunks && trace?.left_out ? chunks.runs(standing.lane, standing.start, standing.end) : [];
  const isOf = (first, end) => {
    if (!runs.length) return false;
    const [from, to] = [chunks.eventAt(first), chunks.eventAt(end - 1)];
    return from !== null && runs.some((run) => run[0] <= (to ?? from) && from <= run[1]);
  };
  light("traced-bytes", lightRows(pieces.flatMap((piece) => piece.bytes), isOf));
}

function tellTimeline() {
  const { lane, start, end } = standing ?? {};
  const detail = standing && chunks ? { events: chunks.runs(lane, start, end), lane, start, end } : null;
  document.dispatchEvent(new CustomEvent("lit", { detail }));
}

// -- the standing selection ------------------------------------------------------------------------------

function quoted() {
  const element = textWith(standing.lane, standing.start, standing.end);
  return element ? wordsOf(rangesOf(element, standing.start, standing.end), MOST_WORDS) : "";
}

function stand(wanted) {
  if (same(standing, wanted)) return;
  standing = wanted;
  trace = null;
  lightTexts();
  strip.begin(quoted());
  clearTimeout(due);
  due = setTimeout(settle, SETTLED_MS);
}

async function settle() {
  const asked = standing;
  history.replaceState(history.state, "", `#text-${asked.lane}-${asked.start}-${asked.end}`);
  const [answer] = await Promise.all([ask(asked), chunksOfPage().catch(() => null)]);
  if (!same(asked, standing)) return;
  show(answer);
}

function show(answer) {
  if (answer.trouble) {
    strip.refuse(answer.trouble);
    return;
  }
  trace = answer;
  strip.tell(quoted(), trace);
  lightTexts();
  lightBytes();
  followBytes();
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
  document.getSelection().removeAllRanges();
  if (PERMALINK.test(location.hash)) history.replaceState(history.state, "", location.pathname + location.search);
  return true;
}

// -- selecting ---------------------------------------------------------------------------------------------

const elementOf = (node) => (node?.nodeType === Node.ELEMENT_NODE ? node : node?.parentElement);

function selected() {
  const selection = document.getSelection();
  if (!selection.rangeCount) return;
  const anchor = elementOf(selection.anchorNode);
  const element = anchor?.closest(TRACED);
  if (selection.isCollapsed) {
    if (element && standing) clear();
    return;
  }
  if (!element) {
    sayUntraced(anchor?.closest("[data-untraced]"));
    return;
  }
  const [start, end] = unitsOf(element, selection.getRangeAt(0));
  if (start < end) stand({ lane: Number(element.dataset.lane), start, end });
}

// Offsets in a text that is shown in another way are not those of the lane: nothing is lit.
function sayUntraced(element) {
  if (!element) return;
  if (standing) clear();
  const panel = element.closest(".panel");
  const link = panel.querySelector("header nav a[hx-get]").cloneNode(true);
  link.textContent = "Show as text";
  strip.refuse(`Characters are traced where they are shown as text: the ${element.dataset.untraced} view has others.`, link);
  htmx.process(link);
}

function select(element, start, end) {
  const ranges = rangesOf(element, start, end);
  for (let fold = element.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  for (const range of ranges) {
    const inside = elementOf(range.startContainer).closest("details");
    if (inside) inside.open = true;
  }
  const selection = document.getSelection();
  const [first, last] = [ranges[0], ranges.at(-1)];
  selection.setBaseAndExtent(first.startContainer, first.startOffset, last.endContainer, last.endOffset);
}

document.addEventListener("selectionchange", () => selected());

// -- by keys ------------------------------------------------------------------------------------------------

const DIRECTIONS = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "backward", ArrowDown: "forward", Home: "backward", End: "forward" };

function unitOf(event) {
  if (event.key === "Home" || event.key === "End") return "lineboundary";
  if (event.key === "ArrowUp" || event.key === "ArrowDown") return "line";
  return event.ctrlKey || event.altKey ? "word" : "character";
}

function extend(element, event) {
  const selection = document.getSelection();
  if (!element.contains(selection.anchorNode)) {
    const [first] = extentOf(element);
    const [range] = rangesOf(element, first, first + 1);
    selection.collapse(range.startContainer, range.startOffset);
  }
  selection.modify("extend", DIRECTIONS[event.key], unitOf(event));
}

async function stepChunk(element, step) {
  const known = await chunksOfPage();
  if (!known) return;
  const lane = Number(element.dataset.lane);
  const [first, last] = extentOf(element);
  const here = standing?.lane === lane ? [standing.start, standing.end] : step > 0 ? [first, first] : [last, last];
  const chunk = here[0] === here[1] && step > 0 ? around(known, lane, first) : known.beside(lane, ...here, step);
  if (!chunk) return;
  const [start, end] = [Math.max(chunk[0], first), Math.min(chunk[1], last)];
  if (start < end && rangesOf(element, start, end).length) select(element, start, end);
}

function around(known, lane, at) {
  const { start, end } = known.of(lane);
  const [first] = known.within(lane, at, at + 1);
  return first in start ? [start[first], end[first]] : null;
}

document.addEventListener("keydown", (event) => {
  const element = event.target;
  if (!element.matches?.(TRACED) || !(event.key in DIRECTIONS) || event.metaKey) return;
  const isStep = !event.shiftKey && !event.ctrlKey && !event.altKey && event.key.startsWith("Arrow");
  if (event.shiftKey) extend(element, event);
  else if (isStep && (event.key === "ArrowLeft" || event.key === "ArrowRight")) stepChunk(element, event.key === "ArrowRight" ? 1 : -1);
  else return;
  event.preventDefault();
  event.stopPropagation();
}, true);

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

const JUMPS = { timeline: toTimeline, bytes: toBytes, clear };
box.addEventListener("click", (event) => {
  const jump = event.target.closest("[data-to]");
  if (!jump) return;
  event.preventDefault();
  JUMPS[jump.dataset.to]();
});
onKey({ t: toTimeline, b: toBytes, Escape: clear });

// Hexadecimal beside the text shows where the selection begins.
function followBytes() {
  const beside = document.querySelector("[data-around]");
  const byte = trace.bytes?.first;
  if (byte === undefined || !beside || getComputedStyle(beside).display === "none") return;
  const shown = [...beside.querySelectorAll("tr[data-bytes]")].some((row) => {
    const [first, end] = row.dataset.bytes.split("-").map(Number);
    return first <= byte && byte < end;
  });
  if (!shown) htmx.ajax("GET", `${beside.dataset.around}?byte=${byte}`, { source: beside, target: beside, swap: "innerHTML" });
}

// -- pointed at ----------------------------------------------------------------------------------------------

async function point(event) {
  const known = await chunksOfPage();
  const given = event === null || !known ? [] : known.given(event);
  light("pointed", given.flatMap((place) => rangesEverywhere(...place)));
}

document.addEventListener("pointed", ({ detail }) => {
  if (detail.pinned) pinned = detail.event;
  point(detail.event ?? pinned);
});

function pointFromRow({ target }) {
  const row = target.closest?.("#raw tr");
  if (!row) return;
  const event = row.dataset.event === undefined ? null : Number(row.dataset.event);
  document.dispatchEvent(new CustomEvent("pointed", { detail: { event, pinned: false } }));
}

function pointAway({ target, relatedTarget }) {
  if (!target.closest?.("#raw table") || relatedTarget?.closest?.("#raw table")) return;
  document.dispatchEvent(new CustomEvent("pointed", { detail: { event: null, pinned: false } }));
}

document.addEventListener("pointerover", pointFromRow);
document.addEventListener("focusin", pointFromRow);
document.addEventListener("pointerout", pointAway);
document.addEventListener("focusout", pointAway);

// -- permalink -----------------------------------------------------------------------------------------------

// The panel that shows the characters, in the way that shows them.
async function fetchShown({ panel, changes }) {
  const query = new URLSearchParams(location.search);
  for (const [name, word] of Object.entries(changes)) word ? query.set(name, word) : query.delete(name);
  const asked = query.size ? `?${query}` : "";
  const element = document.getElementById(panel);
  await htmx.ajax("GET", `panels/${panel}/${asked}`, { target: element, swap: "outerHTML" });
  history.replaceState(history.state, "", location.pathname + asked + location.hash);
}

async function restore() {
  const named = location.hash.match(PERMALINK)?.slice(1).map(Number);
  if (!named) return;
  const [lane, start, end] = named;
  if (same(standing, { lane, start, end })) return;
  const [answer] = await Promise.all([ask({ lane, start, end }), chunksOfPage().catch(() => null)]);
  if (answer.trouble) {
    strip.refuse(answer.trouble);
    return;
  }
  if (!textWith(lane, start, end)) await fetchShown(answer.shown);
  const element = textWith(lane, start, end);
  clearTimeout(due);
  standing = { lane, start, end };
  if (element) {
    element.focus({ preventScroll: true });
    select(element, start, end);
    elementOf(rangesOf(element, start, end)[0].startContainer).scrollIntoView({ block: "center" });
  }
  show(answer);
}

window.addEventListener("hashchange", restore);
document.addEventListener("htmx:afterSettle", () => {
  if (!standing) return;
  lightTexts();
  lightBytes();
});
restore();
