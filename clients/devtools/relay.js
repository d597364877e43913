// Between a watched page and the panels that are open for it. What comes from the page is text of
// a stranger: it is passed on within limits, and read by the panel.

(() => {
  const CALLS = "response-inspector:calls";
  const WATCH = "response-inspector:watch";
  const SECOND = 1000;
  /** Of a second: a page that tells more floods. */
  const MOST_MESSAGES = 100;
  const MOST_CHARACTERS = 32 * 1024 * 1024;

  const scope = /** @type {{isRelaying?: boolean}} */ (globalThis);
  if (scope.isRelaying) return;
  scope.isRelaying = true;

  /** The newest of each panel, by its name. @type {Map<string, chrome.Port>} */
  const ports = new Map();
  /** Told before a panel has answered. @type {string[] | null} */
  let early = [];
  let dropped = 0;
  let since = 0;
  let messages = 0;
  let characters = 0;

  /** @param {string} detail */
  const tell = (detail) => dispatchEvent(new CustomEvent(WATCH, { detail }));
  const tellState = () => tell(ports.size || early ? "on" : "off");

  /** @param {number} length */
  function isWithinLimits(length) {
    const now = performance.now();
    if (now - since > SECOND) {
      since = now;
      messages = characters = 0;
    }
    messages += 1;
    characters += length;
    return messages <= MOST_MESSAGES && characters <= MOST_CHARACTERS;
  }

  /** @param {string} text */
  function post(text) {
    for (const port of ports.values()) port.postMessage({ origin: location.origin, dropped, text });
    dropped = 0;
  }

  addEventListener(CALLS, (event) => {
    const { detail } = /** @type {CustomEvent} */ (event);
    if (typeof detail !== "string") return;
    if (detail === "") tellState();
    else if (!isWithinLimits(detail.length)) dropped += 1;
    else if (ports.size) post(detail);
    else early?.push(detail);
  });

  chrome.runtime.onConnect.addListener((port) => {
    ports.set(port.name, port);
    port.onDisconnect.addListener(() => {
      if (ports.get(port.name) === port) ports.delete(port.name);
      tellState();
    });
    tell("on");
    for (const text of early?.splice(0) ?? []) post(text);
    early = null;
  });

  async function ask() {
    early ??= [];
    tell("on");
    // Panels of other tabs do not answer.
    const isWatched = await chrome.runtime.sendMessage("watched?").catch(() => false);
    if (isWatched) return;
    early = null;
    tellState();
  }

  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) ask();
  });
  ask();
})();
