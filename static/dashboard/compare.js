// The replay on the compare page: a drawing and the texts of each side, all players on one clock.

import { Clock } from "./clock.js";
import { Player } from "./player.js";
import { columnsOf, drawingAt, fill } from "./tape.js";
import { controlsOf } from "./timeline/controls.js";
import { Drawing } from "./timeline/drawing.js";
import { modelOf } from "./timeline/model.js";
import { Moment } from "./timeline/moment.js";

async function playerOf(address) {
  const player = new Player();
  await fill(player, columnsOf(await drawingAt(address)));
  return player;
}

async function fetchText(player, lane, button) {
  const answer = await fetch(lane.href);
  if (answer.ok) player.append({ texts: [[lane.index, await answer.text()]] });
  else button.textContent = "The text could not be fetched";
}

// One side; every axis ends where the longest does, so that the same moment is at the same place.
async function sideOf(box, clock, player, end) {
  const model = Object.assign(await modelOf(player, await drawingAt(box.dataset.src)), { end });
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

async function replay(section) {
  const boxes = [...section.querySelectorAll(".lanes[data-src]")];
  const players = await Promise.all(boxes.map((box) => playerOf(box.dataset.src)));
  const clock = new Clock(...players);
  const sides = [];
  for (const [at, box] of boxes.entries()) sides.push(await sideOf(box, clock, players[at], clock.end));
  const controls = controlsOf(sides[0].model, clock, (name, by) => {
    clock.pause();
    clock[name](by);
  });
  controls.output.replaceWith(...sides.map((side) => side.output));
  boxes.at(-1).after(controls.box);
  section.dataset.drawn = "true";
}

for (const section of document.querySelectorAll(".replay")) {
  replay(section).catch((error) => {
    section.querySelector(".failed").hidden = false;
    throw error;
  });
}
