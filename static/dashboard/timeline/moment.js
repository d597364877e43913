// What had arrived at a moment, in words: one block per choice under the player.

import { lengthAt } from "./model.js";
import { count, momentWords } from "./scale.js";

const TAIL = 600;

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function stateOf(lane, moment) {
  const length = lengthAt(lane, moment);
  const part = element("div");
  const head = element("div");
  head.append(element("b", "", lane.name), " ", element("span", "soft", `${count(length)} of ${count(lane.length)} characters`));
  part.append(head);
  if (lane.text === null) part.append(element("span", "soft", "The text is too long, or a snapshot, to be shown in parts."));
  else part.append(element("span", `text ${lane.kind}`, tail(lane.text.slice(0, length))));
  return part;
}

function tail(text) {
  return text.length > TAIL ? `… ${text.slice(-TAIL)}` : text;
}

export function showMoment(box, model, moment) {
  box.replaceChildren(element("div", "label", `State at ${momentWords(model, moment)}`));
  for (const choice of new Set(model.lanes.map((lane) => lane.choice))) {
    const block = element("div");
    block.append(element("b", "", `choice ${choice}`));
    const begun = model.lanes.filter((lane) => lane.choice === choice && lengthAt(lane, moment) > 0);
    for (const lane of begun) block.append(stateOf(lane, moment));
    if (!begun.length) block.append(element("div", "soft", "nothing yet"));
    box.append(block);
  }
}
