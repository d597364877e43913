// The stylesheet's colours as the canvas needs them: resolved for the scheme that is in force.

/**
 * @import { LaneKind } from "../tape.js"
 * @typedef {Record<string, string> & { mark: (kind: LaneKind) => string,
 *   word: (kind: LaneKind) => string, font: string }} Colours
 */

const NAMES = [
  "paper",
  "ink",
  "ink-soft",
  "ink-faint",
  "rule",
  "rule-strong",
  "control-edge",
  "reasoning-ink",
  "reasoning-mark",
  "content-ink",
  "content-mark",
  "tool-ink",
  "tool-mark",
  "usage-ink",
  "usage-mark",
  "error-ink",
  "error-mark",
  "warning-ink",
  "warning-mark",
  "good-ink",
  "good-mark",
  "lit",
  "lit-edge",
  "lit-column",
];

const KINDS = {
  reasoning: "reasoning",
  content: "content",
  text: "content",
  refusal: "error",
  "tool-call": "tool",
  "function-call": "tool",
  hosted: "tool",
};

// Under forced colours every colour would come back as the colour of text, the paper's too.
const FORCED = matchMedia("(forced-colors: active)");
/** @type {Record<string, string>} */
const FORCED_NAMES = {
  paper: "Canvas",
  lit: "Canvas",
  "lit-column": "Canvas",
  "lit-edge": "Highlight",
  rule: "GrayText",
  "rule-strong": "GrayText",
};

/** @type {(listener: () => void, signal: AbortSignal) => void} */
export function onColoursChange(listener, signal) {
  for (const query of [matchMedia("(prefers-color-scheme: dark)"), FORCED]) {
    query.addEventListener("change", listener, { signal });
  }
  document.addEventListener("theme", listener, { signal });
}

/** @type {(name: string) => string} */
function wordOf(name) {
  return FORCED.matches ? (FORCED_NAMES[name] ?? "CanvasText") : `var(--${name})`;
}

/** @type {(element: Element) => Colours} */
export function coloursOf(element) {
  const { fontFamily: font } = getComputedStyle(element);
  const probe = element.appendChild(document.createElement("i"));
  probe.style.setProperty("forced-color-adjust", "none");
  /** @type {Record<string, string>} */
  const colours = {};
  for (const name of NAMES) {
    probe.style.color = wordOf(name);
    colours[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  /** @type {(kind: LaneKind) => string} */
  const mark = (kind) => colours[`${KINDS[kind]}-mark`];
  /** @type {(kind: LaneKind) => string} */
  const word = (kind) => colours[`${KINDS[kind]}-ink`];
  return Object.assign(colours, { mark, word, font });
}
