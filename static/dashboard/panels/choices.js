// Choices that stand beside each other in more columns than there is room for: which ones are in
// view, and steps to the next and the previous ones.

import { all, find, within } from "../elements.js";

// Those of which more than half is in view.
/** @type {(row: HTMLElement) => HTMLElement[]} */
function inView(row) {
  const { left, right } = row.getBoundingClientRect();
  return all(row, ".choice", HTMLElement).filter((choice) => {
    const box = choice.getBoundingClientRect();
    const middle = (box.left + box.right) / 2;
    return middle > left && middle < right;
  });
}

/** @type {(choice: Element | undefined) => string} */
const indexOf = (choice) => choice?.getAttribute("aria-labelledby")?.replace("choice-", "") ?? "";

/** @type {(shown: HTMLElement[], total: number) => string} */
function rangeWords(shown, total) {
  const [first, last] = [indexOf(shown[0]), indexOf(shown.at(-1))];
  const range = first === last ? `choice ${first}` : `choices ${first} to ${last}`;
  return `${range} of ${total.toLocaleString("en")}`;
}

/** @type {(row: HTMLElement) => void} */
function tell(row) {
  const steps = find(document, ".step-choices", HTMLElement);
  if (!steps) return;
  const hidden = row.scrollWidth - row.clientWidth - 1;
  steps.hidden = hidden <= 0;
  within(steps, "span", HTMLElement).textContent = rangeWords(
    inView(row),
    Number(row.dataset.total),
  );
  for (const button of all(steps, "button", HTMLButtonElement)) {
    const isBack = button.dataset.stepChoices === "-1";
    button.disabled = isBack ? row.scrollLeft <= 0 : row.scrollLeft >= hidden;
  }
}

// By as many as are in view.
/** @type {(row: HTMLElement, towards: number) => void} */
function step(row, towards) {
  const [first, second] = all(row, ".choice", HTMLElement);
  const width = first && second ? second.offsetLeft - first.offsetLeft : row.clientWidth;
  row.scrollLeft += towards * width * Math.max(inView(row).length, 1);
}

const tellAll = () => all(document, ".columns-many", HTMLElement).forEach(tell);

document.addEventListener("click", ({ target }) => {
  const row = find(document, ".columns-many", HTMLElement);
  if (row && target instanceof HTMLButtonElement && target.dataset.stepChoices) {
    step(row, Number(target.dataset.stepChoices));
  }
});

// A scroll inside an element does not bubble.
document.addEventListener(
  "scroll",
  ({ target }) => {
    if (target instanceof HTMLElement && target.matches(".columns-many")) tell(target);
  },
  { capture: true, passive: true },
);
window.addEventListener("resize", tellAll);
document.addEventListener("htmx:afterSettle", tellAll);
tellAll();
