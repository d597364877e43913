// ? lists the keys of a page: every <dl class="keys"> on it, and those that say it of themselves.

import { onKey } from "./keys.js";

function rows() {
  const named = [...document.querySelectorAll("dl.keys > div")].map((row) => row.cloneNode(true));
  for (const row of named) for (const button of row.querySelectorAll("button")) button.replaceWith(button.textContent);
  return named;
}

function dialog() {
  const made = document.createElement("dialog");
  made.className = "help";
  made.setAttribute("aria-labelledby", "help-title");
  made.innerHTML = '<h2 id="help-title">Keys</h2><dl></dl><form method="dialog"><button>Close <kbd>Esc</kbd></button></form>';
  made.querySelector("dl").append(...rows());
  made.addEventListener("close", () => made.remove());
  document.body.append(made);
  return made;
}

function show() {
  if (rows().length === 0) return false;
  if (!document.querySelector("dialog.help")) dialog().showModal();
  return true;
}

onKey({ "?": show });
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-help]")) show();
});
