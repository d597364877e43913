// Copies exact text: the name of an invisible character is copied as that character, and what was
// only put beside the text (footnote numbers, forks, folds) is left out.
//
// A button names the element that holds the text: <button type="button" class="copy"
// data-copy="#id" hidden>. A part that is no text carries data-uncopied. A selection inside an
// element with data-exact is copied the same way.

import { all, around, within } from "./elements.js";

const SAID_MS = 1_500;
/** @type {WeakMap<HTMLElement, number>} */
const due = new WeakMap();

/** @type {(mark: HTMLElement) => string} */
function character(mark) {
  return String.fromCodePoint(parseInt(mark.dataset.code ?? "", 16));
}

/** @type {(node: Node) => string} */
function exactText(node) {
  if (node instanceof Text) return node.data;
  if (node instanceof HTMLElement && node.dataset.code) return character(node);
  if (node instanceof HTMLElement && "uncopied" in node.dataset) return "";
  return [...node.childNodes].map(exactText).join("");
}

// Without a secure origin there is no clipboard to write to, but what a selection copies can be set.
/** @type {(text: string) => boolean} */
function writeAsSelection(text) {
  const box = document.createElement("textarea");
  box.className = "unseen";
  document.body.append(box);
  box.value = text;
  box.select();
  const written = document.execCommand("copy");
  box.remove();
  return written;
}

/** @type {(text: string) => Promise<boolean>} */
export async function write(text) {
  if (!navigator.clipboard) return writeAsSelection(text);
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return writeAsSelection(text);
  }
}

/** @type {(button: HTMLElement) => Promise<void>} */
async function copy(button) {
  const written = await write(exactText(within(document, button.dataset.copy ?? "", Element)));
  const word = button.dataset.word ?? button.textContent;
  button.dataset.word = word;
  button.textContent = written ? "Copied" : "Not copied";
  clearTimeout(due.get(button));
  const back = setTimeout(() => {
    button.textContent = word;
  }, SAID_MS);
  due.set(button, back);
  button.focus();
}

function show() {
  for (const button of all(document, "button.copy[hidden]", HTMLElement)) button.hidden = false;
}

document.addEventListener("click", (event) => {
  const button = around(event.target, "button.copy", HTMLElement);
  if (button) copy(button);
});

document.addEventListener("copy", (event) => {
  const selection = document.getSelection();
  if (!selection?.rangeCount || selection.isCollapsed) return;
  const range = selection.getRangeAt(0);
  const common = range.commonAncestorContainer;
  const element = common instanceof Element ? common : common.parentElement;
  if (!element?.closest("[data-exact]")) return;
  event.clipboardData?.setData("text/plain", exactText(range.cloneContents()));
  event.preventDefault();
});

document.addEventListener("htmx:afterSettle", show);
show();
