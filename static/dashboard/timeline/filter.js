// Which events the table lists: of a kind, for a lane, with a text, after a silence.

import { MARK_KINDS } from "../player/player.js";

/** @import { Rows } from "./rows.js" */

// A task that looks at so many events stays short.
const AT_ONCE = 10_000;

/** @type {(text: string, control: Element) => HTMLElement} */
function labelled(text, control) {
  const label = document.createElement("label");
  label.append(`${text} `, control);
  return label;
}

function chooser() {
  const select = document.createElement("select");
  select.append(new Option("all", ""));
  return select;
}

/** @type {(type: string, size: number) => HTMLInputElement} */
function field(type, size) {
  return Object.assign(document.createElement("input"), {
    type,
    size,
    autocomplete: "off",
    spellcheck: false,
  });
}

export class Filter {
  /** @param {Rows} rows @param {() => void} changed */
  constructor(rows, changed) {
    this.rows = rows;
    this.changed = changed;
    this.search = {};
    const { player } = rows;
    const kinds = [...new Set(Array.from({ length: rows.length }, (_, event) => rows.kind(event)))];
    const marks = MARK_KINDS.filter((_, kind) =>
      player.marks.kind.values.subarray(0, player.marks.kind.length).includes(kind),
    );
    this.kind = chooser();
    for (const name of [...kinds, ...marks]) this.kind.append(new Option(name, name));
    this.lane = chooser();
    for (const { choice, name, index } of player.lanes)
      this.lane.append(new Option(`choice ${choice} ${name}`, String(index)));
    this.text = field("search", 16);
    this.gap = Object.assign(field("number", 6), { min: 0, step: "any" });
    this.box = document.createElement("form");
    this.box.className = "table-filter";
    this.box.append(
      labelled("kind", this.kind),
      labelled("lane", this.lane),
      labelled("text", this.text),
    );
    if (player.timed) this.box.append(labelled("after a gap over, in ms", this.gap));
    this.box.addEventListener("submit", (event) => event.preventDefault());
    this.box.addEventListener("input", () => this.changed());
  }

  // The events that match, in order; null where another search was begun meanwhile.
  /** @type {() => Promise<Uint32Array | null>} */
  async found() {
    const search = {};
    this.search = search;
    const matches = this.test();
    const found = [];
    for (let event = 0; event < this.rows.length; event++) {
      if (matches(event)) found.push(event);
      if (event % AT_ONCE !== AT_ONCE - 1) continue;
      await new Promise((done) => setTimeout(done));
      if (search !== this.search) return null;
    }
    return Uint32Array.from(found);
  }

  /** @type {() => (event: number) => boolean} */
  test() {
    const { rows } = this;
    const [kind, lane, text] = [this.kind.value, this.lane.value, this.text.value.toLowerCase()];
    const us = this.gap.value === "" ? null : Number(this.gap.value) * 1000;
    /** @type {((event: number) => boolean)[]} */
    const tests = [];
    const mark = MARK_KINDS.find((each) => each === kind);
    if (mark) tests.push((event) => rows.marks(event).includes(mark));
    else if (kind) tests.push((event) => rows.kind(event) === kind);
    if (lane !== "")
      tests.push((event) =>
        [...rows.given(event)].some((given) => given.lane.index === Number(lane)),
      );
    if (text) tests.push((event) => rows.text(event).toLowerCase().includes(text));
    if (us !== null) tests.push((event) => (rows.gap(event) ?? -1) > us);
    return (event) => tests.every((matches) => matches(event));
  }
}
