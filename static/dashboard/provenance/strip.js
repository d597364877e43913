// The strip at the foot of the window: what is known of the selected characters, in words.

import { byId, within } from "../elements.js";

/**
 * What inspector/dashboard/capture/trace/character_trace.py tells; both ends of an extent belong to it, those of bytes in
 * pieces are exclusive.
 *
 * @import { LaneKind } from "../tape.js"
 * @typedef {{ first: number, last: number, count: number }} Extent
 * @typedef {{ event: number, start: number, end: number, bytes: [first: number, end: number][] }} TracedPiece
 * @typedef {{ lane: number, choice: number, kind: LaneKind, name: string, start: number, end: number,
 *   characters: Extent, events: Extent | null, event_numbers: number[], reads: Extent,
 *   at_us: [first: number, last: number] | null, bytes: Extent | null, is_decoded: boolean,
 *   pieces: TracedPiece[], omitted: number, tokens: Extent | null,
 *   display: { panel: string, changes: Record<string, string> } }} Trace
 */

const MAX_QUOTED = 60;
const DECODED = " of what the body decodes to";

const strip = byId("trace", HTMLElement);
const facts = within(strip, "ul", HTMLElement);
const status = byId("trace-status", HTMLElement);

/** @type {(number: number) => string} */
const count = (number) => number.toLocaleString("en");
/** @type {(us: number) => string} */
const seconds = (us) =>
  (us / 1e6).toLocaleString("en", { minimumFractionDigits: 3, maximumFractionDigits: 3 });

/** @type {(one: string, extent: { first: number, last: number }) => string} */
function span(one, { first, last }) {
  if (first === last) return `${one} ${count(first)}`;
  return `${one}s ${count(first)} to ${count(last)}`;
}

/** @type {(trace: Pick<Trace, "events" | "event_numbers">) => string} */
function eventWords({ events, event_numbers: numbers }) {
  if (!events) return "one body, no events";
  if (numbers.length > 1) return `events ${numbers.map((event) => `#${event}`).join(" ")}`;
  if (numbers.length === 1) return `event #${events.first}`;
  return `${count(events.count)} events, #${events.first} to #${events.last}`;
}

/** @type {(trace: Pick<Trace, "at_us">) => string} */
function timeWords({ at_us }) {
  if (!at_us) return "no times";
  const [first, last] = at_us.map(seconds);
  return first === last ? `${first} s` : `${first} to ${last} s`;
}

/** @type {(trace: Pick<Trace, "bytes" | "is_decoded" | "pieces">) => string} */
function byteWords({ bytes, is_decoded, pieces }) {
  const untold = pieces.filter((piece) => !piece.bytes.length).length;
  if (!bytes) return "bytes: the event says them in a way that is not followed";
  const words = span("byte", bytes) + (is_decoded ? DECODED : "");
  return untold ? `${words}, unknown for ${count(untold)} chunks` : words;
}

/** @type {(trace: Pick<Trace, "choice" | "kind" | "name">) => string} */
function laneWords({ choice, kind, name }) {
  const isCall = kind === "tool-call" || kind === "function-call";
  return `choice ${choice}, ${isCall ? `arguments of ${name}` : name}`;
}

/** @type {(trace: Trace) => string[]} */
export function wordsOf(trace) {
  const words = [
    laneWords(trace),
    span("character", trace.characters),
    eventWords(trace),
    span("read", trace.reads),
    timeWords(trace),
    byteWords(trace),
  ];
  if (trace.tokens) words.push(span("token", trace.tokens));
  return words;
}

/** @type {(words: string, quoted?: boolean) => HTMLElement} */
function item(words, quoted = false) {
  const made = document.createElement("li");
  if (!quoted) made.textContent = words;
  else {
    const quote = document.createElement("q");
    const text = words.trim();
    quote.textContent = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)} …` : text;
    made.append("Selected ", quote);
  }
  return made;
}

// What is selected, before anything else is known of it.
/** @type {(quoted: string) => void} */
export function begin(quoted) {
  facts.replaceChildren(item(quoted, true));
  strip.classList.remove("trouble");
  strip.hidden = false;
}

/** @type {(quoted: string, trace: Trace) => void} */
export function tell(quoted, trace) {
  const words = wordsOf(trace);
  facts.replaceChildren(
    ...(quoted ? [item(quoted, true)] : []),
    ...words.map((each) => item(each)),
  );
  strip.classList.remove("trouble");
  strip.hidden = false;
  status.textContent = words.join(", ");
}

// A sentence in place of facts; with a link where something can be done.
/** @type {(sentence: string, link?: Element) => void} */
export function refuse(sentence, link) {
  const made = item(sentence);
  if (link) made.append(" ", link);
  facts.replaceChildren(made);
  strip.classList.add("trouble");
  strip.hidden = false;
  status.textContent = sentence;
}

export function hide() {
  strip.hidden = true;
  facts.replaceChildren();
  status.textContent = "";
}
