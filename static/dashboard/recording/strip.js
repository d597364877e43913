// The strip of recordings: this one grows with its player, the others with time.

import { all, find } from "../elements.js";
import { tenths } from "../timeline/scale.js";

/**
 * @import { Player } from "../player/player.js"
 * @import { Moment } from "./words.js"
 */

const SVG = "http://www.w3.org/2000/svg";
const KINDS = { reasoning: "reasoning", refusal: "error", content: "content", text: "content" };

export class Strip {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
  }

  /** @type {(moment: Moment) => void} */
  show({ now, running }) {
    const here = find(document, "#running .here", HTMLElement);
    const bar = here?.querySelector("svg");
    if (!here || !bar) return;
    const [time, aside] = all(here, ".passed, .aside", HTMLElement);
    time.textContent = tenths(now);
    aside.textContent = running
      ? `silent ${tenths(running.end - running.start)}`
      : (aside.dataset.else ?? "");
    aside.classList.toggle("ink-part", running !== null);
    const scale = Number(bar.dataset.scaleUs);
    bar.replaceChildren(...this.parts(scale, Math.min(now, scale)));
  }

  // One stretch for each run of a lane, and where now is.
  /** @type {(scale: number, now: number) => SVGElement[]} */
  parts(scale, now) {
    const { player } = this;
    const runs = player.lanes.filter(({ event }) => event.length).slice(0, 60);
    const drawn = runs.map(({ kind, event }) => {
      const from = Math.min(player.momentOf(event.values[0]), scale);
      const to = Math.min(player.momentOf(event.values[event.length - 1]), scale);
      const name = KINDS[/** @type {keyof typeof KINDS} */ (kind)] ?? "tool";
      return rect(name, (100 * from) / scale, (100 * (to - from)) / scale);
    });
    return [rect("passed", 0, (100 * now) / scale), ...drawn, rect("end", (100 * now) / scale, 0)];
  }
}

/** @type {(className: string, x: number, width: number) => SVGElement} */
function rect(className, x, width) {
  const made = document.createElementNS(SVG, "rect");
  made.setAttribute("class", className);
  made.setAttribute("x", `${x}%`);
  made.setAttribute("width", `${Math.max(width, 0.6)}%`);
  return made;
}
