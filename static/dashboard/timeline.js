// The timeline panel: one tape, one player and its clock, drawn or listed as a table.

import { Clock } from "./clock.js";
import { onKey } from "./keys.js";
import { Player } from "./player.js";
import { point } from "./pointed.js";
import { columnsOf, drawingAt, fill } from "./tape.js";
import { controlsOf } from "./timeline/controls.js";
import { Drawing } from "./timeline/drawing.js";
import { clockWords, modelOf } from "./timeline/model.js";
import { Moment } from "./timeline/moment.js";
import { partChooser } from "./timeline/parts.js";
import { EventTable } from "./timeline/table.js";

// A moment outlives the way in which it is shown.
const clocks = new Map();

class Timeline {
  constructor(box, model, clock) {
    const { player } = model;
    Object.assign(this, { model, player, clock });
    this.tell(box, clockWords(this.model));
    this.drawing = new Drawing(box, this.model, clock);
    this.controls = controlsOf(this.model, clock, (name, by) => this.go(name, by));
    this.moment = new Moment(this.model, (lane, button) => this.fetchText(lane, button));
    if (player.chunks.length) box.append(this.controls.box, this.moment.box);
    this.chooser = partChooser(this.model, (part) => this.setPart(part));
    if (this.chooser) this.drawing.canvas.before(this.chooser.box);
    this.moment.setPart(this.drawing.part);
    this.ended = new AbortController();
    document.addEventListener("lit", ({ detail }) => this.light(detail), { signal: this.ended.signal });
    this.unlisten = player.listen(() => this.show());
    this.show();
  }

  // Its place on the page is taken by something else; the player stays.
  end() {
    this.clock.pause();
    this.ended.abort();
    this.unlisten();
    this.controls.unlisten();
    this.drawing.end();
  }

  tell(box, sentence) {
    if (sentence) box.append(Object.assign(document.createElement("p"), { className: "why", textContent: sentence }));
  }

  // Several moves between two frames lay the texts out once.
  show() {
    this.drawing.say(this.controls.output);
    cancelAnimationFrame(this.due);
    this.due = requestAnimationFrame(() => this.moment.show());
  }

  setPart(part) {
    this.drawing.setPart(part);
    this.moment.setPart(part);
    this.moment.show();
  }

  // What is lit may stand in a lane that is not drawn just now.
  light(lit) {
    const part = lit && this.model.parts.find(({ lanes }) => lanes.some(({ lane }) => lane.index === lit.lane));
    if (part && part !== this.drawing.part) {
      this.chooser?.show(part);
      this.setPart(part);
    }
    this.drawing.redraw();
  }

  // By chunk or by stall; what is stepped to is pointed at.
  go(name, by) {
    this.clock.pause();
    if (!this.clock[name](by)) return;
    point(this.player.chunksPassed ? this.player.chunks.values[this.player.chunksPassed - 1] : null);
    this.drawing.canvas.scrollIntoView({ block: "nearest" });
  }

  async fetchText(lane, button) {
    button.textContent = "Fetching the text";
    const answer = await fetch(lane.href);
    if (answer.ok) this.player.append({ texts: [[lane.index, await answer.text()]] });
    else button.textContent = "The text could not be fetched";
  }
}

// The one that stands on the page now; the panel may be swapped for its table and back.
let timeline = null;

function listenToKeys() {
  const drawn = (act) => () => (timeline ? (act(), true) : false);
  const within = (act) => () => (
    timeline && document.getElementById("timeline").contains(document.activeElement) ? (act(), true) : false
  );
  const onButton = () => document.activeElement instanceof HTMLButtonElement;
  onKey({
    " ": () => (onButton() ? false : within(() => timeline.clock.toggle())()),
    ArrowLeft: within(() => timeline.go("step", -1)),
    ArrowRight: within(() => timeline.go("step", 1)),
    Home: within(() => timeline.clock.seek(0)),
    End: within(() => timeline.clock.seek(timeline.model.end)),
    "[": drawn(() => timeline.go("stall", -1)),
    "]": drawn(() => timeline.go("stall", 1)),
    "+": drawn(() => timeline.drawing.zoom("in")),
    "-": drawn(() => timeline.drawing.zoom("out")),
    "0": drawn(() => timeline.drawing.zoom("fit")),
  });
}

function showControls() {
  for (const button of document.querySelectorAll("#timeline [data-zoom]")) {
    button.addEventListener("click", () => timeline.drawing.zoom(button.dataset.zoom));
  }
  for (const each of document.querySelectorAll(".zoom, .keys .drawn")) each.hidden = false;
}

function clockOf(address) {
  if (!clocks.has(address)) clocks.set(address, madeClock(address));
  return clocks.get(address);
}

async function madeClock(address) {
  const player = new Player();
  await fill(player, columnsOf(await drawingAt(address)));
  return new Clock(player);
}

function drawn(box, model, clock) {
  timeline = new Timeline(box, model, clock);
  showControls();
  return timeline;
}

// What stands in the box now; whatever is put in its place ends it.
let shown = null;

async function show(box) {
  const address = box.dataset.src;
  try {
    const clock = await clockOf(address);
    const isDrawn = box.matches(".lanes");
    const model = isDrawn ? await modelOf(clock.players[0], await drawingAt(address)) : null;
    if (!box.isConnected) return;
    shown = isDrawn ? drawn(box, model, clock) : new EventTable(box, clock);
    box.dataset.drawn = "true";
  } catch (error) {
    clocks.delete(address);
    box.querySelector(".failed")?.removeAttribute("hidden");
    throw error;
  }
}

function start() {
  const box = document.querySelector("#timeline :is(.lanes, .events)[data-src]");
  if (box?.dataset.started) return;
  shown?.end();
  shown = timeline = null;
  if (!box) return;
  box.dataset.started = "true";
  show(box);
}

listenToKeys();
start();
document.addEventListener("htmx:afterSwap", start);
