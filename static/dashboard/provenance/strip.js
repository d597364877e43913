// The strip at the foot of the window: what is known of the selected characters, in words.

const MOST_QUOTED = 60;
const DECODED = " of what the body decodes to";

const strip = document.getElementById("trace");
const facts = strip.querySelector("ul");
const status = document.getElementById("trace-said");

const count = (number) => number.toLocaleString("en");
const seconds = (us) => (us / 1e6).toLocaleString("en", { minimumFractionDigits: 3, maximumFractionDigits: 3 });

function span(one, { first, last }, mark = "") {
  if (first === last) return `${one} ${mark}${count(first)}`;
  return `${one}s ${mark}${count(first)} to ${mark}${count(last)}`;
}

function eventWords({ events, listed }) {
  if (!events) return "one body, no events";
  if (listed.length > 1) return `events ${listed.map((event) => `#${event}`).join(" ")}`;
  if (listed.length === 1) return `event #${events.first}`;
  return `${count(events.count)} events, #${events.first} to #${events.last}`;
}

function timeWords({ at_us }) {
  if (!at_us) return "no times";
  const [first, last] = at_us.map(seconds);
  return first === last ? `${first} s` : `${first} to ${last} s`;
}

function byteWords({ bytes, is_decoded, pieces }) {
  const untold = pieces.filter((piece) => !piece.bytes.length).length;
  if (!bytes) return "bytes: the event says them in a way that is not followed";
  const words = span("byte", bytes) + (is_decoded ? DECODED : "");
  return untold ? `${words}, not told of ${count(untold)} chunks` : words;
}

function laneWords({ choice, kind, name }) {
  const isCall = kind === "tool-call" || kind === "function-call";
  return `choice ${choice}, ${isCall ? `arguments of ${name}` : name}`;
}

export function wordsOf(trace) {
  const words = [
    laneWords(trace), span("character", trace.characters), eventWords(trace),
    span("read", trace.reads), timeWords(trace), byteWords(trace),
  ];
  if (trace.tokens) words.push(span("token", trace.tokens));
  return words;
}

function item(words, quoted = false) {
  const made = document.createElement("li");
  if (!quoted) made.textContent = words;
  else {
    const quote = document.createElement("q");
    const said = words.trim();
    quote.textContent = said.length > MOST_QUOTED ? `${said.slice(0, MOST_QUOTED)} …` : said;
    made.append("Selected ", quote);
  }
  return made;
}

// What is selected, before anything else is known of it.
export function begin(quoted) {
  facts.replaceChildren(item(quoted, true));
  strip.classList.remove("trouble");
  strip.hidden = false;
}

export function tell(quoted, trace) {
  const words = wordsOf(trace);
  facts.replaceChildren(...(quoted ? [item(quoted, true)] : []), ...words.map((each) => item(each)));
  strip.classList.remove("trouble");
  strip.hidden = false;
  status.textContent = words.join(", ");
}

// A sentence in place of facts; with a link where something can be done.
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
