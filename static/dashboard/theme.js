// Light or dark, where its reader does not leave that to the system. Kept in this browser.

const KEY = "theme";
const root = document.documentElement;

/** @returns {string} */
function kept() {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

/** @type {(theme: string) => void} */
function show(theme) {
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  document.dispatchEvent(new Event("theme"));
}

show(kept());
root.classList.add("has-theme");

const menu = document.getElementById("account-menu");
const chosen = document.getElementById("theme");
if (chosen instanceof HTMLSelectElement) {
  chosen.value = kept();
  chosen.addEventListener("change", () => {
    show(chosen.value);
    try {
      localStorage.setItem(KEY, chosen.value);
    } catch {
      // The choice then lasts as long as the page.
    }
  });
}
if (menu instanceof HTMLDetailsElement) {
  document.addEventListener("click", ({ target }) => {
    if (target instanceof Node && !menu.contains(target)) menu.open = false;
  });
  menu.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
  });
}
