// What had arrived at the player's moment: a block for every lane, whose text grows in place.

import { LaneText } from "./lane_text.js";
import { count, momentWords } from "./scale.js";

/**
 * @import { Player, PlayerLane } from "../player/player.js"
 * @import { Model, Part } from "./model.js"
 * @typedef {(lane: PlayerLane, button: HTMLButtonElement) => void} Wants
 */

const SHOWN = 3_000;
const MAX_LANES = 12;

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
      .slice(0, MAX_LANES)
      .map(({ lane }) => new Block(this.model.player, lane, this.wants));
    this.lanes.append(...this.blocks.map((block) => block.box));
    if (lanes.length <= MAX_LANES) return;
    this.more = element(
      "p",
      "soft",
      `${count(lanes.length - MAX_LANES)} more lanes: the table holds what each event gave them.`,
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
    /** @type {LaneText | null} */
    this.shown = null;
    /** @type {HTMLElement | null} */
    this.left = null;
  }

  show() {
    const length = this.player.lengthOf(this.lane);
    this.length.textContent = `${count(length)} of ${count(this.lane.length)} characters`;
    if (this.lane.text === null) this.sayLeft();
    else this.showText();
  }

  showText() {
    this.shown ??= this.makeText();
    this.shown.show();
  }

  showEnd() {
    this.shown?.showEnd();
  }

  makeText() {
    const { choice, name } = this.lane;
    this.left?.remove();
    const text = new LaneText(this.player, this.lane, {
      name: `choice ${choice} ${name} at this moment`,
      most: SHOWN,
      isTraced: true,
    });
    this.box.append(text.box);
    return text;
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
