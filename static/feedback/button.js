// Two buttons beside an answer, for any page: a vote is sent to Response Inspector, the page stays.
//
//   <form method="post" action="https://inspector.example.org/t/team/v1/feedback"
//         data-feedback-token="…"> … two submit buttons named "outcome" … </form>
//   <div data-feedback-token="…" data-endpoint="https://…/v1/feedback" data-user="…" data-comment></div>
//   <script async src="https://inspector.example.org/static/feedback/button.js"></script>
//
// A form works without this script, too. An element without buttons gets its own; data-comment asks
// for a comment after the vote. Nothing is stored, nothing is loaded, no style is set: an element
// has the class "feedback", its words stand in role=status. A second vote replaces the first.
// Elements that come later are taken as they come; the script may be a module or not.
(() => {
  "use strict";
  const KEY = Symbol.for("response-inspector.feedback");
  if (window[KEY]) return;
  window[KEY] = true;

  const MARK = "[data-feedback-token]";
  const AGAIN_MS = 1000;
  const WORDS = { positive: "Good answer", negative: "Bad answer" };
  const THANKS = "Thank you. You can still change your vote.";
  const REFUSED = "This answer can no longer be voted on.";
  const FAILED = "The vote was not sent. Please try again.";

  function made(name, text, attributes = {}) {
    const element = document.createElement(name);
    element.textContent = text;
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  }

  const outcomes = (box) => [...box.querySelectorAll("button[name=outcome]")];

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
    if (box.dataset.comment !== undefined) box.append(commentOf(box));
    box.append(made("span", "", { role: "status" }));
  }

  function commentOf(box) {
    const part = made("span", "", { hidden: "" });
    const text = made("textarea", "", { rows: "2", maxlength: "8000", "aria-label": "Comment" });
    part.append(text, " ", made("button", "Send the comment", { type: "button", "data-send": "" }));
    return part;
  }

  function bodyOf(box, outcome) {
    const body = { feedback_token: box.dataset.feedbackToken, outcome };
    const comment = box.querySelector("textarea")?.value.trim();
    const named = box.querySelector("input[name=user_id]")?.value;
    if (comment) body.comment = comment;
    if (box.dataset.user ?? named) body.user_id = box.dataset.user ?? named;
    return JSON.stringify(body);
  }

  // A vote that arrived and whose answer was lost is the same vote when it is sent again.
  async function post(endpoint, body) {
    const asked = {
      method: "POST", body, mode: "cors", credentials: "omit", keepalive: true,
      headers: { "Content-Type": "application/json", Accept: "application/json" },
    };
    try {
      return await fetch(endpoint, asked);
    } catch {
      await new Promise((resume) => { setTimeout(resume, AGAIN_MS); });
      return fetch(endpoint, asked);
    }
  }

  async function send(box, outcome) {
    if (box.getAttribute("aria-busy") === "true") return;
    box.setAttribute("aria-busy", "true");
    let said = FAILED;
    try {
      const answer = await post(box.dataset.endpoint ?? box.action, bodyOf(box, outcome));
      if (answer.ok) said = THANKS;
      else if (answer.status === 400 || answer.status === 404) said = REFUSED;
      if (answer.ok) show(box, outcome);
    } catch {
      // It was tried twice; what is said below says so.
    }
    box.removeAttribute("aria-busy");
    box.querySelector("[role=status]").textContent = said;
    box.dispatchEvent(new CustomEvent("feedback", { bubbles: true, detail: { outcome, sent: said === THANKS } }));
  }

  function show(box, outcome) {
    for (const button of outcomes(box)) button.setAttribute("aria-pressed", String(button.value === outcome));
    const part = box.querySelector("textarea")?.parentElement;
    if (part) part.hidden = false;
  }

  document.addEventListener("submit", (event) => {
    const box = event.target;
    if (!box.matches(MARK) || !event.submitter?.value) return;
    event.preventDefault();
    dress(box);
    send(box, event.submitter.value);
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button");
    const box = button?.closest(MARK);
    if (!box || button.type === "submit") return;
    const pressed = outcomes(box).find((each) => each.getAttribute("aria-pressed") === "true");
    if (button.name === "outcome") send(box, button.value);
    else if ("send" in button.dataset && pressed) send(box, pressed.value);
  });

  function find() {
    for (const box of document.querySelectorAll(`${MARK}:not([data-feedback-ready])`)) dress(box);
  }

  new MutationObserver(find).observe(document.documentElement, { childList: true, subtree: true });
  find();
})();
