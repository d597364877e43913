// What had arrived at the player's moment: a block for every lane, whose text grows in place.

import { count, momentWords } from "./scale.js";

// The end of a long text is shown; what would be laid out anew in every frame stays bounded.
const SHOWN = 3_000;
const MOST_LANES = 12;

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

export class Moment {
  constructor(model, wants) {
    this.model = model;
    this.box = element("div", "moment");
    this.box.hidden = true;
    this.head = this.box.appendChild(element("div", "label"));
    this.lanes = this.box.appendChild(element("div", "grown-lanes"));
    this.wants = wants;
    this.blocks = [];
  }

  // The lanes that are shown: those that are drawn, as far as they can be read beside each other.
  setPart({ lanes }) {
    for (const block of this.blocks) block.box.remove();
    this.more?.remove();
    this.blocks = lanes.slice(0, MOST_LANES).map(({ lane }) => new Block(this.model.player, lane, this.wants));
    this.lanes.append(...this.blocks.map((block) => block.box));
    if (lanes.length <= MOST_LANES) return;
    this.more = element("p", "soft", `${count(lanes.length - MOST_LANES)} more lanes: the table holds what each event gave them.`);
    this.lanes.append(this.more);
  }

  show() {
    const { player } = this.model;
    this.box.hidden = !Number.isFinite(player.moment);
    if (this.box.hidden) return;
    this.head.textContent = `State at ${momentWords(this.model, player.moment)}`;
    for (const block of this.blocks) block.show();
    // All are written before one is measured: the page is laid out once.
    for (const block of this.blocks) block.showEnd();
  }
}

class Block {
  constructor(player, lane, wants) {
    this.player = player;
    this.lane = lane;
    this.box = element("div");
    const head = this.box.appendChild(element("div"));
    head.append(element("b", "", `choice ${lane.choice}`), ` ${lane.name} `);
    this.length = head.appendChild(element("span", "soft"));
    this.wants = wants;
    this.start = 0;
  }

  show() {
    const length = this.player.lengthOf(this.lane);
    this.length.textContent = `${count(length)} of ${count(this.lane.length)} characters`;
    const text = this.player.textOf(this.lane);
    if (text === null) this.sayLeft();
    else this.showText(text);
  }

  // Appended to where it only grew.
  showText(text) {
    this.makeText();
    const end = this.start + this.node.length;
    const grows = text.length >= end && text.length - this.start <= 2 * SHOWN && this.shownBegins(text);
    if (grows) this.node.appendData(text.slice(end));
    else {
      this.start = Math.max(0, text.length - SHOWN);
      this.node.data = text.slice(this.start);
    }
    this.grown.dataset.start = this.start;
    this.before.hidden = this.start === 0;
    this.before.textContent = `${count(this.start)} characters before `;
  }

  showEnd() {
    if (this.text) this.text.scrollTop = this.text.scrollHeight;
  }

  // A text that is appended to never changes; one that is sent anew with each piece may.
  shownBegins(text) {
    return this.lane.mode !== "snapshot" || text.startsWith(this.node.data, this.start);
  }

  makeText() {
    if (this.node) return;
    this.left?.remove();
    this.text = this.box.appendChild(element("div", `text ${this.lane.kind}`));
    this.text.tabIndex = 0;
    this.text.setAttribute("role", "region");
    this.text.setAttribute("aria-label", `choice ${this.lane.choice} ${this.lane.name} at this moment`);
    this.before = this.text.appendChild(element("span", "soft"));
    this.node = document.createTextNode("");
    this.grown = this.text.appendChild(element("span", "grown"));
    this.grown.append(this.node);
    // Of snapshots only the last is the lane's text: what one said before is not traced.
    if (this.lane.mode !== "snapshot") this.grown.dataset.lane = this.lane.index;
  }

  sayLeft() {
    if (this.left) return;
    this.left = this.box.appendChild(element("div", "soft"));
    if (!this.lane.href) {
      this.left.textContent = "This text is too long to be shown as it grew; its length is known at every moment.";
      return;
    }
    const button = element("button", "quiet", `Fetch this text of ${count(this.lane.length)} characters`);
    button.type = "button";
    button.addEventListener("click", () => this.wants(this.lane, button), { once: true });
    this.left.append(button);
  }
}
