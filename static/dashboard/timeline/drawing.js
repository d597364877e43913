// The drawing on its canvas: what of the axis is in view, where the scrubber stands, what is lit.

import { litNow, point } from "../pointed.js";
import { coloursOf, onColoursChange } from "./colours.js";
import { contextOf, Layers } from "./draw.js";
import { Gestures } from "./gestures.js";
import { layoutOf } from "./layout.js";
import { columnWords, under } from "./readout.js";
import { count, momentWords, moved, scaleOf, wholeView, zoomed } from "./scale.js";

/**
 * @import { Clock } from "../clock.js"
 * @import { Frame } from "./draw.js"
 * @import { Model, Part } from "./model.js"
 * @import { View } from "./scale.js"
 */

const ZOOM = 0.5;
const NARROW = 620;
/** @type {Part} */
const NO_LANES = { lanes: [], left: 0 };

export class Drawing {
  /** @param {HTMLElement} box @param {Model} model @param {Clock} clock */
  constructor(box, model, clock) {
    this.box = box;
    this.model = model;
    this.clock = clock;
    this.view = wholeView(model);
    this.part = model.parts[0] ?? NO_LANES;
    this.whole = this.view.end;
    /** @type {number | null} */
    this.pointer = null;
    this.width = 0;
    this.ratio = 1;
    this.due = 0;
    this.stale = true;
    this.layout = layoutOf(model, this.part, false);
    this.layers = new Layers();
    this.canvas = this.makeCanvas();
    this.context = contextOf(this.canvas);
    this.readout = box.appendChild(
      Object.assign(document.createElement("p"), { className: "readout" }),
    );
    this.colours = coloursOf(box);
    if (model.player.chunks.length || model.player.now !== null)
      this.gestures = new Gestures(this.canvas, this);
    this.ended = new AbortController();
    this.observer = new ResizeObserver(() => this.resize());
    this.unlisten = model.player.listen(() => this.moved());
    this.watch();
    this.resize();
  }

  makeCanvas() {
    const canvas = document.createElement("canvas");
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "slider");
    canvas.setAttribute("aria-label", "Moment in the timeline; the table holds the same values");
    canvas.setAttribute("aria-valuemin", "0");
    return this.box.appendChild(canvas);
  }

  watch() {
    this.observer.observe(this.box);
    onColoursChange(() => {
      this.colours = coloursOf(this.box);
      this.redraw();
    }, this.ended.signal);
  }

  end() {
    this.ended.abort();
    this.observer.disconnect();
    this.unlisten();
  }

  /** @type {(part: Part) => void} */
  setPart(part) {
    this.part = part;
    this.width = 0;
    this.resize();
  }

  resize() {
    const width = this.box.clientWidth;
    if (!width || width === this.width) return;
    this.width = width;
    this.layout = layoutOf(this.model, this.part, width < NARROW);
    this.fit();
    this.redraw();
  }

  // The canvas takes the size of the layout; what it held is gone.
  fit() {
    this.ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(this.width * this.ratio);
    this.canvas.height = Math.round(this.layout.height * this.ratio);
    this.canvas.style.height = `${this.layout.height}px`;
    this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
  }

  // The model has more, and stands at a later moment: what was seen whole is seen whole, and an end
  // that was in view stays in view.
  grow() {
    const { model, view, whole } = this;
    this.whole = wholeView(model).end;
    if (view.start <= 0 && view.end >= whole) this.view = wholeView(model);
    else if (view.end >= whole) {
      const span = view.end - view.start;
      this.view = moved(model, { start: this.whole - span, end: this.whole });
    }
    const at = model.parts.findIndex(({ lanes }) => lanes[0]?.lane.choice === this.choice);
    this.part = model.parts[Math.max(at, 0)] ?? NO_LANES;
    const { height } = this.layout;
    this.layout = layoutOf(model, this.part, this.width < NARROW);
    if (this.layout.height !== height) this.fit();
    this.stale = true;
    this.paintNow();
  }

  // The first choice that is drawn.
  get choice() {
    return this.part.lanes[0]?.lane.choice;
  }

  /** @type {() => Frame} */
  frame() {
    const { model, layout, context, colours } = this;
    const { moment } = model.player;
    const scrub = Number.isFinite(moment) ? moment : null;
    return {
      model,
      layout,
      context,
      colours,
      scrub,
      lit: litNow(),
      scale: scaleOf(this.width, this.view),
    };
  }

  // All of it, at the next frame.
  redraw() {
    this.stale = true;
    this.paint();
  }

  paint() {
    cancelAnimationFrame(this.due);
    this.due = requestAnimationFrame(() => this.paintNow());
  }

  paintNow() {
    if (!this.width) return;
    const frame = this.frame();
    if (this.stale) {
      this.layers.draw(frame, this.ratio);
      if (this.pointer === null) this.readout.textContent = columnWords(frame);
    }
    this.stale = false;
    this.layers.show({ ...frame, context: this.context });
  }

  // The player stands at another moment: it stays in view.
  moved() {
    const { moment } = this.model.player;
    if (Number.isFinite(moment) && (moment < this.view.start || moment > this.view.end)) {
      const half = (this.view.end - this.view.start) / 2;
      this.look({ start: moment - half, end: moment + half });
    }
    this.paint();
  }

  /** @type {(view: View) => void} */
  look(view) {
    this.view = moved(this.model, view);
    this.redraw();
  }

  // -- what a hand does ---------------------------------------------------------------------------

  /** @type {(x: number) => void} */
  scrubTo(x) {
    this.clock.pause();
    const at = this.frame().scale.at(x);
    this.clock.seek(Math.min(Math.max(at, 0), this.model.end));
  }

  /** @type {(px: number) => void} */
  panBy(px) {
    const { left, right } = this.frame().scale;
    const shift = ((this.view.end - this.view.start) * px) / (right - left);
    this.look({ start: this.view.start + shift, end: this.view.end + shift });
  }

  /** @type {(factor: number, x: number) => void} */
  zoomAt(factor, x) {
    const { scale } = this.frame();
    const centre = Math.min(Math.max(scale.at(x), this.view.start), this.view.end);
    this.look(zoomed(this.model, this.view, factor, centre));
  }

  // By buttons and keys: at the pointer, else at the scrubber, else in the middle.
  /** @type {(way: string) => void} */
  zoom(way) {
    const { view, model } = this;
    const { moment } = model.player;
    const inView = moment >= view.start && moment <= view.end;
    if (way === "fit") this.look(wholeView(model));
    else if (this.pointer !== null) this.zoomAt(way === "in" ? ZOOM : 1 / ZOOM, this.pointer);
    else
      this.look(
        zoomed(
          model,
          view,
          way === "in" ? ZOOM : 1 / ZOOM,
          inView ? moment : (view.start + view.end) / 2,
        ),
      );
  }

  /** @type {(x: number, y: number) => void} */
  hover(x, y) {
    this.pointer = x;
    const { text, event } = under(this.frame(), x, y);
    this.readout.textContent = text;
    point(event);
  }

  leave() {
    this.pointer = null;
    this.readout.textContent = columnWords(this.frame());
    point(null);
  }

  // On a mark: its moment exactly, and its event.
  /** @type {(x: number, y: number) => void} */
  click(x, y) {
    const { event } = under(this.frame(), x, y);
    if (event === null) return;
    this.clock.seek(this.model.player.momentOf(event));
    point(event, true);
  }

  // -- what is told -------------------------------------------------------------------------------

  /** @type {(output: HTMLOutputElement) => void} */
  say(output) {
    const { model, canvas } = this;
    const { player } = model;
    const { moment, chunksPassed: passed } = player;
    const isSet = Number.isFinite(moment);
    const shown = isSet ? moment : model.end;
    const where = isSet ? `${momentWords(model, moment)} of ` : "";
    output.textContent = `${where}${momentWords(model, model.end)}   text ${count(passed)} of ${count(player.chunks.length)}`;
    canvas.setAttribute("aria-valuemax", String(Math.round(model.end)));
    canvas.setAttribute("aria-valuenow", String(Math.round(shown)));
    canvas.setAttribute(
      "aria-valuetext",
      `${momentWords(model, shown)}, text ${passed} of ${player.chunks.length}`,
    );
  }
}
