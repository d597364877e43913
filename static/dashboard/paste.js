// The paste page: what is typed, pasted or dropped is sent byte for byte and read at once.

import { Evidence } from "./paste/evidence.js";
import { Gutter } from "./paste/gutter.js";

const SOON_MS = 250;
const LATER_MS = 1_000;
const LARGE_BYTES = 300_000;

const form = document.getElementById("paste");
const box = document.getElementById("text");
const told = document.getElementById("told");
const result = document.getElementById("result");
const paper = form.querySelector(".paper");
const maxBytes = Number(form.dataset.maxBytes);
const evidence = new Evidence(box);
const gutter = new Gutter(box, form.querySelector(".gutter"));

document.getElementById("inspect").hidden = true;
document.getElementById("line-ends").hidden = true;
form.querySelector(".file").firstChild.textContent = "or drop a file here, or choose one ";

let due = 0;

function number(count, word) {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}

function tell() {
  const { blob, name, words } = evidence;
  const lines = box.value ? number(box.value.replace(/\n$/, "").split("\n").length, "line") : "";
  told.textContent = blob.size
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
    told.textContent = `This is over ${number(maxBytes, "byte")}, the most that is taken here.`;
    return;
  }
  htmx.trigger(form, "inspect");
}

async function take(file) {
  await evidence.take(file);
  changed();
}

box.addEventListener("paste", (event) => {
  const file = event.clipboardData.files[0];
  if (!file) return evidence.notePaste(event.clipboardData.getData("text/plain"));
  event.preventDefault();
  take(file);
});

box.addEventListener("input", (event) => {
  evidence.noteInput(event.inputType);
  form.elements.file.value = "";
  changed();
});

form.addEventListener("change", (event) => {
  if (event.target === form.elements.file && event.target.files[0]) take(event.target.files[0]);
  else if (event.target.matches("select")) inspect();
});

// Files may be dropped anywhere: a browser that opened one instead would leave the page.
document.addEventListener("dragover", (event) => {
  if (!event.dataTransfer.types.includes("Files")) return;
  event.preventDefault();
  paper.classList.add("over");
});
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) paper.classList.remove("over");
});
document.addEventListener("drop", (event) => {
  paper.classList.remove("over");
  const file = event.dataTransfer.files[0];
  if (!file) return;
  event.preventDefault();
  take(file);
});

// In place of the text of the box, whose line ends a form would change, go the bytes.
document.addEventListener("htmx:configRequest", (event) => {
  const asked = event.detail.elt.closest("#paste, [data-carries]");
  if (!asked) return;
  const { formData } = event.detail;
  formData.delete("text");
  formData.set("name", evidence.name);
  formData.set("file", evidence.blob, "bytes");
});

document.addEventListener("htmx:beforeRequest", () => result.classList.add("asking"));
document.addEventListener("htmx:afterRequest", () => result.classList.remove("asking"));

for (const failure of ["htmx:responseError", "htmx:sendError"]) {
  document.addEventListener(failure, () => {
    told.textContent = "The server could not read this. What stands on the right is from before.";
  });
}

document.addEventListener("htmx:afterSwap", () => {
  gutter.mark(result.querySelector("[data-marks]")?.dataset.marks ?? "");
});

// A place in the result is a line of the box, where the box holds what was read.
result.addEventListener("click", (event) => {
  const line = event.target.closest("a")?.hash.match(/^#line-(\d+)$/);
  if (!line || !box.value || !result.querySelector("[data-marks]")) return;
  event.preventDefault();
  gutter.select(Number(line[1]));
});

gutter.draw();
gutter.mark(result.querySelector("[data-marks]")?.dataset.marks ?? "");
if (box.value && !result.querySelector(".headline")) changed();
