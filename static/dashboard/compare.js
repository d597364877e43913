// The replay on the compare page: a drawing and the texts of each side, all players on one clock.

import { Clock } from "./clock.js";
import { all, find } from "./elements.js";
import { onKey } from "./keys.js";
import { Player } from "./player/player.js";
import "./rail.js";
import { columnsOf, drawingAt, fill } from "./tape.js";
import { controlsOf } from "./timeline/controls.js";
import { Drawing } from "./timeline/drawing.js";
import { modelOf } from "./timeline/model.js";
import { Moment } from "./timeline/moment.js";

/**
 * @import { PlayerLane } from "./player/player.js"
 * @import { Model } from "./timeline/model.js"
 * @typedef {{ model: Model, output: HTMLOutputElement }} Side
 */

onKey({ s: () => document.getElementById("swap")?.click() });

/** @type {(address: string) => Promise<Player>} */
async function playerOf(address) {
  const player = new Player();
  await fill(player, columnsOf(await drawingAt(address)));
  return player;
}

/** @type {(player: Player, lane: PlayerLane, button: HTMLButtonElement) => Promise<void>} */
async function fetchText(player, lane, button) {
  if (lane.href === null) return;
  const answer = await fetch(lane.href);
  if (answer.ok) player.append({ texts: [[lane.index, await answer.text()]] });
  else button.textContent = "The text could not be loaded";
}

// One side; every axis ends where the longest does, so that the same moment is at the same place.
/** @type {(box: HTMLElement, clock: Clock, own: Model) => Promise<Side>} */
async function sideOf(box, clock, own) {
  const { player } = own;
  const model = { ...own, end: clock.end };
  const drawing = new Drawing(box, model, clock);
  const moment = new Moment(model, (lane, button) => fetchText(player, lane, button));
  moment.setPart(drawing.part);
  box.append(moment.box);
  const output = document.createElement("output");
  let due = 0;
  player.listen(() => {
    cancelAnimationFrame(due);
    due = requestAnimationFrame(() => {
      drawing.say(output);
      moment.show();
    });
  });
  drawing.say(output);
  return { model, output };
}

/** @type {(section: HTMLElement) => Promise<void>} */
async function replay(section) {
  const boxes = all(section, ".lanes[data-src]", HTMLElement);
  const addresses = boxes.map((box) => box.dataset.src ?? "");
  const players = await Promise.all(addresses.map(playerOf));
  const clock = new Clock(...players);
  const sides = [];
  for (const [at, box] of boxes.entries()) {
    const drawing = await drawingAt(addresses[at]);
    sides.push(await sideOf(box, clock, await modelOf(players[at], drawing)));
  }
  const controls = controlsOf(sides[0].model, clock, (name, by) => {
    clock.pause();
    clock[name](by);
  });
  controls.output.replaceWith(...sides.map((side) => side.output));
  boxes.at(-1)?.after(controls.box);
  section.dataset.drawn = "true";
}

for (const section of all(document, ".replay", HTMLElement)) {
  replay(section).catch((error) => {
    find(section, ".failed", HTMLElement)?.removeAttribute("hidden");
    throw error;
  });
}
