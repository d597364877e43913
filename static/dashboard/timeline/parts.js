// Which choices are drawn, where there are more lanes than a drawing can hold.

import { MAX_ROWS } from "./model.js";

/** @import { Model, Part } from "./model.js" */

/** @type {(part: Part) => string} */
function nameOf({ lanes }) {
  const choices = lanes.map(({ lane }) => lane.choice);
  const [first, last] = [Math.min(...choices), Math.max(...choices)];
  return first === last ? `choice ${first}` : `choices ${first} to ${last}`;
}

/** @type {(model: Model) => string} */
function sentence({ parts, lanes }) {
  const cut = parts.some(({ left }) => left > 0)
    ? ` Of one choice the first ${MAX_ROWS} are drawn.`
    : "";
  return `${lanes.length} lanes are more than can be seen at once: some are drawn, the table holds all.${cut} `;
}

// null where all are drawn.
/**
 * @type {(model: Model, choose: (part: Part) => void) => { box: HTMLElement,
 *   show: (part: Part) => void } | null}
 */
export function partChooser(model, choose) {
  const { parts } = model;
  if (parts.length < 2 && !(parts[0]?.left > 0)) return null;
  const box = Object.assign(document.createElement("p"), { className: "why parts" });
  box.append(sentence(model));
  const select = document.createElement("select");
  select.setAttribute("aria-label", "Choices that are drawn");
  for (const part of parts) select.append(new Option(nameOf(part)));
  select.addEventListener("change", () => choose(parts[select.selectedIndex]));
  box.append(select);
  return {
    box,
    show: (part) => {
      select.selectedIndex = parts.indexOf(part);
    },
  };
}
