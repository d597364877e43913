// The finished page takes the place of the live one, part by part and without a reload: what stands in
// the window stays where it is, and a form that somebody fills in stays as it is.

import { find } from "../elements.js";

/**
 * @typedef {{ isHeld: () => boolean, isLive: () => boolean, isFollowed: () => boolean,
 *   finished: (sentence: string) => void }} Ending
 * @typedef {{ id: string, edge: "top" | "bottom", at: number }} Anchor
 */

/** @type {(ending: Ending) => void} */
export function replaceInPlace(ending) {
  /** @type {Anchor | null} */
  let anchor = null;
  let isShown = true;
  document.addEventListener("htmx:configRequest", (event) => {
    if (event.detail.elt.id !== "live") return;
    if (ending.isHeld()) event.preventDefault();
    // What the stream tells is not asked for.
    if (ending.isLive()) event.detail.parameters.live = "1";
  });
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    if (detail.requestConfig.elt.id === "live") {
      // It may have been asked for before the page was paused.
      isShown = !ending.isHeld();
      if (!isShown) detail.shouldSwap = false;
    }
    if (isShown && isOver(detail.xhr)) anchor = anchorOf(ending.isFollowed());
  });
  document.addEventListener("htmx:oobBeforeSwap", ({ detail }) => {
    if (detail.target.id === "head") keepForm(detail.target, detail.fragment);
    if (detail.target.id === "panels") keepHeight(detail.target, detail.fragment);
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    const { requestConfig, xhr } = event.detail;
    if (requestConfig.elt.id !== "live" || !isShown || !isOver(xhr)) return;
    if (anchor) keep(anchor);
    traceTimeline();
    const sentence = find(document, ".capture-head h1", HTMLElement)?.textContent ?? "";
    ending.finished(sentence.trim().replace(/\s+/g, " "));
  });
}

/** @type {(xhr: XMLHttpRequest) => boolean} */
function isOver(xhr) {
  return xhr.getResponseHeader("X-Recording") === "over";
}

// Whoever followed has seen the end of the answer; else the panel at the top of the window.
/** @type {(isFollowed: boolean) => Anchor | null} */
function anchorOf(isFollowed) {
  if (window.scrollY === 0) return null;
  const panels = [...document.querySelectorAll(".panel")];
  const inView = panels.find((panel) => panel.getBoundingClientRect().bottom > 60);
  const panel = isFollowed ? document.getElementById("choices") : inView;
  const edge = isFollowed ? "bottom" : "top";
  return panel ? { id: panel.id, edge, at: panel.getBoundingClientRect()[edge] } : null;
}

/** @type {(anchor: Anchor) => void} */
function keep({ id, edge, at }) {
  const panel = document.getElementById(id);
  if (panel)
    window.scrollBy({ top: panel.getBoundingClientRect()[edge] - at, behavior: "instant" });
}

// Selections can be traced now that there is a whole timeline.
function traceTimeline() {
  const address = find(document, "#timeline [data-src]", HTMLElement)?.dataset.src;
  const trace = find(document, "#trace", HTMLElement);
  if (trace && address) trace.dataset.timeline = address;
}

/** @type {(head: Element, fragment: DocumentFragment) => void} */
function keepForm(head, fragment) {
  const open = head.querySelector(".edit[open]");
  const acts = open?.closest(".acts");
  const focused = document.activeElement;
  if (!acts) return;
  fragment.querySelector(".acts")?.replaceWith(acts);
  if (focused instanceof HTMLElement && acts.contains(focused)) {
    requestAnimationFrame(() => focused.focus({ preventScroll: true }));
  }
}

// The new drawing is fetched: until then its place is as high as that of the old one.
/** @type {(panels: Element, fragment: DocumentFragment) => void} */
function keepHeight(panels, fragment) {
  const [before, after] = [
    find(panels, ".lanes", HTMLElement),
    find(fragment, ".lanes", HTMLElement),
  ];
  if (before && after) after.style.minHeight = `${before.offsetHeight}px`;
}
