// Single keys, left alone while somebody types or means a shortcut of the browser.

const TYPED_IN = "input:not([type=checkbox]), textarea, select, [contenteditable]";

export function onKey(handlers) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.(TYPED_IN)) return;
    const handler = handlers[event.key];
    if (handler && handler(event) !== false) event.preventDefault();
  });
}

export function showKeys() {
  for (const legend of document.querySelectorAll(".keys")) legend.hidden = false;
}
