// A call as a row, with the time of each read.

import { element } from "./elements.js";
import { clock, counted, grouped, seconds, standing } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const DRAWN_WIDTH = 128;
const DRAWN_HEIGHT = 16;
const LISTED_READS = 500;
const SEVERITIES = ["error", "warning", "info"];
const COLUMNS = [
  "started",
  "call",
  "answer",
  "first",
  "time",
  "reads",
  "bytes",
  "shape",
  "verdict",
  "acts",
];

/** @typedef {import("./call_list.js").Call} Call */
/** @typedef {import("./call_list.js").Read} Read */
/** @typedef {import("./installation.js").Finding} Finding */

export class CallRow {
  /** @param {Call} call @param {(call: Call) => void} keep @param {(call: Call) => void} open */
  constructor(call, keep, open) {
    this.call = call;
    this.keepButton = element("button", { type: "button" }, "Keep");
    this.openButton = element("button", { type: "button" }, "Open in the inspector");
    this.keepButton.addEventListener("click", () => keep(call));
    this.openButton.addEventListener("click", () => open(call));
    this.times = element("details", { class: "times" }, element("summary"));
    this.times.addEventListener("toggle", () => this.listTimes());
    /** @type {Record<string, HTMLTableCellElement>} */
    this.cells = Object.fromEntries(COLUMNS.map((name) => [name, element("td", { class: name })]));
    this.cells.started.append(clock(call.startedAt));
    this.cells.call.append(...named(call));
    this.cells.reads.append(this.times);
    this.cells.acts.append(this.keepButton, this.openButton);
    this.element = element("tr", { "data-call": call.id }, ...Object.values(this.cells));
    this.show();
  }

  show() {
    const { call, cells } = this;
    const { words, severity } = standing(call);
    cells.answer.replaceChildren(marked(words, severity));
    cells.first.textContent = seconds(call.reads[0]?.[0]);
    cells.time.textContent = seconds(call.reads.at(-1)?.[0]);
    cells.bytes.textContent = grouped(call.bytes);
    cells.shape.replaceChildren(drawn(call.reads));
    this.times.firstElementChild?.replaceChildren(counted(call.readCount, "read"));
    if (this.times.open) this.listTimes();
    cells.verdict.replaceChildren(...judged(call));
    this.keepButton.hidden = call.kept !== null;
    this.keepButton.disabled = this.openButton.disabled = !call.line || call.isKeeping;
    this.openButton.textContent = call.kept ? "Open in the inspector" : "Keep and open";
  }

  listTimes() {
    if (!this.times.open) return;
    const { reads, readCount } = this.call;
    const listed = reads.slice(0, LISTED_READS);
    const items = listed.map(([at, size]) =>
      element("li", {}, `${seconds(at)}, ${counted(size, "byte")}`),
    );
    const more = readCount - listed.length;
    this.times.replaceChildren(
      this.times.firstElementChild ?? "",
      element("ol", {}, ...items),
      ...(more ? [element("p", {}, `${grouped(more)} more`)] : []),
    );
  }
}

/** @type {(call: Call) => HTMLElement[]} */
function named({ model, method, url }) {
  const { host, pathname } = URL.canParse(url) ? new URL(url) : { host: "", pathname: url };
  const address = element("span", { class: "address", title: url }, `${method} ${host}${pathname}`);
  return [element("span", { class: "model" }, model || "model not said"), address];
}

/** @type {(words: string, severity: string) => HTMLElement} */
const marked = (words, severity) =>
  element("span", severity ? { class: `sev ${severity}` } : {}, words);

/** @type {(call: Call) => HTMLElement[]} */
function judged({ kept, trouble, isKeeping, line }) {
  if (trouble) return [marked(trouble, "error")];
  if (isKeeping) return [element("span", { class: "faint" }, "being kept")];
  if (kept === null) return [element("span", { class: "faint" }, line ? "not kept" : "not ended")];
  if (!kept.verdict) return [element("span", { class: "faint" }, "kept, not inspected yet")];
  const isGood = kept.verdict === "complete";
  const verdict = element("span", { class: isGood ? "ink-good" : "ink-warning" }, kept.verdict);
  return [verdict, found(kept.findings)];
}

/** @type {(findings: Finding[]) => HTMLElement} */
function found(findings) {
  if (!findings.length) return element("span", { class: "faint" }, "no findings");
  const counts = SEVERITIES.map((name) => [
    name,
    findings.filter((each) => each.severity === name),
  ]);
  const told = counts.filter(([, of]) => of.length);
  const summary = element(
    "summary",
    {},
    ...told.map(([name, of]) => marked(counted(of.length, `${name}`), String(name))),
  );
  const items = told.flatMap(([name, of]) =>
    /** @type {Finding[]} */ (of).map((each) =>
      element("li", {}, marked(each.message, String(name))),
    ),
  );
  return element("details", { class: "findings" }, summary, element("ul", {}, ...items));
}

/** A bar for each read, where it came. @type {(reads: Read[]) => SVGElement} */
function drawn(reads) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${DRAWN_WIDTH} ${DRAWN_HEIGHT}`);
  svg.setAttribute("width", String(DRAWN_WIDTH));
  svg.setAttribute("height", String(DRAWN_HEIGHT));
  svg.setAttribute("aria-hidden", "true");
  const whole = reads.at(-1)?.[0] ?? 1;
  const most = Math.max(1, ...reads.map(([, size]) => size));
  const bars = reads.map((each) => bar(each, whole, most)).join("");
  svg.append(line("axis", `M0 ${DRAWN_HEIGHT - 0.5}h${DRAWN_WIDTH}`), line("reads", bars));
  return svg;
}

/** @type {(kind: string, drawing: string) => SVGElement} */
function line(kind, drawing) {
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("class", kind);
  path.setAttribute("d", drawing);
  return path;
}

/** @type {(read: Read, whole: number, most: number) => string} */
function bar([at, size], whole, most) {
  const x = 1 + ((DRAWN_WIDTH - 3) * at) / whole;
  const height = 3 + (DRAWN_HEIGHT - 3) * Math.sqrt(size / most);
  return `M${x.toFixed(1)} ${DRAWN_HEIGHT}v${(-height).toFixed(1)}`;
}
