// What opens over the page closes when somebody presses beside it, or Escape; then what opened it
// has the focus again.

import { all, around } from "./elements.js";

const OPEN = ["drop", "edit", "save-view", "view-choices"]
  .map((name) => `details.${name}[open]`)
  .join(", ");

document.addEventListener("click", ({ target }) => {
  // The palette opens a menu to press what is in it; what was swapped away is nowhere.
  if (!(target instanceof Element) || target.closest("dialog") || !target.isConnected) return;
  for (const menu of all(document, OPEN, HTMLDetailsElement)) {
    if (!menu.contains(target)) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented) return;
  if (around(event.target, "dialog", Element)) return;
  // Of those within each other the inner one; where the focus is elsewhere, the one opened.
  const menu =
    around(event.target, OPEN, HTMLDetailsElement)
    ?? all(document, OPEN, HTMLDetailsElement).at(-1);
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary")?.focus();
});
