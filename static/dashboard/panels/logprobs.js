// The heat map of logprobs: one tab stop, arrow keys go from token to token, and a strip below the
// text tells what is known of the token at hand. The table view holds the same values.

const SVG = "http://www.w3.org/2000/svg";
const details = new WeakMap();

function element(name, words = "", kind = "") {
  const made = document.createElement(name);
  made.textContent = words;
  if (kind) made.className = kind;
  return made;
}

function bar(width) {
  const drawn = document.createElementNS(SVG, "svg");
  const filled = document.createElementNS(SVG, "rect");
  for (const [name, value] of [["width", 100], ["height", 8], ["aria-hidden", "true"]]) drawn.setAttribute(name, value);
  for (const [name, value] of [["width", width], ["height", 8]]) filled.setAttribute(name, value);
  drawn.append(filled);
  return drawn;
}

function fact(label, value) {
  const row = document.createElement("div");
  row.append(element("dt", label), element("dd", value));
  return row;
}

function facts(token) {
  const list = element("dl", "", "token-facts");
  const said = [
    ["probability", token.probability],
    ["logprob", token.logprob],
    ["bytes", token.bytes],
    ["entropy", token.entropy],
  ];
  if (token.shared) said.push(["character", token.shared]);
  if (token.event !== null) said.push(["came in", `event #${token.event}`]);
  list.append(...said.map(([label, value]) => fact(label, value)));
  return list;
}

function alternative([token, probability, logprob, width, isChosen]) {
  const row = document.createElement("li");
  row.append(bar(width), element("code", token), element("span", `${probability}, ${logprob}`));
  if (isChosen) row.append(element("b", "this one"));
  return row;
}

function fill(strip, token) {
  const head = element("p", "", "token-head");
  head.append(element("span", `token ${token.position.toLocaleString("en")}`), element("code", token.token));
  const others = element("ol", "", "alternatives");
  others.append(...token.alternatives.map(alternative));
  strip.replaceChildren(head, facts(token), others);
}

function show(heat, token) {
  const place = [...heat.children].indexOf(token);
  fill(document.getElementById(`strip-${heat.dataset.heat}`), details.get(heat)[place]);
}

function choose(heat, token) {
  const before = heat.querySelector('[tabindex="0"]');
  before?.setAttribute("tabindex", "-1");
  before?.setAttribute("aria-selected", "false");
  token.setAttribute("tabindex", "0");
  token.setAttribute("aria-selected", "true");
  show(heat, token);
}

// The token above or below is the one of the nearest other line whose middle is nearest.
function inNextLine(token, step) {
  const here = token.getBoundingClientRect();
  const middle = (here.left + here.right) / 2;
  let best = null;
  let line = null;
  let next = token;
  while ((next = step < 0 ? next.previousElementSibling : next.nextElementSibling)) {
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

const GO = {
  ArrowLeft: (token) => token.previousElementSibling,
  ArrowRight: (token) => token.nextElementSibling,
  ArrowUp: (token) => inNextLine(token, -1),
  ArrowDown: (token) => inNextLine(token, 1),
  Home: (token) => token.parentElement.firstElementChild,
  End: (token) => token.parentElement.lastElementChild,
};

function enable(heat) {
  if (details.has(heat)) return;
  details.set(heat, JSON.parse(heat.parentElement.querySelector("[data-tokens]").content.textContent));
  heat.setAttribute("role", "listbox");
  heat.setAttribute("aria-orientation", "horizontal");
  for (const token of heat.children) {
    token.setAttribute("role", "option");
    token.setAttribute("aria-selected", "false");
    token.setAttribute("aria-describedby", `strip-${heat.dataset.heat}`);
    token.tabIndex = -1;
  }
  document.getElementById(`strip-${heat.dataset.heat}`).hidden = false;
  heat.firstElementChild.tabIndex = 0;
  heat.querySelector("[data-asked], :target")?.focus();
}

function enableAll() {
  for (const heat of document.querySelectorAll("[data-heat]")) enable(heat);
}

function tokenOf(event) {
  return event.target.closest?.("[data-heat] > span");
}

document.addEventListener("keydown", (event) => {
  const token = tokenOf(event);
  if (!token || event.ctrlKey || event.metaKey || event.altKey || !(event.key in GO)) return;
  event.preventDefault();
  event.stopPropagation();
  GO[event.key](token)?.focus();
}, true);

document.addEventListener("focusin", (event) => {
  const token = tokenOf(event);
  if (token) choose(token.parentElement, token);
});

document.addEventListener("pointerover", (event) => {
  const token = tokenOf(event);
  if (token) show(token.parentElement, token);
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
