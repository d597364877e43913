// Which event somebody points at, told to the whole page; and what the page lights in answer.

/**
 * @typedef {{ event: number | null, pinned: boolean }} Pointed
 * @typedef {{ events: [first: number, last: number][], lane?: number | null, start?: number, end?: number }} Lit
 */

/** @type {Pointed} */
let last = { event: null, pinned: false };

/** @type {(event: number | null, pinned?: boolean) => void} */
export function point(event, pinned = false) {
  if (event === last.event && !pinned) return;
  last = { event, pinned };
  document.dispatchEvent(new CustomEvent("pointed", { detail: { event, pinned } }));
}

// {events: [[first, last], …], lane, start, end}, or null; it holds until the next.
/** @type {Lit | null} */
let lit = null;

/** @type {() => Lit | null} */
export function litNow() {
  return lit;
}

document.addEventListener("lit", ({ detail }) => {
  lit = detail;
});
