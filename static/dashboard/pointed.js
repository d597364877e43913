// Which event somebody points at, told to the whole page; and what the page lights in answer.

let last = { event: null, pinned: false };

export function point(event, pinned = false) {
  if (event === last.event && !pinned) return;
  last = { event, pinned };
  document.dispatchEvent(new CustomEvent("pointed", { detail: { event, pinned } }));
}

// {events: [[first, last], …], lane, start, end}, or null; it holds until the next.
let lit = null;

export function litNow() {
  return lit;
}

document.addEventListener("lit", ({ detail }) => { lit = detail; });
