// Ctrl+K: one field that leads to pages, saved views, captures and filters, and does what the page
// offers. What needs the archive is asked for while somebody types.
//
// A page offers a command by an element with data-command, whose text is the command's name: it is
// there while the element is shown and enabled, and clicks it, or goes into it where it is a field.

import { write } from "./copy.js";
import { all, around, byId, within } from "./elements.js";
import { captureId, fitting, moved, ordered, wanted } from "./palette/entries.js";

/** @typedef {import("./palette/entries.js").Entry} Entry */
/** @typedef {{ slug: string, title: string, entries: HTMLElement[] }} Shown */

const PAUSE_MS = 150;
const FIELD = "input, textarea";

const dialog = byId("palette", HTMLDialogElement);
const field = within(dialog, "#palette-text", HTMLInputElement);
const list = within(dialog, "#palette-list", HTMLElement);
const number = within(dialog, "#palette-number", HTMLElement);
const pages = within(dialog, "#palette-go", HTMLTemplateElement);

/** @type {WeakMap<Element, () => void>} */
const acts = new WeakMap();
/** @type {Shown[]} */
let found = [];
let chosen = 0;
let due = 0;
/** @type {AbortController | null} */
let asking = null;
// Enter that came before what it may be meant for.
/** @type {{ isNewTab: boolean } | null} */
let entered = null;

const options = () => all(list, "[role=option]", HTMLElement);

// -- entries --------------------------------------------------------------------------------------

/** @type {(entry: Entry) => HTMLElement} */
function element({ words, aside = "", href, act }) {
  const made = document.createElement(href ? "a" : "div");
  if (href) made.setAttribute("href", href);
  if (act) acts.set(made, act);
  for (const [name, text] of Object.entries({ words, aside })) {
    const part = document.createElement("span");
    part.className = name;
    part.textContent = text;
    if (text) made.append(part);
  }
  return made;
}

/** @type {(slug: string, title: string, entries: Entry[]) => Shown} */
const group = (slug, title, entries) => ({ slug, title, entries: entries.map(element) });

/** @type {() => Entry[]} */
function pageEntries() {
  const links = all(pages.content, "a", HTMLAnchorElement);
  return links.map((link) => ({
    words: link.textContent,
    also: link.dataset.also,
    aside: link.dataset.aside,
    href: link.getAttribute("href") ?? "",
  }));
}

// What stands in a menu is offered while that is closed, too.
/** @type {(place: Element) => HTMLDetailsElement | null} */
const dropOf = (place) => place.closest("details.drop");

/** @type {(place: HTMLElement) => boolean} */
const isOffered = (place) =>
  (dropOf(place) ?? place).checkVisibility() && !place.matches(":disabled");

/** @type {(place: HTMLElement) => Entry} */
const command = (place) => ({
  words: place.dataset.command ?? "",
  aside: place.dataset.commandKey ?? "",
  act: () => {
    dropOf(place)?.setAttribute("open", "");
    if (place.matches(FIELD)) place.focus();
    else place.click();
  },
});

/** @type {(place: HTMLSelectElement) => Entry[]} */
const choices = (place) =>
  [...place.options].map((option) => ({
    words: `${place.dataset.command}: ${option.text}`,
    act: () => {
      place.value = option.value;
      place.dispatchEvent(new Event("change", { bubbles: true }));
    },
  }));

/** @type {() => Entry[]} */
function commands() {
  const offered = all(document, "[data-command]", HTMLElement).filter(isOffered);
  const ofPage = offered.flatMap((place) =>
    place instanceof HTMLSelectElement ? choices(place) : [command(place)],
  );
  const copyLink = () => write(location.href.split("#")[0]);
  return [...ofPage, { words: "Copy the address of this page", act: () => void copyLink() }];
}

/** @type {(text: string) => Entry[]} */
function pasted(text) {
  const id = captureId(text);
  return id ? [{ words: `Open capture ${id}`, href: `/captures/${id}/` }] : [];
}

// -- showing --------------------------------------------------------------------------------------

function groups() {
  const { text, isOfCommands } = wanted(field.value);
  const ofPage = group("act", "Do", fitting(commands(), text));
  if (isOfCommands) return [ofPage];
  const go = group("go", "Go to", fitting(pageEntries(), text));
  return ordered([group("captures", "Captures", pasted(text)), ...found, go, ofPage]);
}

/** @type {(shown: Shown, place: number) => HTMLElement} */
function section(shown, place) {
  const made = document.createElement("div");
  made.setAttribute("role", "group");
  const title = document.createElement("p");
  title.id = `palette-group-${place}`;
  title.className = "palette-title";
  title.textContent = shown.title;
  title.setAttribute("role", "presentation");
  made.setAttribute("aria-labelledby", title.id);
  made.append(title, ...shown.entries);
  return made;
}

/** @type {(count: number) => string} */
function resultWords(count) {
  // Until the archive has answered nobody knows that there is nothing.
  if (due && count === 0) return "";
  return count === 1 ? "1 result" : `${count} results`;
}

function show() {
  list.replaceChildren(...groups().map(section));
  const entries = all(list, "[role=group] > :not(.palette-title)", HTMLElement);
  for (const [place, option] of entries.entries()) {
    option.id = `palette-option-${place}`;
    option.setAttribute("role", "option");
    option.setAttribute("tabindex", "-1");
  }
  const { length } = entries;
  list.hidden = length === 0;
  field.setAttribute("aria-expanded", String(length > 0));
  number.textContent = resultWords(length);
  choose(Math.min(chosen, length - 1));
}

/** @type {(place: number) => void} */
function choose(place) {
  chosen = Math.max(place, 0);
  for (const [each, option] of options().entries()) {
    option.setAttribute("aria-selected", String(each === chosen));
  }
  const option = options()[chosen];
  field.setAttribute("aria-activedescendant", option?.id ?? "");
  option?.scrollIntoView({ block: "nearest" });
}

// -- asking ---------------------------------------------------------------------------------------

/** @type {(html: string) => Shown[]} */
function read(html) {
  const place = new DOMParser().parseFromString(html, "text/html");
  return all(place, "[data-group]", HTMLElement).map((each) => ({
    slug: each.dataset.group ?? "",
    title: each.dataset.title ?? "",
    entries: all(each, "a", HTMLElement).map((entry) => document.importNode(entry, true)),
  }));
}

// A list that the page shows is narrowed by the filters that are found; elsewhere all captures are.
const shownList = () => (location.pathname === dialog.dataset.archive ? location.search : "");

async function ask() {
  asking?.abort();
  asking = new AbortController();
  const { signal } = asking;
  const { text } = wanted(field.value);
  const query = new URLSearchParams({ q: text, list: shownList().slice(1) });
  const headers = { "HX-Request": "true" };
  try {
    const answer = await fetch(`${dialog.dataset.entries}?${query}`, { headers, signal });
    if (answer.ok) found = read(await answer.text());
  } catch {
    // Asked again with the next letter; what the page knows itself is there all the same.
  }
  if (signal.aborted) return;
  due = 0;
  show();
  if (entered) follow(options()[chosen], entered.isNewTab);
}

function stop() {
  clearTimeout(due);
  due = 0;
  entered = null;
  asking?.abort();
}

function typed() {
  stop();
  chosen = 0;
  found = [];
  const { isOfCommands } = wanted(field.value);
  if (dialog.dataset.entries && !isOfCommands) due = setTimeout(ask, PAUSE_MS);
  show();
}

// -- opening and choosing -------------------------------------------------------------------------

function open() {
  if (dialog.open) return;
  field.value = "";
  dialog.showModal();
  field.focus();
  typed();
}

/** @type {(option: HTMLElement | undefined, isNewTab: boolean) => void} */
function follow(option, isNewTab) {
  if (!option) return;
  if (option instanceof HTMLAnchorElement && isNewTab) {
    window.open(option.href, "_blank", "noopener");
    return;
  }
  dialog.close();
  if (option instanceof HTMLAnchorElement) location.assign(option.href);
  // After the dialog has given the focus back.
  const act = acts.get(option);
  if (act) setTimeout(act);
}

/** @type {(isNewTab: boolean) => void} */
function enter(isNewTab) {
  const { text } = wanted(field.value);
  // A whole id is known without the archive; before anything else the archive may know better.
  if (due && text && !captureId(text)) entered = { isNewTab };
  else follow(options()[chosen], isNewTab);
}

/** @type {Record<string, (event: KeyboardEvent) => void>} */
const KEYS = {
  ArrowDown: () => choose(moved(chosen, 1, options().length)),
  ArrowUp: () => choose(moved(chosen, -1, options().length)),
  Enter: (event) => enter(event.ctrlKey || event.metaKey),
};

field.addEventListener("input", typed);
field.addEventListener("keydown", (event) => {
  if (event.isComposing || !(event.key in KEYS)) return;
  event.preventDefault();
  KEYS[event.key](event);
});
list.addEventListener("click", (event) => {
  const option = around(event.target, "[role=option]", HTMLElement);
  if (!option) return;
  event.preventDefault();
  follow(option, event.ctrlKey || event.metaKey);
});
dialog.addEventListener("close", stop);
dialog.addEventListener("click", (event) => {
  const isVeil = event.target === dialog;
  if (isVeil || around(event.target, "[data-palette-close]", Element)) dialog.close();
});
document.addEventListener("keydown", (event) => {
  const isMeant = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  if (!isMeant || event.key.toLowerCase() !== "k") return;
  event.preventDefault();
  open();
});
document.addEventListener("click", (event) => {
  if (around(event.target, "[data-palette]", Element)) open();
});
for (const button of all(document, "[data-palette]", HTMLElement))
  button.classList.remove("waits-for-script");
