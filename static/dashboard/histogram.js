// Drawing over the strip narrows the list to that time; a bar alone is a link.

import { all, around, find, within } from "./elements.js";

const MIN_PX = 4;

/** @type {number | null} */
let from = null;

const bars = () => find(document, "#bars", Element);
/** @type {(strip: Element) => SVGGElement[]} */
const slots = (strip) => all(strip, "[data-href]", SVGGElement);

/** @type {(strip: Element, x: number) => SVGGElement} */
function at(strip, x) {
  const { left, width } = strip.getBoundingClientRect();
  const found = slots(strip);
  const place = Math.floor(((x - left) / width) * found.length);
  return found[Math.min(Math.max(place, 0), found.length - 1)];
}

/** @type {(strip: Element, from: number, to: number) => void} */
function draw(strip, from, to) {
  const drawn = within(document, "#drawn", SVGElement);
  const { left } = strip.getBoundingClientRect();
  drawn.setAttribute("x", String(Math.min(from, to) - left));
  drawn.setAttribute("width", String(Math.abs(to - from)));
  drawn.toggleAttribute("hidden", Math.abs(to - from) < MIN_PX);
}

/** @type {(first: SVGGElement, last: SVGGElement) => string} */
function address(first, last) {
  const start = new URL(first.dataset.href ?? "", location.href);
  const end = new URL(last.dataset.href ?? "", location.href);
  start.searchParams.set("until", end.searchParams.get("until") ?? "");
  return start.href;
}

document.addEventListener("pointerdown", (event) => {
  if (event.button !== 0 || event.pointerType === "touch") return;
  if (!around(event.target, "#bars", Element)) return;
  from = event.clientX;
  // The browser would drag the link.
  event.preventDefault();
});

document.addEventListener("pointermove", (event) => {
  const strip = bars();
  if (from !== null && strip) draw(strip, from, event.clientX);
});

document.addEventListener("pointerup", (event) => {
  const strip = bars();
  if (from === null || !strip) return;
  const [left, right] = [from, event.clientX].sort((a, b) => a - b);
  from = null;
  if (right - left < MIN_PX) return;
  location.assign(address(at(strip, left), at(strip, right)));
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || from === null) return;
  from = null;
  document.getElementById("drawn")?.setAttribute("hidden", "");
});

// The click at the end of a drag is no click on a bar.
document.addEventListener(
  "click",
  (event) => {
    const drawn = document.getElementById("drawn");
    if (around(event.target, "#bars", Element) && drawn && !drawn.hasAttribute("hidden"))
      event.preventDefault();
  },
  true,
);
