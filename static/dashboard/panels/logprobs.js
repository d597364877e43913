// The heat map of logprobs: one tab stop, arrow keys go from token to token, and a strip below the
// text tells what is known of the token at hand. The table view holds the same values.

import { all, around, byId, find, within } from "../elements.js";

/**
 * What inspector/dashboard/capture/panels/logprobs.py says of each token.
 *
 * @typedef {[token: string, probability: string, logprob: string, width: number,
 *   isChosen: boolean]} Alternative
 * @typedef {{ position: number, token: string, probability: string, logprob: string, bytes: string,
 *   entropy: string, shared: string, event: number | null, alternatives: Alternative[] }} Token
 */

const SVG = "http://www.w3.org/2000/svg";
/** @type {WeakMap<Element, Token[]>} */
const details = new WeakMap();

/**
 * @type {<K extends keyof HTMLElementTagNameMap>(name: K, words?: string, kind?: string) =>
 *   HTMLElementTagNameMap[K]}
 */
function element(name, words = "", kind = "") {
  const made = document.createElement(name);
  made.textContent = words;
  if (kind) made.className = kind;
  return made;
}

/** @type {(width: number) => SVGElement} */
function bar(width) {
  const drawn = document.createElementNS(SVG, "svg");
  const filled = document.createElementNS(SVG, "rect");
  drawn.setAttribute("width", "100");
  drawn.setAttribute("aria-hidden", "true");
  filled.setAttribute("width", String(width));
  for (const each of [drawn, filled]) each.setAttribute("height", "8");
  drawn.append(filled);
  return drawn;
}

/** @type {(label: string, value: string) => HTMLElement} */
function fact(label, value) {
  const row = document.createElement("div");
  row.append(element("dt", label), element("dd", value));
  return row;
}

/** @type {(token: Token) => HTMLElement} */
function facts(token) {
  const list = element("dl", "", "token-facts");
  const pairs = [
    ["probability", token.probability],
    ["logprob", token.logprob],
    ["bytes", token.bytes],
    ["entropy", token.entropy],
  ];
  if (token.shared) pairs.push(["character", token.shared]);
  if (token.event !== null) pairs.push(["came in", `event #${token.event}`]);
  list.append(...pairs.map(([label, value]) => fact(label, value)));
  return list;
}

/** @type {(alternative: Alternative) => HTMLElement} */
function alternative([token, probability, logprob, width, isChosen]) {
  const row = document.createElement("li");
  row.append(bar(width), element("code", token), element("span", `${probability}, ${logprob}`));
  if (isChosen) row.append(element("b", "this one"));
  return row;
}

/** @type {(strip: HTMLElement, token: Token) => void} */
function fill(strip, token) {
  const head = element("p", "", "token-head");
  head.append(
    element("span", `token ${token.position.toLocaleString("en")}`),
    element("code", token.token),
  );
  const others = element("ol", "", "alternatives");
  others.append(...token.alternatives.map(alternative));
  strip.replaceChildren(head, facts(token), others);
}

/** @type {(heat: Element) => HTMLElement[]} */
const tokensOf = (heat) => all(heat, ":scope > *", HTMLElement);

/** @type {(heat: HTMLElement, token: Element) => void} */
function show(heat, token) {
  const place = [...heat.children].indexOf(token);
  const known = details.get(heat)?.[place];
  if (known) fill(byId(`strip-${heat.dataset.heat}`, HTMLElement), known);
}

/** @type {(heat: HTMLElement, token: Element) => void} */
function choose(heat, token) {
  const before = heat.querySelector('[tabindex="0"]');
  before?.setAttribute("tabindex", "-1");
  before?.setAttribute("aria-selected", "false");
  token.setAttribute("tabindex", "0");
  token.setAttribute("aria-selected", "true");
  show(heat, token);
}

// The token above or below is the one of the nearest other line whose middle is nearest.
/** @type {(token: Element, step: number) => Element | undefined} */
function inNextLine(token, step) {
  const here = token.getBoundingClientRect();
  const middle = (here.left + here.right) / 2;
  /** @type {{ away: number, token: Element } | null} */
  let best = null;
  /** @type {DOMRect | null} */
  let line = null;
  const way = step < 0 ? "previousElementSibling" : "nextElementSibling";
  for (let next = token[way]; next; next = next[way]) {
    const there = next.getBoundingClientRect();
    const isBeyond = step < 0 ? there.bottom <= here.top + 2 : there.top >= here.bottom - 2;
    if (!isBeyond) continue;
    line ??= there;
    if (Math.abs(there.top - line.top) > line.height) break;
    const away = Math.abs((there.left + there.right) / 2 - middle);
    if (!best || away < best.away) best = { away, token: next };
  }
  return best?.token;
}

/** @type {Map<string, (token: Element) => Element | null | undefined>} */
const GO = new Map([
  ["ArrowLeft", (token) => token.previousElementSibling],
  ["ArrowRight", (token) => token.nextElementSibling],
  ["ArrowUp", (token) => inNextLine(token, -1)],
  ["ArrowDown", (token) => inNextLine(token, 1)],
  ["Home", (token) => token.parentElement?.firstElementChild],
  ["End", (token) => token.parentElement?.lastElementChild],
]);

/** @type {(heat: HTMLElement) => void} */
function enable(heat) {
  if (details.has(heat)) return;
  const sent = within(heat.parentElement ?? heat, "[data-tokens]", HTMLTemplateElement);
  details.set(heat, JSON.parse(sent.content.textContent));
  heat.setAttribute("role", "listbox");
  heat.setAttribute("aria-orientation", "horizontal");
  for (const token of tokensOf(heat)) {
    token.setAttribute("role", "option");
    token.setAttribute("aria-selected", "false");
    token.setAttribute("aria-describedby", `strip-${heat.dataset.heat}`);
    token.tabIndex = -1;
  }
  byId(`strip-${heat.dataset.heat}`, HTMLElement).hidden = false;
  tokensOf(heat)[0].tabIndex = 0;
  find(heat, "[data-requested], :target", HTMLElement)?.focus();
}

function enableAll() {
  for (const heat of all(document, "[data-heat]", HTMLElement)) enable(heat);
}

/** @type {(event: Event) => HTMLElement | null} */
function tokenOf(event) {
  return around(event.target, "[data-heat] > span", HTMLElement);
}

document.addEventListener(
  "keydown",
  (event) => {
    const token = tokenOf(event);
    const go = GO.get(event.key);
    if (!token || !go || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const next = go(token);
    if (next instanceof HTMLElement) next.focus();
  },
  true,
);

document.addEventListener("focusin", (event) => {
  const token = tokenOf(event);
  if (token?.parentElement) choose(token.parentElement, token);
});

document.addEventListener("pointerover", (event) => {
  const token = tokenOf(event);
  if (token?.parentElement) show(token.parentElement, token);
});

// A link to a token of this window goes to it as a key would.
function followed() {
  const token = document.getElementById(location.hash.slice(1));
  if (token?.matches("[data-heat] > span")) token.focus();
}

window.addEventListener("hashchange", followed);
document.addEventListener("htmx:load", enableAll);
enableAll();
followed();
