// Two buttons beside an answer, for any page: a vote is sent to Response Inspector, the page stays.
//
//   <form method="post" action="https://inspector.example.org/t/team/v1/feedback"
//         data-feedback-token="…"> … two submit buttons named "outcome" … </form>
//   <div data-feedback-token="…" data-endpoint="https://…/v1/feedback" data-user="…" data-comment></div>
//   <script async src="https://inspector.example.org/static/feedback/button.js"></script>
//
// A form works without this script, too. An element without buttons gets its own; data-comment asks
// for a comment after the vote. Nothing is stored, nothing is loaded. An element has the class
// "feedback", its words stand in role=status; the pressed button is marked by a rule that any other
// goes before. A second vote replaces the first. Elements that come later are taken as they come;
// the script may be a module or not.
(() => {
  "use strict";
  const KEY = Symbol.for("response-inspector.feedback");
  if (KEY in window) return;
  Object.assign(window, { [KEY]: true });

  const MARK = "[data-feedback-token]";
  const AGAIN_MS = 1000;
  const WORDS = { positive: "Good answer", negative: "Bad answer" };
  const THANKS = "Thank you. You can still change your vote.";
  const COMMENTED = "Thank you. Your comment arrived.";
  const REFUSED = "This answer can no longer be voted on.";
  const FAILED = "The vote was not sent. Please try again.";
  const UNLISTED = `Votes are not taken from ${location.origin}: the site is not listed.`;
  const PRESSED = ":where(.feedback button[aria-pressed=true])";
  const LOOK = `${PRESSED} { box-shadow: inset 0 0 0 2px currentcolor }
    ${PRESSED}::before { content: "✓ "; content: "✓ " / "" }`;

  /**
   * @type {<K extends keyof HTMLElementTagNameMap>(name: K, text: string,
   *   attributes?: Record<string, string>) => HTMLElementTagNameMap[K]}
   */
  function made(name, text, attributes = {}) {
    const element = document.createElement(name);
    element.textContent = text;
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  }

  /**
   * @template {Element} T
   * @param {ParentNode} root
   * @param {string} selector
   * @param {new () => T} kind
   * @returns {T[]}
   */
  function within(root, selector, kind) {
    /** @type {T[]} */
    const found = [];
    for (const each of root.querySelectorAll(selector)) if (each instanceof kind) found.push(each);
    return found;
  }

  /** @type {(box: Element) => HTMLButtonElement[]} */
  const outcomes = (box) => within(box, "button[name=outcome]", HTMLButtonElement);

  /** @type {(box: HTMLElement) => void} */
  function dress(box) {
    if (box.dataset.feedbackReady !== undefined) return;
    box.dataset.feedbackReady = "";
    box.classList.add("feedback");
    if (!outcomes(box).length) {
      for (const [value, text] of Object.entries(WORDS)) {
        box.append(made("button", text, { type: "button", name: "outcome", value }), " ");
      }
    }
    for (const button of outcomes(box)) button.setAttribute("aria-pressed", "false");
    if (box.dataset.comment !== undefined) box.append(commentPart());
    box.append(" ", made("span", "", { role: "status" }));
  }

  /** @type {() => HTMLElement} */
  function commentPart() {
    const part = made("span", "", { hidden: "" });
    const text = made("textarea", "", { rows: "2", maxlength: "8000", "aria-label": "Comment" });
    part.append(text, " ", made("button", "Send the comment", { type: "button", "data-send": "" }));
    return part;
  }

  /**
   * @typedef {{ feedback_token: string | undefined, outcome: string, comment?: string,
   *   user_id?: string }} Vote
   * @type {(box: HTMLElement, outcome: string) => Vote}
   */
  function bodyOf(box, outcome) {
    const comment = box.querySelector("textarea")?.value.trim();
    const [named] = within(box, "input[name=user_id]", HTMLInputElement);
    const user = box.dataset.user ?? named?.value;
    return {
      feedback_token: box.dataset.feedbackToken,
      outcome,
      ...(comment ? { comment } : {}),
      ...(user ? { user_id: user } : {}),
    };
  }

  // A vote that arrived and whose answer was lost is the same vote when it is sent again.
  /** @type {(endpoint: string, body: string) => Promise<Response>} */
  async function post(endpoint, body) {
    /** @type {RequestInit} */
    const options = {
      method: "POST",
      body,
      mode: "cors",
      credentials: "omit",
      keepalive: true,
      headers: { "Content-Type": "application/json", Accept: "application/json" },
    };
    try {
      return await fetch(endpoint, options);
    } catch {
      await new Promise((resume) => {
        setTimeout(resume, AGAIN_MS);
      });
      return fetch(endpoint, options);
    }
  }

  /** @type {(answer: Response, body: Vote) => string} */
  function wordsOf(answer, body) {
    if (answer.ok) return "comment" in body ? COMMENTED : THANKS;
    if (answer.status === 403) return UNLISTED;
    return answer.status === 400 || answer.status === 404 ? REFUSED : FAILED;
  }

  /** @type {(box: HTMLElement, outcome: string) => Promise<void>} */
  async function send(box, outcome) {
    if (box.getAttribute("aria-busy") === "true") return;
    box.setAttribute("aria-busy", "true");
    const endpoint = box.dataset.endpoint ?? box.getAttribute("action") ?? "";
    const body = bodyOf(box, outcome);
    let sent = false;
    let message;
    try {
      const answer = await post(endpoint, JSON.stringify(body));
      sent = answer.ok;
      message = wordsOf(answer, body);
    } catch {
      message = FAILED;
    }
    if (sent) show(box, outcome);
    box.removeAttribute("aria-busy");
    for (const status of within(box, "[role=status]", HTMLElement)) status.textContent = message;
    box.dispatchEvent(new CustomEvent("feedback", { bubbles: true, detail: { outcome, sent } }));
  }

  /** @type {(box: HTMLElement, outcome: string) => void} */
  function show(box, outcome) {
    for (const button of outcomes(box))
      button.setAttribute("aria-pressed", String(button.value === outcome));
    const part = box.querySelector("textarea")?.parentElement;
    if (part) part.hidden = false;
  }

  document.addEventListener("submit", (event) => {
    const { target: box, submitter } = event;
    if (!(box instanceof HTMLElement) || !box.matches(MARK)) return;
    const pressed = submitter instanceof HTMLElement ? submitter.getAttribute("value") : null;
    if (!pressed) return;
    event.preventDefault();
    dress(box);
    send(box, pressed);
  });

  document.addEventListener("click", (event) => {
    const { target } = event;
    const button = target instanceof Element ? target.closest("button") : null;
    const box = button?.closest(MARK);
    if (!(box instanceof HTMLElement) || !button || button.type === "submit") return;
    const pressed = outcomes(box).find((each) => each.getAttribute("aria-pressed") === "true");
    if (button.name === "outcome") send(box, button.value);
    else if ("send" in button.dataset && pressed) send(box, pressed.value);
  });

  function find() {
    within(document, `${MARK}:not([data-feedback-ready])`, HTMLElement).forEach(dress);
  }

  // As a policy without unsafe-inline allows it; where it is not known, aria-pressed alone tells.
  function mark() {
    if (!document.adoptedStyleSheets) return;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(LOOK);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }

  mark();
  new MutationObserver(find).observe(document.documentElement, { childList: true, subtree: true });
  find();
})();
