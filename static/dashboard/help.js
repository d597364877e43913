// ? lists the keys of a page: every <dl class="keys"> on it, and those that say it of themselves.

import { around } from "./elements.js";
import { onKey } from "./keys.js";

function rows() {
  const copies = new DocumentFragment();
  for (const row of document.querySelectorAll("dl.keys > div")) copies.append(row.cloneNode(true));
  for (const button of copies.querySelectorAll("button")) button.replaceWith(button.textContent);
  return copies;
}

function dialog() {
  const made = document.createElement("dialog");
  made.className = "help";
  made.setAttribute("aria-labelledby", "help-title");
  made.innerHTML =
    '<h2 id="help-title">Keys</h2><dl></dl><form method="dialog"><button>Close <kbd>Esc</kbd></button></form>';
  made.querySelector("dl")?.append(rows());
  made.addEventListener("close", () => made.remove());
  document.body.append(made);
  return made;
}

function show() {
  if (rows().childElementCount === 0) return false;
  if (!document.querySelector("dialog.help")) dialog().showModal();
  return true;
}

onKey({ "?": show });
document.addEventListener("click", (event) => {
  if (around(event.target, "[data-help]", Element)) show();
});
