// The blocks of the answer as they are written: facts beside each text, and a caret where it is open.

import { LaneText } from "../timeline/lane_text.js";
import { count, tenths } from "../timeline/scale.js";
import { blockFacts } from "./words.js";

/**
 * @import { Player, PlayerLane } from "../player/player.js"
 * @import { Silence } from "../timeline/model.js"
 * @import { GrowingBlock, GrowingHead } from "./growth.js"
 * @import { OpenBlock } from "./words.js"
 */

const MOST_BLOCKS = 300;
const MOST_CHARACTERS = 20_000;
const SHORT = 80;
// Ends of the scale of the small bars, in seconds.
const SCALES = [5, 10, 20, 60, 120, 300, 600, 1_800, 3_600];
const KINDS = {
  reasoning: "reasoning",
  refusal: "error",
  "tool-call": "tool",
  hosted: "usage",
  text: "content",
};

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

export class Answer {
  /** @param {HTMLElement} box @param {Player} player */
  constructor(box, player) {
    this.box = box;
    this.player = player;
    this.epoch = player.epoch;
    /** @type {Map<string, WrittenBlock>} */
    this.blocks = new Map();
    /** @type {Map<number, HTMLElement>} */
    this.choices = new Map();
    /** @type {WrittenBlock | null} */
    this.open = null;
  }

  // What has come since stands on the page.
  /** @type {(head: GrowingHead) => void} */
  show(head) {
    if (this.epoch !== this.player.epoch) this.clear();
    const { blocks, open_block } = head;
    /** @type {Map<string, number>} */
    const together = new Map();
    const written = blocks.map((block) => this.take(block, together));
    this.open = open_block === null ? null : (written[open_block] ?? null);
    for (const each of this.blocks.values()) each.showText(each === this.open);
  }

  // What is said of the block that is open.
  /** @type {() => OpenBlock | null} */
  opened() {
    if (!this.open) return null;
    const { block, name, number } = this.open;
    const isAlone = this.choices.size === 1;
    return { kind: block.kind, name, number, choice: block.choice, isAlone };
  }

  // Only time has passed.
  /** @type {(now: number, running: Silence | null) => number} */
  tick(now, running) {
    const scale = SCALES.find((end) => end * 1e6 >= now) ?? Math.ceil(now / 1e6);
    for (const each of this.blocks.values()) each.showFacts(each === this.open, scale * 1e6, now);
    this.open?.showSilence(running);
    return scale;
  }

  clear() {
    this.epoch = this.player.epoch;
    this.blocks.clear();
    this.choices.clear();
    this.box.replaceChildren();
  }

  // A block is known by the event that opened it; several that one event opened by their order.
  /** @type {(block: GrowingBlock, together: Map<string, number>) => WrittenBlock | null} */
  take(block, together) {
    const opened = `${block.choice} ${block.first_event}`;
    const nth = together.get(opened) ?? 0;
    together.set(opened, nth + 1);
    const key = `${opened} ${nth}`;
    const known = this.blocks.get(key);
    if (known) known.take(block);
    if (known || this.blocks.size >= MOST_BLOCKS) return known ?? null;
    const place = this.choices.get(block.choice) ?? this.addChoice(block.choice);
    const made = new WrittenBlock(this.player, block, place.childElementCount - 1);
    this.blocks.set(key, made);
    place.append(made.box);
    return made;
  }

  /** @type {(choice: number) => HTMLElement} */
  addChoice(choice) {
    const section = element("section", "written");
    section.setAttribute("aria-labelledby", `written-${choice}`);
    const title = section.appendChild(element("h3", "", `choice ${choice}`));
    title.id = `written-${choice}`;
    this.choices.set(choice, section);
    const inOrder = [...this.choices].sort(([a], [b]) => a - b).map(([, each]) => each);
    this.box.replaceChildren(...inOrder);
    this.box.classList.toggle("several", this.choices.size > 1);
    return section;
  }
}

class WrittenBlock {
  /** @param {Player} player @param {GrowingBlock} block @param {number} number */
  constructor(player, block, number) {
    this.player = player;
    this.block = block;
    this.number = number;
    this.shown = -1;
    /** @type {LaneText | null} */
    this.text = null;
    this.isFoldedByHand = false;
    this.box = element("div", "written-block");
    this.facts = this.box.appendChild(element("div", "written-facts"));
    const { kind } = this;
    const head = this.facts.appendChild(element("p"));
    head.append(element("code", "soft", String(number)), " ");
    this.title = head.appendChild(element("b", `ink-${kind}`, this.name));
    this.bar = this.facts.appendChild(element("span", "when"));
    this.part = this.bar.appendChild(element("i", kind));
    this.words = this.facts.appendChild(element("p", "soft"));
    this.body = this.box.appendChild(element("div", "written-body"));
    this.more = element("button", "quiet unfold");
    this.more.type = "button";
    this.more.hidden = true;
    this.more.addEventListener("click", () => this.unfold());
    this.silence = element("p", "silence soft");
    this.silence.hidden = true;
    this.body.append(this.more, this.silence);
    if (block.kind === "hosted" && block.lane === null)
      this.body.prepend(
        element("p", "soft without-text", "Run by the provider; its content comes after the end."),
      );
    this.take(block);
  }

  // Its text may begin later than the block, and so may its name.
  /** @type {(block: GrowingBlock) => void} */
  take(block) {
    this.block = block;
    if (!this.text && this.lane) {
      this.body.querySelector(".without-text")?.remove();
      this.body.prepend(this.makeText(this.lane).box);
    }
    if (this.title.textContent !== this.name) this.title.textContent = this.name;
  }

  get lane() {
    return this.block.lane === null ? null : (this.player.lanes[this.block.lane] ?? null);
  }

  get kind() {
    return KINDS[/** @type {keyof typeof KINDS} */ (this.block.kind)] ?? "usage";
  }

  get name() {
    const { name, kind, type } = this.block;
    return name ?? (kind === "hosted" ? type : kind).replaceAll(/[-_]/g, " ");
  }

  /** @type {(lane: PlayerLane) => LaneText} */
  makeText(lane) {
    const name = `block ${this.number} of choice ${this.block.choice}, ${this.name}`;
    this.text = new LaneText(this.player, lane, { name, most: MOST_CHARACTERS, isTraced: false });
    this.text.box.classList.add("answer", this.kind);
    this.text.box.dir = "auto";
    return this.text;
  }

  unfold() {
    this.isFoldedByHand = true;
    this.fold(!this.box.classList.contains("folded"));
  }

  // Reasoning that is done is one line.
  /** @type {(isOpen: boolean) => void} */
  showText(isOpen) {
    this.box.classList.toggle("open", isOpen);
    if (!this.text || !this.lane) return;
    if (this.shown !== this.lane.length) {
      this.shown = this.lane.length;
      if (!this.text.show()) this.text.node.data = "This text is shown after the end.";
      this.text.showEnd();
    }
    if (this.kind !== "reasoning") return;
    this.more.hidden = isOpen || this.lane.length < SHORT;
    if (!this.isFoldedByHand) this.fold(!isOpen);
  }

  /** @type {(isFolded: boolean) => void} */
  fold(isFolded) {
    if (!this.lane || this.box.classList.contains("folded") === isFolded) return;
    this.box.classList.toggle("folded", isFolded);
    // One line is the first, all of them begin there.
    if (this.text && !this.box.classList.contains("open")) this.text.box.scrollTop = 0;
    this.more.textContent = isFolded ? `All ${count(this.lane.length)} characters` : "Fold";
    this.more.setAttribute("aria-expanded", String(!isFolded));
  }

  /** @type {(isOpen: boolean, scale: number, now: number) => void} */
  showFacts(isOpen, scale, now) {
    const { lane } = this;
    const [from, to] = [
      this.momentOf(this.block.first_event),
      this.momentOf(this.block.last_event),
    ];
    const facts = blockFacts({ from, to, isOpen, length: lane?.length ?? null });
    this.words.replaceChildren(...facts.map((fact) => element("span", "", fact)));
    this.bar.hidden = from === null;
    if (from === null || to === null) return;
    this.part.style.left = `${(100 * from) / scale}%`;
    this.part.style.width = `${(100 * ((isOpen ? now : to) - from)) / scale}%`;
  }

  /** @type {(event: number | null) => number | null} */
  momentOf(event) {
    const { player } = this;
    return player.timed && event !== null && event < player.events.length
      ? player.momentOf(event)
      : null;
  }

  /** @type {(running: Silence | null) => void} */
  showSilence(running) {
    const { reads, events } = this.player;
    const at = reads.at.last;
    this.silence.hidden = !running || at === undefined;
    if (!running || at === undefined) return;
    this.silence.replaceChildren(
      element("span", "ink-part", `Silent for ${tenths(running.end - running.start)}`),
      element(
        "span",
        "",
        `last bytes at ${(at / 1e6).toFixed(3)} s, event #${count(events.length - 1)}`,
      ),
    );
  }
}
