// The panel: the calls of a tab as they come. Nothing leaves the browser without a click, or a rule
// that the person made here.

import { CallList, MOST_CALLS } from "./call_list.js";
import { CallRow } from "./call_row.js";
import { byId, element } from "./elements.js";
import { addressIn, check, keep } from "./installation.js";
import { changed, preferences, setPreferences } from "./preferences.js";
import { VERSION } from "./version.js";
import {
  askFor,
  giveBack,
  isAllowed,
  patternOf,
  WatchedTab,
  watchAgain,
  watchSites,
} from "./watched_tab.js";
import { counted } from "./words.js";

/** @typedef {import("./call_list.js").Call} Call */
/** @typedef {import("./call_list.js").News} News */

const button = (/** @type {string} */ id) => byId(id, HTMLButtonElement);
const input = (/** @type {string} */ id) => byId(id, HTMLInputElement);
const paragraph = (/** @type {string} */ id) => byId(id, HTMLParagraphElement);

const inTab = Number(new URLSearchParams(location.search).get("tab"));
const tab = new WatchedTab(chrome.devtools?.inspectedWindow.tabId ?? inTab, take, showSite);
const list = new CallList();
/** @type {Map<string, CallRow>} */
const rows = new Map();
const table = byId("calls", HTMLTableElement);
let known = await preferences();
let origin = "";
/** A rule rests after a refusal until something is kept again. */
let isResting = false;
let isOfOtherVersion = false;
/** One call at a time. @type {Promise<void>} */
let keeping = Promise.resolve();

// -- calls ----------------------------------------------------------------------------------------

/** @param {News} news */
function take(news) {
  isOfOtherVersion = news.version !== VERSION;
  if (isOfOtherVersion) return showNotice();
  const { changed: calls, gone } = list.take(news);
  for (const call of gone) removeRow(call);
  for (const call of calls) {
    showRow(call);
    if (call.line && known.kept.includes(call.origin) && !isResting) keepOne(call, true);
  }
  showNotice();
}

/** @param {Call} call */
function showRow(call) {
  const row = rows.get(call.id);
  if (row) return row.show();
  const made = new CallRow(call, (each) => keepOne(each), open);
  rows.set(call.id, made);
  table.tBodies[0].prepend(made.element);
}

/** @param {Call} call */
function removeRow(call) {
  rows.get(call.id)?.element.remove();
  rows.delete(call.id);
}

/** @type {(call: Call, isByRule?: boolean) => Promise<void>} */
function keepOne(call, isByRule = false) {
  if (!call.line || call.kept || call.isKeeping) return keeping;
  call.isKeeping = true;
  call.trouble = "";
  showRow(call);
  keeping = keeping.then(async () => {
    const found = isByRule && isResting ? "" : await keep(known, call.line);
    call.isKeeping = false;
    if (typeof found === "string") call.trouble = found;
    else call.kept = found;
    isResting = call.kept === null && (isByRule || isResting);
    if (rows.has(call.id)) showRow(call);
    showNotice();
  });
  return keeping;
}

/** @param {Call} call */
async function open(call) {
  await keepOne(call);
  const address = call.kept && addressIn(call.kept.page);
  if (address) chrome.tabs.create({ url: `${address}/` });
}

function showNotice() {
  const { size } = list.calls;
  const unkept = list.unkept();
  const said = [
    isOfOtherVersion && "The page was loaded with another version of this panel: reload the page.",
    size
      && `${counted(size, "call")}. Nothing leaves the browser but what is kept; verdict and findings come with that.`,
    list.dropped
      && `${counted(list.dropped, "call")} dropped: ${MOST_CALLS} calls or 64 MB are listed, and no page may flood.`,
    isResting && "The last call could not be kept, so the rule rests until one is kept by hand.",
  ];
  paragraph("notice").textContent = said.filter(Boolean).join(" ");
  table.hidden = size === 0;
  paragraph("empty").hidden = size > 0;
  button("keep-all").disabled = unkept.length === 0;
  button("keep-all").textContent = unkept.length ? `Keep all ${unkept.length}` : "Keep all";
  button("clear").disabled = size === 0;
}

// -- the site -------------------------------------------------------------------------------------

async function showSite() {
  origin = await tab.origin();
  const pattern = patternOf(origin);
  const isWatched = pattern !== null && known.sites.includes(pattern) && (await isAllowed(pattern));
  paragraph("site").textContent = siteWords(pattern, isWatched);
  button("watch").hidden = pattern === null || isWatched;
  button("stop").hidden = byId("rule", HTMLLabelElement).hidden = !isWatched;
  input("keeps-every").checked = known.kept.includes(origin);
  byId("rule-words", HTMLSpanElement).textContent = `Keep every call of ${origin}`;
  showList("sites", known.sites, leaveSite);
  showList("rules", known.kept, (each) => set({ kept: changed(known.kept, each, false) }));
}

/** @type {(pattern: string | null, isWatched: boolean) => string} */
function siteWords(pattern, isWatched) {
  if (!origin) return "Click the button of Response Inspector on the page that you want to see.";
  if (pattern === null) return "This page cannot be watched.";
  if (!isWatched) return `${origin} is not watched.`;
  return tab.isConnected ? `Watching ${origin}.` : `Watching ${origin} from its next load on.`;
}

/** @type {(id: string, entries: string[], remove: (entry: string) => void) => void} */
function showList(id, entries, remove) {
  const items = entries.map((entry) => {
    const end = element("button", { type: "button", "aria-label": `Remove ${entry}` }, "Remove");
    end.addEventListener("click", () => remove(entry));
    return element("li", {}, entry, end);
  });
  const none = element("li", { class: "soft" }, "none");
  byId(id, HTMLUListElement).replaceChildren(...(items.length ? items : [none]));
}

async function watchSite() {
  const pattern = patternOf(origin);
  if (pattern === null || !(await askFor(pattern))) return;
  await set({ sites: changed(known.sites, pattern, true) });
  await watchSites(known.sites);
  await tab.enter();
  tab.connect();
}

/** @param {string} pattern */
async function leaveSite(pattern) {
  await set({ sites: changed(known.sites, pattern, false) });
  await watchSites(known.sites);
  // The place where calls are kept may be on the same host.
  if (patternOf(known.address) !== pattern) await giveBack(pattern);
  if (patternOf(origin) === pattern) tab.leave();
  await showSite();
}

// -- settings -------------------------------------------------------------------------------------

/** @param {Partial<typeof known>} changes */
async function set(changes) {
  known = { ...known, ...changes };
  await setPreferences(changes);
  await showSite();
}

async function savePlace() {
  const address = addressIn(input("address").value);
  const pattern = address && patternOf(address);
  if (!address || !pattern) return sayPlace("An address is such as https://inspector.example.");
  if (!(await askFor(pattern))) return sayPlace("Without that host nothing can be kept there.");
  const before = patternOf(known.address);
  await set({ address, key: input("key").value.trim() });
  if (before && before !== pattern && !known.sites.includes(before)) await giveBack(before);
  isResting = false;
  sayPlace("Asking the installation.");
  const { words } = await check(known);
  sayPlace(words);
}

/** @param {string} words */
function sayPlace(words) {
  paragraph("place-words").textContent = words;
}

function begin() {
  if (chrome.devtools?.panels.themeName === "dark") document.documentElement.dataset.theme = "dark";
  input("address").value = known.address;
  input("key").value = known.key;
  byId("settings", HTMLDetailsElement).open = !known.address;
  button("watch").addEventListener("click", watchSite);
  button("stop").addEventListener("click", () => leaveSite(patternOf(origin) ?? ""));
  button("keep-all").addEventListener("click", () => {
    for (const call of list.unkept()) keepOne(call);
  });
  button("clear").addEventListener("click", () => {
    for (const call of list.clear()) removeRow(call);
    showNotice();
  });
  input("keeps-every").addEventListener("change", () =>
    set({ kept: changed(known.kept, origin, input("keeps-every").checked) }),
  );
  byId("place", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    savePlace();
  });
  tab.connect();
  watchAgain(known.sites);
  showNotice();
  showSite();
}

begin();
