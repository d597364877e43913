// The tab that the panel is for: whether its site is watched, and what its pages tell.

import { newsIn } from "./call_list.js";

const MAIN = { id: "page", js: ["page.js"], world: "MAIN" };
const OWN = { id: "relay", js: ["relay.js"], world: "ISOLATED" };
const SCRIPTS = [MAIN, OWN];

/** @typedef {import("./call_list.js").News} News */

export class WatchedTab {
  /** @param {number} id @param {(news: News) => void} tell @param {() => void} change */
  constructor(id, tell, change) {
    this.id = id;
    this.tell = tell;
    this.change = change;
    /** Of this panel: the tab may have another one. */
    this.name = crypto.randomUUID();
    /** @type {Set<chrome.Port>} */
    this.ports = new Set();
    chrome.runtime.onMessage.addListener((message, { tab, frameId }, answer) => {
      if (message !== "watched?" || tab?.id !== this.id) return;
      this.connect(frameId);
      answer(true);
    });
    chrome.tabs.onUpdated.addListener((changed) => {
      if (changed === this.id) this.change();
    });
  }

  get isConnected() {
    return this.ports.size > 0;
  }

  /** With the relay of a frame, or with those of all. @param {number} [frameId] */
  connect(frameId) {
    const { name } = this;
    const port = chrome.tabs.connect(this.id, frameId === undefined ? { name } : { name, frameId });
    this.ports.add(port);
    port.onMessage.addListener((message) => {
      const news = newsIn(message);
      if (news) this.tell(news);
    });
    port.onDisconnect.addListener(() => {
      // That there was nobody is no error.
      void chrome.runtime.lastError;
      this.ports.delete(port);
      this.change();
    });
    this.change();
  }

  /** Empty where the panel may not know it. @returns {Promise<string>} */
  async origin() {
    const { devtools } = chrome;
    if (devtools) {
      return new Promise((resolve) => {
        devtools.inspectedWindow.eval("location.origin", (found) => resolve(String(found ?? "")));
      });
    }
    const tab = await chrome.tabs.get(this.id).catch(() => null);
    return tab?.url ? new URL(tab.url).origin : "";
  }

  /** Into the page as it stands; scripts that it had run before may hold the browser's own `fetch`. */
  async enter() {
    const target = { tabId: this.id, allFrames: true };
    for (const { js, world } of SCRIPTS) {
      await chrome.scripting.executeScript({ target, files: js, world, injectImmediately: true });
    }
  }

  leave() {
    for (const port of this.ports) port.disconnect();
    this.ports.clear();
  }
}

/** Which hosts an origin is of, as permissions name them; null where no page of it can be watched.
 * @type {(origin: string) => string | null} */
export function patternOf(origin) {
  try {
    const { protocol, hostname } = new URL(origin);
    return /^https?:$/.test(protocol) ? `${protocol}//${hostname}/*` : null;
  } catch {
    return null;
  }
}

/** @type {(pattern: string) => Promise<boolean>} */
export const isAllowed = (pattern) => chrome.permissions.contains({ origins: [pattern] });

/** Asks the person, once. @type {(pattern: string) => Promise<boolean>} */
export const askFor = (pattern) => chrome.permissions.request({ origins: [pattern] });

/** @type {(pattern: string) => Promise<boolean>} */
export const giveBack = (pattern) => chrome.permissions.remove({ origins: [pattern] });

/** After an update of the extension browsers have forgotten them. @type {(patterns: string[]) => Promise<void>} */
export async function watchAgain(patterns) {
  const known = await chrome.scripting.getRegisteredContentScripts();
  if (!known.length) await watchSites(patterns);
}

/** Their pages from the next load on, and no other's. @type {(patterns: string[]) => Promise<void>} */
export async function watchSites(patterns) {
  await chrome.scripting.unregisterContentScripts();
  const where = { matches: patterns, allFrames: true, runAt: "document_start" };
  if (!patterns.length) return;
  await chrome.scripting.registerContentScripts(SCRIPTS.map((script) => ({ ...script, ...where })));
}
