// The paste page: what is typed, pasted or dropped is sent byte for byte and read at once.

import { around, byId, find, within } from "./elements.js";
import "./panels/choices.js";
import { Evidence } from "./paste/evidence.js";
import { Gutter } from "./paste/gutter.js";

const SOON_MS = 250;
const LATER_MS = 1_000;
const LARGE_BYTES = 300_000;

const form = byId("paste", HTMLFormElement);
const box = byId("text", HTMLTextAreaElement);
const status = byId("paste-status", HTMLElement);
const result = byId("result", HTMLElement);
const paper = within(form, ".paper", HTMLElement);
const chosen = within(form, "input[type=file]", HTMLInputElement);
const maxBytes = Number(form.dataset.maxBytes);
const evidence = new Evidence(box);
const gutter = new Gutter(box, within(form, ".gutter", HTMLElement));

byId("inspect", HTMLElement).hidden = true;
byId("line-ends", HTMLElement).hidden = true;
chosen.previousSibling?.replaceWith("or drop a file here, or choose one ");

let due = 0;

const marks = () => find(result, "[data-marks]", HTMLElement)?.dataset.marks ?? "";

/** @type {(count: number, word: string) => string} */
function number(count, word) {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}

function tell() {
  const { blob, name, words } = evidence;
  const lines = box.value ? number(box.value.replace(/\n$/, "").split("\n").length, "line") : "";
  status.textContent = blob.size
    ? [name, number(blob.size, "byte"), lines, words].filter(Boolean).join(", ")
    : "";
}

function changed() {
  gutter.draw();
  gutter.mark("");
  tell();
  clearTimeout(due);
  due = setTimeout(inspect, evidence.blob.size > LARGE_BYTES ? LATER_MS : SOON_MS);
}

function inspect() {
  clearTimeout(due);
  if (evidence.blob.size > maxBytes) {
    status.textContent = `This is over the limit of ${number(maxBytes, "byte")}.`;
    return;
  }
  htmx.trigger(form, "inspect");
}

/** @type {(file: File) => Promise<void>} */
async function take(file) {
  await evidence.take(file);
  changed();
}

box.addEventListener("paste", (event) => {
  const file = event.clipboardData?.files[0];
  if (file) {
    event.preventDefault();
    take(file);
  } else evidence.notePaste(event.clipboardData?.getData("text/plain") ?? "");
});

box.addEventListener("input", (event) => {
  evidence.noteInput(event instanceof InputEvent ? event.inputType : "");
  chosen.value = "";
  changed();
});

form.addEventListener("change", (event) => {
  const file = event.target === chosen && chosen.files?.[0];
  if (file) take(file);
  else if (event.target instanceof HTMLSelectElement) inspect();
});

// Files may be dropped anywhere: a browser that opened one instead would leave the page.
document.addEventListener("dragover", (event) => {
  if (!event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  paper.classList.add("over");
});
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) paper.classList.remove("over");
});
document.addEventListener("drop", (event) => {
  paper.classList.remove("over");
  const file = event.dataTransfer?.files[0];
  if (!file) return;
  event.preventDefault();
  take(file);
});

// In place of the text of the box, whose line ends a form would change, go the bytes.
document.addEventListener("htmx:configRequest", (event) => {
  const source = event.detail.elt.closest("#paste, [data-carries]");
  if (!source) return;
  const { formData } = event.detail;
  formData.delete("text");
  formData.set("name", evidence.name);
  formData.set("file", evidence.blob, "bytes");
});

document.addEventListener("htmx:beforeRequest", () => result.classList.add("asking"));
document.addEventListener("htmx:afterRequest", () => result.classList.remove("asking"));

for (const failure of ["htmx:responseError", "htmx:sendError"]) {
  document.addEventListener(failure, () => {
    status.textContent =
      "The server could not analyse this. The result on the right is an earlier one.";
  });
}

document.addEventListener("htmx:afterSwap", () => {
  gutter.mark(marks());
});

// A place in the result is a line of the box, where the box holds what was read.
result.addEventListener("click", (event) => {
  const line = around(event.target, "a", HTMLAnchorElement)?.hash.match(/^#line-(\d+)$/);
  if (!line || !box.value || !result.querySelector("[data-marks]")) return;
  event.preventDefault();
  gutter.select(Number(line[1]));
});

gutter.draw();
gutter.mark(marks());
if (box.value && !result.querySelector(".headline")) changed();
