// Menus close when somebody presses beside them, or Escape in them.

import { all, around } from "./elements.js";

document.addEventListener("click", ({ target }) => {
  // The palette opens a menu to press what is in it.
  if (!(target instanceof Element) || target.closest("dialog")) return;
  for (const menu of all(document, "details.drop[open]", HTMLDetailsElement)) {
    if (!menu.contains(target)) menu.open = false;
  }
});

document.addEventListener("keydown", ({ key, target }) => {
  const menu = around(target, "details.drop[open]", HTMLDetailsElement);
  if (key !== "Escape" || !menu) return;
  menu.open = false;
  menu.querySelector("summary")?.focus();
});
