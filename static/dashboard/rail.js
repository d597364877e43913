// A page of panels: number keys jump to them, j and k to neighbours; the rail follows the page.

import { all, find } from "./elements.js";
import { onKey, showKeys } from "./keys.js";

// Asked anew each time: the rail of a recording is replaced when that ends.
const links = () => all(document, ".rail a[data-key]", HTMLAnchorElement);

/** @type {(key: string) => unknown} */
function jump(key) {
  const link = links().find(({ dataset }) => dataset.key === key);
  if (!link) return false;
  link.click();
  find(document, link.hash, HTMLElement)?.focus({ preventScroll: true });
  // Where the whole page is in view, nothing scrolls.
  return follow();
}

// What a panel keeps folded is open to whoever comes for it.
function unfold() {
  const panel = document.getElementById(location.hash.slice(1));
  panel?.querySelector(":scope > details.unfolds")?.setAttribute("open", "");
}
window.addEventListener("hashchange", unfold);
unfold();

/** @type {Record<string, () => unknown>} */
const handlers = {
  j: () => document.getElementById("older")?.click(),
  k: () => document.getElementById("newer")?.click(),
};
for (const key of "123456789") handlers[key] = () => jump(key);
onKey(handlers);
showKeys();

/** @type {(id: string) => void} */
function mark(id) {
  for (const link of links()) {
    if (link.hash === `#${id}`) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

// The current panel is the one that was jumped to, or into, while that is near the top (short ones follow
// it closely, and at the end of the page none can come there); else the last whose head has passed.
function follow() {
  const panels = all(document, ".panel", HTMLElement).filter((panel) => panel.checkVisibility());
  const edge = window.innerHeight / 3;
  const passed = panels.filter((panel) => panel.getBoundingClientRect().top < edge);
  const atEnd = window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 2;
  const wanted = document.querySelector(".panel:focus, .panel .arrived");
  const top = wanted?.getBoundingClientRect().top ?? -Infinity;
  const holds = atEnd ? wanted : top > -2 && top < edge;
  // At the top of the page the first panel is read, however short it is.
  const read = window.scrollY > 1 ? passed.at(-1) : panels[0];
  const here = holds ? wanted?.closest(".panel") : (read ?? panels[0]);
  if (here) mark(here.id);
}

let due = 0;
document.addEventListener(
  "scroll",
  () => {
    cancelAnimationFrame(due);
    due = requestAnimationFrame(follow);
  },
  { passive: true },
);
// The browser may have scrolled there before it was known to be arrived at, and does not again.
document.addEventListener("arrived", follow);
document.addEventListener("htmx:oobAfterSwap", ({ detail }) => {
  if (detail.target.id !== "rail") return;
  showKeys();
  follow();
});
follow();
