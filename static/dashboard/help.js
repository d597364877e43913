// ? lists the keys of a page: every <dl class="keys"> on it, and those that every page has.

import { around } from "./elements.js";
import { onKey } from "./keys.js";

// Every page has these.
const COMMON = `
  <div><dt><kbd>Ctrl</kbd> <kbd>K</kbd></dt><dd>search or jump to</dd></div>
  <div><dt><kbd>Tab</kbd></dt><dd>next link or field</dd></div>
  <div><dt><kbd>?</kbd></dt><dd>all keys</dd></div>`;

function rows() {
  const copies = new DocumentFragment();
  for (const row of document.querySelectorAll("dl.keys > div")) {
    if (!row.querySelector("[data-help]")) copies.append(row.cloneNode(true));
  }
  return copies;
}

function dialog() {
  const made = document.createElement("dialog");
  made.className = "help";
  made.setAttribute("aria-labelledby", "help-title");
  made.innerHTML = `<h2 id="help-title">Keys</h2><dl>${COMMON}</dl>
    <form method="dialog"><button>Close <kbd>Esc</kbd></button></form>`;
  made.querySelector("dl")?.prepend(rows());
  made.addEventListener("close", () => made.remove());
  document.body.append(made);
  return made;
}

function show() {
  if (!document.querySelector("dialog.help")) dialog().showModal();
}

onKey({ "?": show });
document.addEventListener("click", (event) => {
  if (around(event.target, "[data-help]", Element)) show();
});
