// The timeline panel: fetches the tape, draws it, and moves a scrubber through it.

import { onKey } from "./keys.js";
import { drawingAt } from "./tape.js";
import { coloursOf } from "./timeline/colours.js";
import { draw } from "./timeline/draw.js";
import { layoutOf } from "./timeline/layout.js";
import { after, modelOf } from "./timeline/model.js";
import { showMoment } from "./timeline/moment.js";
import { playerOf } from "./timeline/player.js";
import { readoutAt } from "./timeline/readout.js";
import { count, momentWords, moved, scaleOf, wholeView, zoomed } from "./timeline/scale.js";

const ZOOM = 0.5;

class Timeline {
  constructor(box, drawing) {
    this.box = box;
    this.model = modelOf(drawing);
    this.view = wholeView(this.model);
    this.scrub = null;
    this.canvas = this.makeCanvas();
    this.readout = box.appendChild(Object.assign(document.createElement("p"), { className: "readout" }));
    this.player = playerOf(this.model, this);
    this.state = Object.assign(document.createElement("div"), { className: "moment", hidden: true });
    if (this.model.chunks.length) box.append(this.player.box, this.state);
    this.colours = coloursOf(box);
    this.listen();
    this.resize();
    this.say();
  }

  makeCanvas() {
    const canvas = document.createElement("canvas");
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "slider");
    canvas.setAttribute("aria-label", "Moment in the timeline; the table holds the same values");
    canvas.setAttribute("aria-valuemin", "0");
    return this.box.appendChild(canvas);
  }

  listen() {
    new ResizeObserver(() => this.resize()).observe(this.box);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.colours = coloursOf(this.box);
      this.paint();
    });
    this.canvas.addEventListener("pointerdown", (event) => this.press(event));
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.canvas.addEventListener("pointerleave", () => { this.readout.textContent = ""; });
  }

  resize() {
    const width = this.box.clientWidth;
    if (!width || width === this.width) return;
    this.width = width;
    this.layout = layoutOf(this.model, width < 620);
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(this.layout.height * ratio);
    this.canvas.style.height = `${this.layout.height}px`;
    this.context = this.canvas.getContext("2d");
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.paint();
  }

  frame() {
    const { model, layout, context, colours, scrub } = this;
    return { model, layout, context, colours, scrub, scale: scaleOf(model, this.width, this.view) };
  }

  paint() {
    cancelAnimationFrame(this.due);
    this.due = requestAnimationFrame(() => draw(this.frame()));
  }

  press(event) {
    if (event.button !== 0 || !this.model.chunks.length) return;
    this.player.stop();
    this.canvas.setPointerCapture(event.pointerId);
    this.scrubTo(event);
    const drag = (next) => this.scrubTo(next);
    this.canvas.addEventListener("pointermove", drag);
    this.canvas.addEventListener("lostpointercapture", () => this.canvas.removeEventListener("pointermove", drag), { once: true });
  }

  scrubTo(event) {
    const { scale } = this.frame();
    const at = scale.at(event.clientX - this.canvas.getBoundingClientRect().left);
    this.move(Math.min(Math.max(at, 0), this.model.end));
  }

  hover(event) {
    const place = this.canvas.getBoundingClientRect();
    this.readout.textContent = readoutAt(this.frame(), event.clientX - place.left, event.clientY - place.top);
  }

  moment() {
    return this.scrub;
  }

  move(moment) {
    this.scrub = moment;
    if (moment < this.view.start || moment > this.view.end) this.lookAt(moment);
    this.state.hidden = false;
    showMoment(this.state, this.model, moment);
    this.say();
    this.paint();
  }

  lookAt(moment) {
    const half = (this.view.end - this.view.start) / 2;
    this.view = moved(this.model, { start: moment - half, end: moment + half });
  }

  // To the next chunk or the one before; false at the end.
  step(by) {
    const { chunks } = this.model;
    const passed = this.scrub === null ? (by > 0 ? 0 : chunks.length) : after(chunks, this.scrub);
    const here = by > 0 ? passed : this.before(passed) - 1;
    if (here < 0 || here >= chunks.length) return false;
    this.move(chunks[here].at);
    return true;
  }

  // Chunks that came together are one step.
  before(passed) {
    const { chunks } = this.model;
    let at = passed;
    while (at > 0 && chunks[at - 1].at === this.scrub) at--;
    return at;
  }

  stall(by) {
    const starts = this.model.drawing.stalls.map(([start]) => start).sort((a, b) => a - b);
    const here = this.scrub ?? (by > 0 ? -1 : Infinity);
    const next = by > 0 ? starts.find((at) => at > here) : starts.findLast((at) => at < here);
    if (next === undefined) return;
    this.move(next);
    this.canvas.scrollIntoView({ block: "nearest" });
  }

  zoom(way) {
    const { view, model } = this;
    const centre = this.scrub !== null && this.scrub >= view.start && this.scrub <= view.end ? this.scrub : (view.start + view.end) / 2;
    this.view = way === "fit" ? wholeView(model) : zoomed(model, view, way === "in" ? ZOOM : 1 / ZOOM, centre);
    this.paint();
  }

  say() {
    const { model, scrub, canvas } = this;
    const passed = scrub === null ? model.chunks.length : after(model.chunks, scrub);
    const where = scrub === null ? "" : `${momentWords(model, scrub)} of `;
    this.player.output.textContent = `${where}${momentWords(model, model.end)}   chunk ${count(passed)} of ${count(model.chunks.length)}`;
    canvas.setAttribute("aria-valuemax", String(Math.round(model.end)));
    canvas.setAttribute("aria-valuenow", String(Math.round(scrub ?? model.end)));
    canvas.setAttribute("aria-valuetext", `${momentWords(model, scrub ?? model.end)}, chunk ${passed} of ${model.chunks.length}`);
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
    " ": () => (onButton() ? false : within(() => timeline.player.toggle())()),
    ArrowLeft: within(() => timeline.step(-1)),
    ArrowRight: within(() => timeline.step(1)),
    "[": drawn(() => timeline.stall(-1)),
    "]": drawn(() => timeline.stall(1)),
    "+": drawn(() => timeline.zoom("in")),
    "-": drawn(() => timeline.zoom("out")),
    "0": drawn(() => timeline.zoom("fit")),
  });
}

function showControls() {
  for (const button of document.querySelectorAll("#timeline [data-zoom]")) {
    button.addEventListener("click", () => timeline.zoom(button.dataset.zoom));
  }
  for (const each of document.querySelectorAll(".zoom, .keys .drawn")) each.hidden = false;
}

async function show(box) {
  try {
    timeline = new Timeline(box, await drawingAt(box.dataset.src));
    box.dataset.drawn = "true";
    showControls();
  } catch (error) {
    box.querySelector(".failed").hidden = false;
    throw error;
  }
}

function start() {
  const box = document.querySelector(".lanes[data-src]");
  if (!box) timeline = null;
  else if (!box.dataset.started) {
    box.dataset.started = "true";
    show(box);
  }
}

listenToKeys();
start();
document.addEventListener("htmx:afterSwap", start);
