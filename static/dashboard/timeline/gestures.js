// What a hand does on the drawing: scrubs, pans, zooms, hovers, clicks.
//
// Drag scrubs. Drag with Shift or the middle button, two fingers, or a wheel sideways pans. A wheel
// with Ctrl (a pinch on a touchpad is one), or two fingers apart, zooms where they are.

/**
 * @import { Drawing } from "./drawing.js"
 * @typedef {{ x: number, y: number }} Place
 */

const CLICK_PX = 4;
const WHEEL_LINE_PX = 16;
const ZOOM_PER_PX = 0.005;

export class Gestures {
  /** @param {HTMLCanvasElement} canvas @param {Drawing} drawing */
  constructor(canvas, drawing) {
    this.canvas = canvas;
    this.drawing = drawing;
    /** @type {Map<number, Place>} */
    this.fingers = new Map();
    /** @type {"pan" | "scrub" | null} */
    this.mode = null;
    /** @type {Place | null} */
    this.begun = null;
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointercancel", (event) => this.release(event));
    canvas.addEventListener("pointerleave", () => drawing.leave());
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  /** @type {(event: MouseEvent) => Place} */
  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  /** @type {(event: PointerEvent) => void} */
  press(event) {
    if (event.button > 1) return;
    const at = this.place(event);
    this.canvas.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, at);
    this.begun = at;
    const pans = event.button === 1 || event.shiftKey || this.fingers.size > 1;
    this.mode = pans ? "pan" : "scrub";
    // The middle button would scroll the page.
    if (event.button === 1) event.preventDefault();
    if (!pans) this.drawing.scrubTo(at.x);
  }

  /** @type {(event: PointerEvent) => void} */
  move(event) {
    const at = this.place(event);
    const before = this.fingers.get(event.pointerId);
    if (!before || !this.mode) {
      this.drawing.hover(at.x, at.y);
      return;
    }
    if (this.mode === "scrub") this.drawing.scrubTo(at.x);
    else if (this.fingers.size > 1) this.pinch(event.pointerId, before, at);
    else this.drawing.panBy(before.x - at.x);
    this.fingers.set(event.pointerId, at);
  }

  // The middle of two fingers carries the view, their distance stretches it.
  /** @type {(moved: number, before: Place, at: Place) => void} */
  pinch(moved, before, at) {
    const other = [...this.fingers].find(([id]) => id !== moved)?.[1];
    if (!other) return;
    const was = Math.abs(before.x - other.x);
    const is = Math.abs(at.x - other.x);
    this.drawing.panBy((before.x - at.x) / 2);
    if (was > 10 && is > 10) this.drawing.zoomAt(was / is, (at.x + other.x) / 2);
  }

  /** @type {(event: PointerEvent) => void} */
  release(event) {
    if (!this.fingers.delete(event.pointerId)) return;
    const at = this.place(event);
    const stayed = this.begun && Math.hypot(at.x - this.begun.x, at.y - this.begun.y) < CLICK_PX;
    if (event.type === "pointerup" && this.mode === "scrub" && stayed)
      this.drawing.click(at.x, at.y);
    if (!this.fingers.size) this.mode = null;
  }

  /** @type {(event: WheelEvent) => void} */
  wheel(event) {
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? WHEEL_LINE_PX : 1;
    const { x } = this.place(event);
    if (event.ctrlKey) this.drawing.zoomAt(Math.exp(event.deltaY * unit * ZOOM_PER_PX), x);
    else if (event.deltaX && Math.abs(event.deltaX) > Math.abs(event.deltaY))
      this.drawing.panBy(event.deltaX * unit);
    else if (event.shiftKey && event.deltaY) this.drawing.panBy(event.deltaY * unit);
    else return;
    event.preventDefault();
  }
}
