// Buttons under the drawing: replay and its speed, steps, and what the marks mean.

import { SPEEDS } from "../clock.js";
import { all } from "../elements.js";

/**
 * @import { Clock } from "../clock.js"
 * @import { Model } from "./model.js"
 * @typedef {(name: "step" | "stall", by: number) => void} Step
 */

/** @type {(text: string, className: string, act: () => void) => HTMLButtonElement} */
function button(text, className, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.className = className;
  made.addEventListener("click", act);
  return made;
}

/**
 * @type {(model: Model, clock: Clock, step: Step) => { box: HTMLElement,
 *   output: HTMLOutputElement, unlisten: () => void }}
 */
export function controlsOf(model, clock, step) {
  const box = document.createElement("div");
  box.className = "player";
  const play = button("Replay", "play main", () => clock.toggle());
  const speeds = document.createElement("span");
  speeds.className = "choose";
  speeds.setAttribute("role", "group");
  speeds.setAttribute("aria-label", "Speed");
  for (const each of SPEEDS) {
    const made = button(`${each}×`, "", () => clock.setSpeed(each));
    made.dataset.speed = String(each);
    speeds.append(made);
  }
  const output = document.createElement("output");
  output.setAttribute("aria-live", "off");
  box.append(
    play,
    speeds,
    output,
    button("‹ chunk", "quiet", () => step("step", -1)),
    button("chunk ›", "quiet", () => step("step", 1)),
  );
  if (model.timed && model.player.stalls.length) {
    box.append(
      button("‹ stall", "quiet", () => step("stall", -1)),
      button("stall ›", "quiet", () => step("stall", 1)),
    );
  }
  box.append(legend(model));
  const unlisten = clock.listen(tell);
  tell();
  return { box, output, unlisten };

  function tell() {
    play.textContent = clock.running ? "Pause" : "Replay";
    for (const each of all(speeds, "button", HTMLButtonElement))
      each.setAttribute("aria-pressed", String(Number(each.dataset.speed) === clock.speed));
  }
}

/** @type {(model: Model) => HTMLElement} */
function legend(model) {
  const words = document.createElement("span");
  words.className = "legend-words";
  const texts = model.timed
    ? ["height: characters", "×n: n chunks arrived batched"]
    : ["height: characters", "axis: the order of events"];
  for (const text of texts)
    words.append(Object.assign(document.createElement("span"), { textContent: text }));
  return words;
}
