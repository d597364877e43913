// Drawing over the strip narrows the list to that time; without it every bar is a link.

const FEWEST_PX = 4;

let from = null;

const bars = () => document.getElementById("bars");
const slots = () => [...bars().querySelectorAll("a")];

function at(x) {
  const { left, width } = bars().getBoundingClientRect();
  const all = slots();
  return Math.min(Math.max(Math.floor(((x - left) / width) * all.length), 0), all.length - 1);
}

function draw(to) {
  const drawn = document.getElementById("drawn");
  const { left } = bars().getBoundingClientRect();
  drawn.setAttribute("x", Math.min(from, to) - left);
  drawn.setAttribute("width", Math.abs(to - from));
  drawn.toggleAttribute("hidden", Math.abs(to - from) < FEWEST_PX);
}

function address(first, last) {
  const start = new URL(first.href.baseVal, location.href);
  const end = new URL(last.href.baseVal, location.href);
  start.searchParams.set("until", end.searchParams.get("until"));
  return start.href;
}

document.addEventListener("pointerdown", (event) => {
  if (event.button !== 0 || event.pointerType === "touch" || !event.target.closest("#bars")) return;
  from = event.clientX;
  // The browser would drag the link.
  event.preventDefault();
});

document.addEventListener("pointermove", (event) => {
  if (from !== null && bars()) draw(event.clientX);
});

document.addEventListener("pointerup", (event) => {
  if (from === null || !bars()) return;
  const [left, right] = [from, event.clientX].sort((a, b) => a - b);
  from = null;
  if (right - left < FEWEST_PX) return;
  const all = slots();
  location.assign(address(all[at(left)], all[at(right)]));
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || from === null) return;
  from = null;
  document.getElementById("drawn").setAttribute("hidden", "");
});

// The click at the end of a drag is no click on a bar.
document.addEventListener("click", (event) => {
  const drawn = document.getElementById("drawn");
  if (event.target.closest("#bars") && drawn && !drawn.hasAttribute("hidden")) event.preventDefault();
}, true);
