// Copies exact text: the name of an invisible character is copied as that character, and what was
// only put beside the text (footnote numbers, forks, folds) is left out.
//
// A button names the element that holds the text: <button type="button" class="copy"
// data-copy="#id" hidden>. A part that is no text carries data-uncopied. A selection inside an
// element with data-exact is copied the same way.

const SAID_MS = 1_500;

function character(mark) {
  return String.fromCodePoint(parseInt(mark.dataset.code, 16));
}

function exactText(node) {
  if (node.nodeType === Node.TEXT_NODE) return node.data;
  if (node.dataset?.code) return character(node);
  if (node.dataset && "uncopied" in node.dataset) return "";
  return [...node.childNodes].map(exactText).join("");
}

// Without a secure origin there is no clipboard to write to, but what a selection copies can be set.
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

export async function write(text) {
  if (!navigator.clipboard) return writeAsSelection(text);
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return writeAsSelection(text);
  }
}

async function copy(button) {
  const written = await write(exactText(document.querySelector(button.dataset.copy)));
  button.dataset.word ??= button.textContent;
  button.textContent = written ? "Copied" : "Not copied";
  clearTimeout(button.due);
  button.due = setTimeout(() => { button.textContent = button.dataset.word; }, SAID_MS);
  button.focus();
}

function show() {
  for (const button of document.querySelectorAll("button.copy[hidden]")) button.hidden = false;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button.copy");
  if (button) copy(button);
});

document.addEventListener("copy", (event) => {
  const selection = document.getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return;
  const range = selection.getRangeAt(0);
  const within = range.commonAncestorContainer;
  const element = within.nodeType === Node.ELEMENT_NODE ? within : within.parentElement;
  if (!element?.closest("[data-exact]")) return;
  event.clipboardData.setData("text/plain", exactText(range.cloneContents()));
  event.preventDefault();
});

document.addEventListener("htmx:afterSettle", show);
show();
