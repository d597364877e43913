// The text of a lane as it stands at the player's moment: it grows in place, with a caret at its end.

import { count } from "./scale.js";

/**
 * @import { Player, PlayerLane } from "../player/player.js"
 * @typedef {{ name: string, most: number, isTraced: boolean }} TextOptions
 */

export class LaneText {
  // `most` characters of the end are shown: what would be laid out anew in every frame stays bounded.
  /** @param {Player} player @param {PlayerLane} lane @param {TextOptions} options */
  constructor(player, lane, { name, most, isTraced }) {
    this.player = player;
    this.lane = lane;
    this.most = most;
    this.start = 0;
    this.box = document.createElement("div");
    this.box.className = `text ${lane.kind}`;
    this.box.tabIndex = 0;
    this.box.setAttribute("role", "region");
    this.box.setAttribute("aria-label", name);
    this.before = this.box.appendChild(document.createElement("span"));
    this.before.className = "soft";
    this.node = document.createTextNode("");
    this.grown = this.box.appendChild(document.createElement("span"));
    this.grown.className = "grown";
    this.grown.append(this.node);
    // Of snapshots only the last is the lane's text: what one said before is not traced.
    if (isTraced && lane.mode !== "snapshot") this.grown.dataset.lane = String(lane.index);
  }

  // Appended to where it only grew. False where the text was not sent along.
  show() {
    const text = this.player.textOf(this.lane);
    if (text === null) return false;
    const { node, grown, before } = this;
    const end = this.start + node.length;
    const fits = text.length >= end && text.length - this.start <= 2 * this.most;
    if (fits && this.begins(text)) {
      if (text.length > end) node.appendData(text.slice(end));
    } else {
      this.start = Math.max(0, text.length - this.most);
      node.data = text.slice(this.start);
    }
    grown.dataset.start = String(this.start);
    before.hidden = this.start === 0;
    before.textContent = this.start ? `${count(this.start)} characters before ` : "";
    return true;
  }

  showEnd() {
    this.box.scrollTop = this.box.scrollHeight;
  }

  // A text that is appended to never changes; one that is sent anew with each piece may.
  /** @type {(text: string) => boolean} */
  begins(text) {
    return this.lane.mode !== "snapshot" || text.startsWith(this.node.data, this.start);
  }
}
