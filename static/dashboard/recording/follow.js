// Follow and pause: the end in view and everything alive, or a page that stands still. The recording
// goes on either way.

import { all } from "../elements.js";
import { onKey } from "../keys.js";

const BELOW_PX = 56;
// A page that becomes shorter moves up by itself.
const UP_PX = 4;
const BUTTONS = "button, a, summary, audio, [role=slider]";

export class Follow {
  /** @param {{ turned: (isPaused: boolean) => void }} listener */
  constructor(listener) {
    this.listener = listener;
    this.isPaused = false;
    this.isOver = false;
    this.y = window.scrollY;
    this.height = document.documentElement.scrollHeight;
    onKey({
      f: () => !this.isOver && this.pause(false),
      " ": ({ target }) => this.onSpace(target),
    });
    document.addEventListener("click", ({ target }) => {
      const button = target instanceof Element ? target.closest("[data-follow]") : null;
      if (button instanceof HTMLElement) this.pause(button.dataset.follow === "pause");
    });
    document.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.tell();
  }

  /** @type {(target: EventTarget | null) => unknown} */
  onSpace(target) {
    if (this.isOver || (target instanceof Element && target.closest(BUTTONS))) return false;
    return this.pause(!this.isPaused);
  }

  /** @type {(isPaused: boolean) => void} */
  pause(isPaused) {
    if (this.isOver || isPaused === this.isPaused) return;
    this.isPaused = isPaused;
    this.tell();
    this.listener.turned(isPaused);
  }

  // Nothing is left to follow.
  end() {
    this.isOver = true;
    this.isPaused = false;
    for (const each of all(document, ".follow, .held", HTMLElement)) each.hidden = true;
  }

  tell() {
    for (const each of all(document, ".follow", HTMLElement))
      each.classList.remove("waits-for-script");
    for (const each of all(document, ".choose [data-follow]", HTMLElement)) {
      const isOn = (each.dataset.follow === "pause") === this.isPaused;
      each.setAttribute("aria-pressed", String(isOn));
    }
  }

  scrolled() {
    const [y, height] = [window.scrollY, document.documentElement.scrollHeight];
    const isUp = y < this.y - UP_PX && height >= this.height;
    [this.y, this.height] = [y, height];
    if (isUp) this.pause(true);
  }

  // Brings the end of the text into view, and never moves up for it.
  /** @type {(end: Element | null) => void} */
  keepInView(end) {
    if (this.isPaused || !end) return;
    const over = end.getBoundingClientRect().bottom - (window.innerHeight - BELOW_PX);
    if (over > 1) window.scrollBy({ top: over, behavior: "instant" });
  }
}
