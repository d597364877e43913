// The table of the timeline: only the rows in view are on the page, however many there are.

import { write } from "../copy.js";
import { around } from "../elements.js";
import { litNow, point } from "../pointed.js";
import { Filter } from "./filter.js";
import { COLUMNS, NUMBERS, PLAIN_HEAD, Rows } from "./rows.js";
import { count } from "./scale.js";

/**
 * @import { Clock } from "../clock.js"
 * @typedef {{ row: HTMLElement, cells: HTMLElement[], link: HTMLAnchorElement, event: number,
 *   position: number }} EventRow
 */

const ROW_PX = 24;
const BEYOND = 6;
const COPIED_AT_ONCE = 5_000;

/**
 * @type {<K extends keyof HTMLElementTagNameMap>(name: K, className?: string, role?: string) =>
 *   HTMLElementTagNameMap[K]}
 */
function element(name, className, role) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (role) made.setAttribute("role", role);
  return made;
}

export class EventTable {
  /** @param {HTMLElement} box @param {Clock} clock */
  constructor(box, clock) {
    this.clock = clock;
    this.player = clock.players[0];
    this.rows = new Rows(this.player);
    /** @type {Uint32Array} */
    this.matches = new Uint32Array(0);
    this.active = 0;
    this.anchor = 0;
    this.due = 0;
    /** @type {EventRow[]} */
    this.pool = [];
    this.filter = new Filter(this.rows, () => this.refilter());
    this.grid = element("div", "event-grid", "grid");
    this.body = element("div", "event-rows", "rowgroup");
    this.status = element("output", "soft");
    this.copySelected = this.button("Copy selected", () => this.copy(...this.selection()));
    this.copyAll = this.button("Copy all that match", () => this.copy(0, this.matches.length - 1));
    this.make();
    box.replaceChildren(this.filter.box, this.grid);
    this.ended = new AbortController();
    this.unlisten = this.player.listen(() => this.draw());
    this.listen();
    this.refilter();
  }

  make() {
    this.grid.tabIndex = 0;
    this.grid.setAttribute("aria-label", "Events of the timeline");
    this.grid.setAttribute("aria-colcount", String(COLUMNS.length));
    this.grid.setAttribute("aria-multiselectable", "true");
    const head = this.grid.appendChild(element("div", "event-row head", "row"));
    head.setAttribute("aria-rowindex", "1");
    for (const name of COLUMNS) {
      const cell = head.appendChild(
        element("span", NUMBERS.has(name) ? "num" : "", "columnheader"),
      );
      cell.textContent = name;
    }
    this.grid.append(this.body);
    this.filter.box.append(this.copySelected, this.copyAll, this.status);
  }

  /** @type {(text: string, act: () => void) => HTMLButtonElement} */
  button(text, act) {
    const made = element("button", "quiet");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", act);
    return made;
  }

  listen() {
    this.grid.addEventListener("scroll", () => this.draw(), { passive: true });
    this.grid.addEventListener("keydown", (event) => this.key(event));
    this.grid.addEventListener("click", (event) => this.click(event));
    this.grid.addEventListener("focus", () => this.pointActive());
    this.body.addEventListener("pointerover", (event) => point(this.rowOf(event)?.event ?? null));
    this.grid.addEventListener("pointerleave", () => point(null));
    document.addEventListener("lit", () => this.draw(), { signal: this.ended.signal });
  }

  end() {
    this.clock.pause();
    this.ended.abort();
    this.unlisten();
  }

  async refilter() {
    const found = await this.filter.found();
    if (!found) return;
    const event = this.matches[this.active];
    this.matches = found;
    // What was active stays so, where it still matches.
    this.active = this.anchor = Math.max(0, found.indexOf(event));
    this.grid.setAttribute("aria-rowcount", String(found.length + 1));
    this.body.style.height = `${found.length * ROW_PX}px`;
    this.copySelected.disabled = this.copyAll.disabled = found.length === 0;
    this.say(`${count(found.length)} of ${count(this.rows.length)} events`);
    this.draw();
  }

  /** @type {(text: string) => void} */
  say(text) {
    this.status.textContent = text;
  }

  // -- rows in view -------------------------------------------------------------------------------

  draw() {
    cancelAnimationFrame(this.due);
    this.due = requestAnimationFrame(() => this.drawNow());
  }

  drawNow() {
    const first = Math.max(0, Math.floor(this.grid.scrollTop / ROW_PX) - BEYOND);
    const end = Math.min(
      this.matches.length,
      first + Math.ceil(this.grid.clientHeight / ROW_PX) + 2 * BEYOND,
    );
    while (this.pool.length < end - first) this.pool.push(this.makeRow());
    while (this.pool.length > end - first) this.pool.pop()?.row.remove();
    for (let position = first; position < end; position++)
      this.fill(this.pool[position % (end - first)], position);
    const isInView = this.active >= first && this.active < end;
    if (isInView)
      this.grid.setAttribute("aria-activedescendant", `row-of-event-${this.matches[this.active]}`);
    else this.grid.removeAttribute("aria-activedescendant");
  }

  /** @type {() => EventRow} */
  makeRow() {
    const row = this.body.appendChild(element("div", "event-row", "row"));
    const cells = COLUMNS.map((name) =>
      row.appendChild(element("span", NUMBERS.has(name) ? "num" : name, "gridcell")),
    );
    const link = cells[0].appendChild(element("a"));
    link.tabIndex = -1;
    return { row, cells, link, event: -1, position: -1 };
  }

  /** @type {(shown: EventRow, position: number) => void} */
  fill(shown, position) {
    const { row, cells, link } = shown;
    const event = this.matches[position];
    const [from, to] = this.selection();
    row.classList.toggle("active", position === this.active);
    row.classList.toggle("later", event >= this.player.passed);
    row.classList.toggle("lit", isLit(event));
    row.setAttribute("aria-selected", String(position >= from && position <= to));
    // A row that shows this event already is filled.
    if (shown.event === event && shown.position === position) return;
    Object.assign(shown, { event, position });
    row.id = `row-of-event-${event}`;
    row.setAttribute("aria-rowindex", String(position + 2));
    row.style.transform = `translateY(${position * ROW_PX}px)`;
    const [number, ...texts] = this.rows.cells(event);
    link.href = `#event-${event}`;
    link.textContent = number;
    texts.forEach((text, i) => {
      cells[i + 1].textContent = text;
    });
  }

  // -- selection ----------------------------------------------------------------------------------

  /** @type {() => [from: number, to: number]} */
  selection() {
    return [Math.min(this.anchor, this.active), Math.max(this.anchor, this.active)];
  }

  /** @type {(position: number, extends_: boolean) => void} */
  go(position, extends_) {
    if (!this.matches.length) return;
    this.active = Math.min(Math.max(position, 0), this.matches.length - 1);
    if (!extends_) this.anchor = this.active;
    this.show(this.active);
    this.pointActive();
    this.draw();
  }

  /** @type {(position: number) => void} */
  show(position) {
    const top = position * ROW_PX;
    const room = this.grid.clientHeight - ROW_PX;
    if (top < this.grid.scrollTop) this.grid.scrollTop = top;
    else if (top + ROW_PX > this.grid.scrollTop + room) this.grid.scrollTop = top + ROW_PX - room;
  }

  pointActive() {
    if (this.matches.length) point(this.matches[this.active]);
  }

  /** @type {(event: Event) => EventRow | undefined} */
  rowOf({ target }) {
    const row = around(target, ".event-row", HTMLElement);
    return this.pool.find((shown) => shown.row === row);
  }

  /** @type {(event: MouseEvent) => void} */
  click(event) {
    const found = this.rowOf(event);
    if (!found || around(event.target, "a", HTMLElement)) return;
    this.go(found.position, event.shiftKey);
    if (Number.isFinite(this.player.moment)) this.clock.seek(this.player.momentOf(found.event));
    point(found.event, true);
  }

  /** @type {(event: KeyboardEvent) => void} */
  key(event) {
    if (event.target !== this.grid || event.altKey) return;
    const page = Math.max(1, Math.floor(this.grid.clientHeight / ROW_PX) - 2);
    const by = new Map(
      Object.entries({ ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }),
    );
    const ends = new Map(Object.entries({ Home: 0, End: this.matches.length - 1 }));
    const to = ends.get(event.key) ?? this.active + (by.get(event.key) ?? NaN);
    const chord = event.ctrlKey || event.metaKey;
    if (!Number.isNaN(to)) this.go(to, event.shiftKey);
    else if (chord && event.key === "a") this.selectAll();
    else if (chord && event.key === "c" && document.getSelection()?.isCollapsed)
      this.copy(...this.selection());
    else if (!chord && event.key === "Enter" && this.matches.length)
      location.hash = `#event-${this.matches[this.active]}`;
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  selectAll() {
    this.anchor = 0;
    this.active = this.matches.length - 1;
    this.draw();
  }

  // As lines of cells between tabs. Put together in turns, so that many rows hold nothing up.
  /** @type {(from: number, to: number) => Promise<void>} */
  async copy(from, to) {
    const lines = [PLAIN_HEAD];
    for (let position = from; position <= to; position++) {
      lines.push(this.rows.plain(this.matches[position]));
      if (lines.length % COPIED_AT_ONCE === 0) await new Promise((done) => setTimeout(done));
    }
    const written = await write(`${lines.join("\n")}\n`);
    const what = to === from ? "1 row" : `${count(to - from + 1)} rows`;
    this.say(written ? `${what} copied` : "The browser does not let this page copy");
  }
}

/** @type {(event: number) => boolean} */
function isLit(event) {
  return litNow()?.events.some(([first, last]) => event >= first && event <= last) ?? false;
}
