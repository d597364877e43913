// The timeline panel: one tape, one player and its clock, drawn or listed as a table.

import { Clock } from "../clock.js";
import { all, find } from "../elements.js";
import { onKey } from "../keys.js";
import { Player } from "../player/player.js";
import { point } from "../pointed.js";
import { columnsOf, drawingAt, fill } from "../tape.js";
import { controlsOf } from "./controls.js";
import { Drawing } from "./drawing.js";
import { clockWords, emptyModel, grow, modelOf } from "./model.js";
import { Moment } from "./moment.js";
import { partChooser } from "./parts.js";
import { EventTable } from "./table.js";

/**
 * @import { PlayerLane } from "../player/player.js"
 * @import { Lit } from "../pointed.js"
 * @import { Model, Part } from "./model.js"
 */

const BOXES = ".lanes[data-src], .events[data-src], .lanes[data-growing]";

// A moment outlives the way in which it is shown.
/** @type {Map<string, Promise<Clock>>} */
const clocks = new Map();

class Timeline {
  /** @param {HTMLElement} box @param {Model} model @param {Clock} clock */
  constructor(box, model, clock) {
    const { player } = model;
    this.model = model;
    this.player = player;
    this.clock = clock;
    this.due = 0;
    this.tell(box, clockWords(this.model));
    this.drawing = new Drawing(box, this.model, clock);
    this.controls = controlsOf(this.model, clock, (name, by) => this.go(name, by));
    this.moment = new Moment(this.model, (lane, button) => this.fetchText(lane, button));
    if (model.grows) box.append(this.moment.box);
    else if (player.chunks.length) box.append(this.controls.box, this.moment.box);
    this.chooser = partChooser(this.model, (part) => this.setPart(part));
    if (this.chooser) this.drawing.canvas.before(this.chooser.box);
    this.moment.setPart(this.drawing.part);
    this.ended = new AbortController();
    document.addEventListener("lit", ({ detail }) => this.light(detail), {
      signal: this.ended.signal,
    });
    this.unlisten = player.listen(() => this.show());
    this.drawing.say(this.controls.output);
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

  /** @type {(box: HTMLElement, sentence: string) => void} */
  tell(box, sentence) {
    if (sentence)
      box.append(
        Object.assign(document.createElement("p"), { className: "why", textContent: sentence }),
      );
  }

  // Several moves between two frames lay the texts out once.
  show() {
    // Whoever reads the slider is not told of each chunk that comes.
    if (!this.model.grows || Number.isFinite(this.player.moment))
      this.drawing.say(this.controls.output);
    cancelAnimationFrame(this.due);
    this.due = requestAnimationFrame(() => this.moment.show());
  }

  // Draws what the player has got since.
  grow() {
    const lanes = this.model.lanes.length;
    grow(this.model);
    this.drawing.grow();
    if (this.model.lanes.length !== lanes) this.moment.setPart(this.drawing.part);
  }

  /** @type {(part: Part) => void} */
  setPart(part) {
    this.drawing.setPart(part);
    this.moment.setPart(part);
    this.moment.show();
  }

  // What is lit may stand in a lane that is not drawn just now.
  /** @type {(lit: Lit | null) => void} */
  light(lit) {
    const part =
      lit
      && this.model.parts.find(({ lanes }) => lanes.some(({ lane }) => lane.index === lit.lane));
    if (part && part !== this.drawing.part) {
      this.chooser?.show(part);
      this.setPart(part);
    }
    this.drawing.redraw();
  }

  // By chunk or by stall; what is stepped to is pointed at.
  /** @type {(name: "step" | "stall", by: number) => void} */
  go(name, by) {
    this.clock.pause();
    if (!this.clock[name](by)) return;
    point(
      this.player.chunksPassed ? this.player.chunks.values[this.player.chunksPassed - 1] : null,
    );
    this.drawing.canvas.scrollIntoView({ block: "nearest" });
  }

  /** @type {(lane: PlayerLane, button: HTMLButtonElement) => Promise<void>} */
  async fetchText(lane, button) {
    if (lane.href === null) return;
    button.textContent = "Loading the text";
    const answer = await fetch(lane.href);
    if (answer.ok) this.player.append({ texts: [[lane.index, await answer.text()]] });
    else button.textContent = "The text could not be loaded";
  }
}

// The one that stands on the page now; the panel may be swapped for its table and back.
/** @type {Timeline | null} */
let timeline = null;

function listenToKeys() {
  /** @type {(act: (timeline: Timeline) => void) => () => boolean} */
  const onDrawing = (act) => () => {
    if (timeline) act(timeline);
    return timeline !== null;
  };
  /** @type {(act: (timeline: Timeline) => void) => () => boolean} */
  const within = (act) => () => {
    const panel = document.getElementById("timeline");
    return panel?.contains(document.activeElement) ? onDrawing(act)() : false;
  };
  const onButton = () => document.activeElement instanceof HTMLButtonElement;
  const toggle = within(({ clock }) => clock.toggle());
  onKey({
    " ": () => (onButton() || timeline?.model.grows ? false : toggle()),
    ArrowLeft: within((here) => here.go("step", -1)),
    ArrowRight: within((here) => here.go("step", 1)),
    Home: within(({ clock }) => clock.seek(0)),
    End: within(({ clock, model }) => clock.seek(model.grows ? Infinity : model.end)),
    "[": onDrawing((here) => here.go("stall", -1)),
    "]": onDrawing((here) => here.go("stall", 1)),
    "+": onDrawing(({ drawing }) => drawing.zoom("in")),
    "-": onDrawing(({ drawing }) => drawing.zoom("out")),
    0: onDrawing(({ drawing }) => drawing.zoom("fit")),
  });
}

function showControls() {
  for (const button of all(document, "#timeline [data-zoom]", HTMLElement)) {
    button.addEventListener("click", () => timeline?.drawing.zoom(button.dataset.zoom ?? ""));
  }
  for (const each of all(document, ".zoom, .keys .drawn", HTMLElement)) each.hidden = false;
}

/** @type {(address: string) => Promise<Clock>} */
function clockOf(address) {
  const clock = clocks.get(address) ?? madeClock(address);
  clocks.set(address, clock);
  return clock;
}

/** @type {(address: string) => Promise<Clock>} */
async function madeClock(address) {
  const player = new Player();
  await fill(player, columnsOf(await drawingAt(address)));
  return new Clock(player);
}

/** @type {(box: HTMLElement, model: Model, clock: Clock) => Timeline} */
function begin(box, model, clock) {
  timeline = new Timeline(box, model, clock);
  showControls();
  return timeline;
}

// A timeline that grows with its player, in a box of its own.
/** @type {(box: HTMLElement, player: Player, drawing: Model["drawing"]) => Timeline} */
export function showGrowing(box, player, drawing) {
  const model = emptyModel(player, drawing);
  grow(model);
  box.dataset.started = "true";
  const made = begin(box, model, new Clock(player));
  shown = made;
  box.dataset.drawn = "true";
  return made;
}

// What stands in the box now; whatever is put in its place ends it.
/** @type {Timeline | EventTable | null} */
let shown = null;

/** @type {(box: HTMLElement) => Promise<void>} */
async function show(box) {
  const address = box.dataset.src ?? "";
  try {
    const clock = await clockOf(address);
    const isDrawn = box.matches(".lanes");
    const model = isDrawn ? await modelOf(clock.players[0], await drawingAt(address)) : null;
    if (!box.isConnected) return;
    shown = model ? begin(box, model, clock) : new EventTable(box, clock);
    box.dataset.drawn = "true";
  } catch (error) {
    clocks.delete(address);
    box.querySelector(".failed")?.removeAttribute("hidden");
    throw error;
  }
}

function start() {
  const box = find(document, `#timeline :is(${BOXES})`, HTMLElement);
  if (box?.dataset.started) return;
  shown?.end();
  shown = timeline = null;
  if (!box?.dataset.src) return;
  box.dataset.started = "true";
  show(box);
}

listenToKeys();
start();
document.addEventListener("htmx:afterSwap", start);
