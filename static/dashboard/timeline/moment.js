// What had arrived at the player's moment: a block for every lane, whose text grows in place.

import { count, momentWords } from "./scale.js";

/**
 * @import { Player, PlayerLane } from "../player.js"
 * @import { Model, Part } from "./model.js"
 * @typedef {{ text: HTMLElement, before: HTMLElement, grown: HTMLElement, node: Text }} Shown
 * @typedef {(lane: PlayerLane, button: HTMLButtonElement) => void} Wants
 */

// The end of a long text is shown; what would be laid out anew in every frame stays bounded.
const SHOWN = 3_000;
const MOST_LANES = 12;

/**
 * @type {<K extends keyof HTMLElementTagNameMap>(name: K, className?: string, text?: string) =>
 *   HTMLElementTagNameMap[K]}
 */
function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

export class Moment {
  /** @param {Model} model @param {Wants} wants */
  constructor(model, wants) {
    this.model = model;
    this.box = element("div", "moment");
    this.box.hidden = true;
    this.head = this.box.appendChild(element("div", "label"));
    this.lanes = this.box.appendChild(element("div", "grown-lanes"));
    this.wants = wants;
    /** @type {Block[]} */
    this.blocks = [];
    /** @type {Element | null} */
    this.more = null;
  }

  // The lanes that are shown: those that are drawn, as far as they can be read beside each other.
  /** @type {(part: Part) => void} */
  setPart({ lanes }) {
    for (const block of this.blocks) block.box.remove();
    this.more?.remove();
    this.blocks = lanes
      .slice(0, MOST_LANES)
      .map(({ lane }) => new Block(this.model.player, lane, this.wants));
    this.lanes.append(...this.blocks.map((block) => block.box));
    if (lanes.length <= MOST_LANES) return;
    this.more = element(
      "p",
      "soft",
      `${count(lanes.length - MOST_LANES)} more lanes: the table holds what each event gave them.`,
    );
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
  /** @param {Player} player @param {PlayerLane} lane @param {Wants} wants */
  constructor(player, lane, wants) {
    this.player = player;
    this.lane = lane;
    this.box = element("div");
    const head = this.box.appendChild(element("div"));
    head.append(element("b", "", `choice ${lane.choice}`), ` ${lane.name} `);
    this.length = head.appendChild(element("span", "soft"));
    this.wants = wants;
    this.start = 0;
    /** @type {Shown | null} */
    this.shown = null;
    /** @type {HTMLElement | null} */
    this.left = null;
  }

  show() {
    const length = this.player.lengthOf(this.lane);
    this.length.textContent = `${count(length)} of ${count(this.lane.length)} characters`;
    const text = this.player.textOf(this.lane);
    if (text === null) this.sayLeft();
    else this.showText(text);
  }

  // Appended to where it only grew.
  /** @type {(text: string) => void} */
  showText(text) {
    this.shown ??= this.makeText();
    const { before, grown, node } = this.shown;
    const end = this.start + node.length;
    const fits = text.length >= end && text.length - this.start <= 2 * SHOWN;
    if (fits && this.begins(text, node)) node.appendData(text.slice(end));
    else {
      this.start = Math.max(0, text.length - SHOWN);
      node.data = text.slice(this.start);
    }
    grown.dataset.start = String(this.start);
    before.hidden = this.start === 0;
    before.textContent = `${count(this.start)} characters before `;
  }

  showEnd() {
    if (this.shown) this.shown.text.scrollTop = this.shown.text.scrollHeight;
  }

  // A text that is appended to never changes; one that is sent anew with each piece may.
  /** @type {(text: string, node: Text) => boolean} */
  begins(text, node) {
    return this.lane.mode !== "snapshot" || text.startsWith(node.data, this.start);
  }

  /** @type {() => Shown} */
  makeText() {
    const { choice, kind, name, mode, index } = this.lane;
    this.left?.remove();
    const text = this.box.appendChild(element("div", `text ${kind}`));
    text.tabIndex = 0;
    text.setAttribute("role", "region");
    text.setAttribute("aria-label", `choice ${choice} ${name} at this moment`);
    const before = text.appendChild(element("span", "soft"));
    const node = document.createTextNode("");
    const grown = text.appendChild(element("span", "grown"));
    grown.append(node);
    // Of snapshots only the last is the lane's text: what one said before is not traced.
    if (mode !== "snapshot") grown.dataset.lane = String(index);
    return { text, before, grown, node };
  }

  sayLeft() {
    if (this.left) return;
    this.left = this.box.appendChild(element("div", "soft"));
    if (!this.lane.href) {
      this.left.textContent =
        "This text is too long to be shown as it grew; its length is known at every moment.";
      return;
    }
    const button = element(
      "button",
      "quiet",
      `Load this text of ${count(this.lane.length)} characters`,
    );
    button.type = "button";
    button.addEventListener("click", () => this.wants(this.lane, button), { once: true });
    this.left.append(button);
  }
}
