// What is said of a response that is still being recorded. Nothing here knows of a page.

import { count, seconds, shortTime, tenths } from "../timeline/scale.js";

/**
 * @import { Silence } from "../timeline/model.js"
 * @import { GrowingHead } from "./growth.js"
 * @typedef {{ text: string, tone?: string }} Words
 * @typedef {{ value: string, aside: string, isUnknown?: boolean }} Figure
 * @typedef {{ kind: string, name: string, number: number, choice: number, isAlone: boolean }} OpenBlock
 * @typedef {{ head: GrowingHead, open: OpenBlock | null, now: number, running: Silence | null,
 *   longest: number, characters: number, events: number, reads: number }} Moment
 */

const NOT_YET = "not yet";
const CHARACTERS_A_TOKEN = 4;

/** @type {Record<string, string>} */
const WRITING = {
  reasoning: "Writing reasoning",
  text: "Writing text",
  refusal: "Writing a refusal",
  "tool-call": "Writing a tool call",
  image: "Sending an image",
  audio: "Speaking",
};

// Which block is open, as a sentence.
/** @type {(moment: Pick<Moment, "head" | "open" | "events">) => string} */
export function openWords({ head, open, events }) {
  if (!head.byte_length) return "Waiting for the first byte.";
  if (!open) return closedWords(head, events);
  const { kind, name, number } = open;
  const what =
    kind === "hosted" ? `The provider runs ${name}` : (WRITING[kind] ?? "Writing a part");
  const called = kind === "tool-call" && name !== "tool call" ? ` of ${name}` : "";
  return `${what}${called}, block ${number}${open.isAlone ? "" : ` of choice ${open.choice}`}.`;
}

/** @type {(head: GrowingHead, events: number) => string} */
function closedWords(head, events) {
  if (head.finishes.length) return "Finished writing; the stream is still open.";
  if (head.blocks.length) return "Between two blocks.";
  return events ? "Nothing written yet." : "No event yet.";
}

// The sentence behind "In progress.".
/** @type {(moment: Moment) => Words[]} */
export function sentenceOf(moment) {
  const { head, running, longest } = moment;
  /** @type {Words[]} */
  const parts = [{ text: openWords(moment) }];
  if (running) {
    const length = running.end - running.start;
    parts.push({ text: ` Silent for ${tenths(length)}`, tone: "part" });
    parts.push({ text: longest && length > longest ? ", the longest pause so far." : "." });
  }
  if (head.error) parts.push({ text: ` ${head.error}`, tone: "bad" });
  return parts;
}

// The figures of the head by their names; those that are left out only the end can tell.
/** @type {(moment: Moment, requested: string) => Record<string, Figure>} */
export function figuresOf(moment, requested) {
  const { head, now, longest, events, reads } = moment;
  const gap = longest ? `longest gap ${shortTime(longest)}` : reads ? "no gap yet" : "no read yet";
  /** @type {Record<string, Figure>} */
  const figures = {
    tokens: tokensOf(moment),
    first: firstOf(head),
    duration: { value: tenths(now), aside: gap },
    size: head.byte_length
      ? {
          value: size(head.byte_length),
          aside: `${plural(events, "event")}, ${plural(reads, "read")}`,
        }
      : { value: NOT_YET, aside: "no byte yet", isUnknown: true },
  };
  if (head.model !== null)
    figures.model = { value: head.model, aside: requestedWords(head.model, requested) };
  if (head.dialect !== null) figures.dialect = { value: head.dialect, aside: "streamed, by proxy" };
  const reasons = head.finishes.map(({ reason }) => reason);
  if (reasons.length) figures.finish = { value: reasons.slice(0, 6).join(", "), aside: "as sent" };
  return figures;
}

/** @type {(model: string, requested: string) => string} */
function requestedWords(model, requested) {
  if (!requested) return "requested model not known";
  return requested === model ? "as requested" : `requested ${requested}`;
}

/** @type {(head: GrowingHead) => Figure} */
function firstOf(head) {
  const first = head.first_token_us;
  if (first === null) return { value: NOT_YET, aside: "no token yet", isUnknown: true };
  const content = head.first_content_us;
  return {
    value: shortTime(first),
    aside: content === null ? "no content yet" : `content ${shortTime(content)}`,
  };
}

// Until the provider states them, completion tokens are an estimate from characters.
/** @type {(moment: Moment) => Figure} */
function tokensOf({ head, characters }) {
  const { usage } = head;
  const [input, output, total] = ["prompt_tokens", "completion_tokens", "total_tokens"].map(
    (name) => usage[name] ?? null,
  );
  const known = input === null ? "in not yet" : `${count(input)} in`;
  if (total !== null)
    return {
      value: count(total),
      aside: `${known}, ${output === null ? "out not yet" : `${count(output)} out`}`,
    };
  if (!characters) return { value: NOT_YET, aside: known, isUnknown: true };
  const estimate = Math.ceil(characters / CHARACTERS_A_TOKEN);
  const out = `≈ ${count(estimate)} out`;
  if (input === null) return { value: out, aside: known };
  return { value: `≈ ${count(input + estimate)}`, aside: `${known}, ${out}` };
}

/** @type {(bytes: number) => string} */
export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, "kB"] : [bytes / 1e6, "MB"];
  return `${value.toLocaleString("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 })} ${unit}`;
}

/** @type {(number: number, one: string) => string} */
export function plural(number, one) {
  return `${count(number)} ${one}${number === 1 ? "" : "s"}`;
}

// When a block was written, and how much of it there is.
/** @type {(block: { from: number | null, to: number | null, isOpen: boolean, length: number | null }) => string[]} */
export function blockFacts({ from, to, isOpen, length }) {
  const facts = [];
  if (from !== null && to !== null) {
    const start = (from / 1e6).toFixed(3);
    facts.push(isOpen ? `${start} s, open` : `${start} to ${seconds(to)}`);
  }
  if (length !== null) facts.push(`${plural(length, "character")}${isOpen ? " so far" : ""}`);
  return facts;
}
