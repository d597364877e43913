// How the rows of the archive are shown: which columns, and the prompt below the answer. Kept in this browser.

import { all, byId } from "./elements.js";

const KEY = "archive-view";
// So many more columns than the page shows at first leave the answer no room.
const CROWDED = 2;
const root = document.documentElement;
const details = byId("view-choices", HTMLDetailsElement);
const boxes = all(details, "[data-view]", HTMLInputElement);

/** @type {(box: HTMLInputElement) => string} */
const nameOf = (box) => box.dataset.view ?? "";

// What was chosen, by name; what was not stays as the page has it.
/** @returns {Record<string, boolean>} */
function chosen() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return kept && typeof kept === "object" ? kept : {};
  } catch {
    // Another program's text, or a browser that keeps nothing.
    return {};
  }
}

/** @type {(view: Record<string, boolean>) => void} */
function keep(view) {
  try {
    if (Object.keys(view).length) localStorage.setItem(KEY, JSON.stringify(view));
    else localStorage.removeItem(KEY);
  } catch {
    // The choice then lasts as long as the page.
  }
}

/** @type {(view: Record<string, boolean>) => void} */
function show(view) {
  for (const box of boxes) {
    box.checked = view[nameOf(box)] ?? "shown" in box.dataset;
    root.classList.toggle(`view-${nameOf(box)}`, box.checked);
  }
  const added = boxes.filter((box) => box.checked && !("shown" in box.dataset)).length;
  root.classList.toggle("view-crowded", added >= CROWDED);
  root.style.setProperty("--added-columns", String(added));
}

// Until here every column that is shown at first is.
root.classList.add("has-view");
show(chosen());
details.hidden = false;

details.addEventListener("change", () => {
  const differing = boxes.filter((box) => box.checked !== "shown" in box.dataset);
  const view = Object.fromEntries(differing.map((box) => [nameOf(box), box.checked]));
  keep(view);
  show(view);
});

byId("view-reset", HTMLButtonElement).addEventListener("click", () => {
  keep({});
  show({});
});

const orders = document.querySelector(".sort-by select");
orders?.addEventListener("change", () => {
  if (orders instanceof HTMLSelectElement) orders.form?.requestSubmit();
});

// Another tab's choice.
window.addEventListener("storage", (event) => {
  if (event.key === KEY || event.key === null) show(chosen());
});
