// Single keys, left alone while somebody types or means a shortcut of the browser.

import { all, around } from "./elements.js";

const TYPED_IN = "input:not([type=checkbox]), textarea, select, [contenteditable]";

/** @type {(handlers: Record<string, (event: KeyboardEvent) => unknown>) => void} */
export function onKey(handlers) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (around(event.target, TYPED_IN, Element)) return;
    const handler = handlers[event.key];
    if (handler && handler(event) !== false) event.preventDefault();
  });
}

export function showKeys() {
  for (const legend of all(document, ".keys", HTMLElement)) legend.hidden = false;
}
