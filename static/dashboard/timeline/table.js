// The table of the timeline: only the rows in view are on the page, however many there are.

import { write } from "../copy.js";
import { litNow, point } from "../pointed.js";
import { Filter } from "./filter.js";
import { COLUMNS, NUMBERS, PLAIN_HEAD, Rows } from "./rows.js";
import { count } from "./scale.js";

const ROW_PX = 24;
const BEYOND = 6;
const COPIED_AT_ONCE = 5_000;

function element(name, className, role) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (role) made.setAttribute("role", role);
  return made;
}

export class EventTable {
  constructor(box, clock) {
    this.clock = clock;
    [this.player] = clock.players;
    this.rows = new Rows(this.player);
    this.matches = new Uint32Array(0);
    this.active = 0;
    this.anchor = 0;
    this.pool = [];
    this.filter = new Filter(this.rows, () => this.refilter());
    this.make(box);
    this.listen();
    this.refilter();
  }

  make(box) {
    this.grid = element("div", "event-grid", "grid");
    this.grid.tabIndex = 0;
    this.grid.setAttribute("aria-label", "Events of the timeline");
    this.grid.setAttribute("aria-colcount", String(COLUMNS.length));
    this.grid.setAttribute("aria-multiselectable", "true");
    this.head = this.grid.appendChild(element("div", "event-row head", "row"));
    this.head.setAttribute("aria-rowindex", "1");
    for (const name of COLUMNS) {
      const cell = this.head.appendChild(element("span", NUMBERS.has(name) ? "num" : "", "columnheader"));
      cell.textContent = name;
    }
    this.body = this.grid.appendChild(element("div", "event-rows", "rowgroup"));
    this.status = element("output", "soft");
    this.copySelected = this.button("Copy selected", () => this.copy(...this.selection()));
    this.copyAll = this.button("Copy all that match", () => this.copy(0, this.matches.length - 1));
    this.filter.box.append(this.copySelected, this.copyAll, this.status);
    box.replaceChildren(this.filter.box, this.grid);
  }

  button(text, act) {
    const made = element("button", "quiet");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", act);
    return made;
  }

  listen() {
    this.ended = new AbortController();
    this.grid.addEventListener("scroll", () => this.draw(), { passive: true });
    this.grid.addEventListener("keydown", (event) => this.key(event));
    this.grid.addEventListener("click", (event) => this.click(event));
    this.grid.addEventListener("focus", () => this.pointActive());
    this.body.addEventListener("pointerover", (event) => point(this.eventOf(event)));
    this.grid.addEventListener("pointerleave", () => point(null));
    document.addEventListener("lit", () => this.draw(), { signal: this.ended.signal });
    this.unlisten = this.player.listen(() => this.draw());
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
    const end = Math.min(this.matches.length, first + Math.ceil(this.grid.clientHeight / ROW_PX) + 2 * BEYOND);
    while (this.pool.length < end - first) this.pool.push(this.body.appendChild(this.makeRow()));
    while (this.pool.length > end - first) this.pool.pop().remove();
    for (let position = first; position < end; position++) this.fill(this.pool[position % (end - first)], position);
    const isInView = this.active >= first && this.active < end;
    if (isInView) this.grid.setAttribute("aria-activedescendant", `row-of-event-${this.matches[this.active]}`);
    else this.grid.removeAttribute("aria-activedescendant");
  }

  makeRow() {
    const row = element("div", "event-row", "row");
    for (const name of COLUMNS) row.append(element("span", NUMBERS.has(name) ? "num" : name, "gridcell"));
    const link = element("a");
    link.tabIndex = -1;
    row.firstChild.append(link);
    return row;
  }

  fill(row, position) {
    const event = this.matches[position];
    const [from, to] = this.selection();
    row.classList.toggle("active", position === this.active);
    row.classList.toggle("later", event >= this.player.passed);
    row.classList.toggle("lit", isLit(event));
    row.setAttribute("aria-selected", String(position >= from && position <= to));
    // A row that shows this event already is filled.
    if (row.event === event && row.position === position) return;
    Object.assign(row, { event, position, id: `row-of-event-${event}` });
    row.setAttribute("aria-rowindex", String(position + 2));
    row.style.transform = `translateY(${position * ROW_PX}px)`;
    const [number, ...cells] = this.rows.cells(event);
    const link = row.firstChild.firstChild;
    link.href = `#event-${event}`;
    link.textContent = number;
    cells.forEach((text, i) => { row.children[i + 1].textContent = text; });
  }

  // -- selection ----------------------------------------------------------------------------------

  selection() {
    return [Math.min(this.anchor, this.active), Math.max(this.anchor, this.active)];
  }

  go(position, extends_) {
    if (!this.matches.length) return;
    this.active = Math.min(Math.max(position, 0), this.matches.length - 1);
    if (!extends_) this.anchor = this.active;
    this.show(this.active);
    this.pointActive();
    this.draw();
  }

  show(position) {
    const top = position * ROW_PX;
    const room = this.grid.clientHeight - ROW_PX;
    if (top < this.grid.scrollTop) this.grid.scrollTop = top;
    else if (top + ROW_PX > this.grid.scrollTop + room) this.grid.scrollTop = top + ROW_PX - room;
  }

  pointActive() {
    if (this.matches.length) point(this.matches[this.active]);
  }

  eventOf({ target }) {
    return target.closest(".event-row")?.event ?? null;
  }

  click(event) {
    const row = event.target.closest(".event-rows .event-row");
    if (!row || event.target.closest("a")) return;
    this.go(row.position, event.shiftKey);
    if (Number.isFinite(this.player.moment)) this.clock.seek(this.player.momentOf(row.event));
    point(row.event, true);
  }

  key(event) {
    if (event.target !== this.grid || event.altKey) return;
    const page = Math.max(1, Math.floor(this.grid.clientHeight / ROW_PX) - 2);
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }[event.key];
    const ends = { Home: 0, End: this.matches.length - 1 }[event.key];
    const chord = event.ctrlKey || event.metaKey;
    if (by !== undefined) this.go(this.active + by, event.shiftKey);
    else if (ends !== undefined) this.go(ends, event.shiftKey);
    else if (chord && event.key === "a") this.selectAll();
    else if (chord && event.key === "c" && document.getSelection().isCollapsed) this.copy(...this.selection());
    else if (!chord && event.key === "Enter" && this.matches.length) location.hash = `#event-${this.matches[this.active]}`;
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

function isLit(event) {
  return litNow()?.events.some(([first, last]) => event >= first && event <= last) ?? false;
}
