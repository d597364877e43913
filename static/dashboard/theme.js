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
