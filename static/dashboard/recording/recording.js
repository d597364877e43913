// The page of a response that is being recorded: one player that is fed with what has come since, and
// all that shows it.

import { Announcer } from "../announcer.js";
import { byId, find } from "../elements.js";
import { Player } from "../player/player.js";
import { seconds, shortTime, tenths } from "../timeline/scale.js";
import { showGrowing } from "../timeline/timeline.js";
import { Answer } from "./answer.js";
import { Asker } from "./asker.js";
import { replaceInPlace } from "./ending.js";
import { Follow } from "./follow.js";
import { Gaps } from "./gaps.js";
import { Strip } from "./strip.js";
import { figuresOf, openWords, plural, sentenceOf } from "./words.js";

/**
 * @import { AskerState } from "./asker.js"
 * @import { Growth, GrowingHead } from "./growth.js"
 * @import { Figure, Moment } from "./words.js"
 */

const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const TICK_MS = 100;
const STILL_TICK_MS = 1_000;

/** @type {Record<AskerState, string>} */
const STATES = {
  asking: "",
  waiting: "The page gets no answer; it asks again.",
  "too-long": "More has come than is shown while it comes. All of it is shown after the end.",
  ended: "",
};

// The place that asks for the state.
const poll = byId("live", HTMLElement);

class RecordingPage {
  constructor() {
    this.player = new Player();
    this.gaps = new Gaps(this.player);
    /** @type {Pick<GrowingHead, "finishes" | "firsts">} */
    this.drawing = { finishes: [], firsts: [] };
    /** @type {GrowingHead | null} */
    this.head = null;
    /** @type {(Growth & { toldAt: number })[]} */
    this.held = [];
    this.nowUs = 0;
    this.toldAt = 0;
    this.heardAt = 0;
    this.ticked = 0;
    this.hasEnded = false;
    this.isFresh = false;
    this.block = "";
    this.wasSilent = false;
    /** @type {ReturnType<typeof showGrowing> | null} */
    this.timeline = null;
    this.announcer = new Announcer(byId("live-announced", HTMLElement));
    this.answer = new Answer(byId("written", HTMLElement), this.player);
    this.follow = new Follow({ turned: (isPaused) => this.turn(isPaused) });
    this.strip = new Strip(this.player);
    this.asker = new Asker(poll.dataset.growth ?? "", {
      changed: (state) => this.turnTo(state),
      took: (growth) => this.hold(growth),
      heard: (asked) => {
        this.heardAt = asked;
      },
    });
    this.player.listen(({ moment }) => Number.isFinite(moment) && this.follow.pause(true));
  }

  begin() {
    this.asker.run();
    const frame = () => {
      if (this.follow.isOver) return;
      this.frame(performance.now());
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  get isLive() {
    return this.head !== null && !this.hasEnded && this.asker.state !== "too-long";
  }

  // -- what comes -----------------------------------------------------------------------------------

  // A page that is paused keeps what comes.
  /** @type {(growth: Growth) => void} */
  hold(growth) {
    if (growth.starts_over) this.held = [];
    this.held.push({ ...growth, toldAt: this.heardAt });
    if (this.follow.isPaused) this.tellHeld();
    else this.takeHeld();
  }

  takeHeld() {
    for (const growth of this.held) this.append(growth);
    this.held = [];
  }

  /** @type {(growth: Growth & { toldAt: number }) => void} */
  append({ starts_over, head, now_us, columns, toldAt }) {
    if (starts_over) this.player.clear();
    this.head = head;
    this.nowUs = now_us;
    this.toldAt = toldAt;
    Object.assign(this.drawing, { firsts: head.firsts, finishes: head.finishes });
    this.player.append({ ...columns, now_us });
    this.isFresh = true;
    // From now on the page is told of itself by what grows.
    poll.dataset.pollMs = "2000";
  }

  finish() {
    this.hasEnded = true;
    this.announcer.say("The recording has ended.");
    poll.dataset.pollMs = "500";
    if (this.follow.isPaused) this.tellHeld();
    else htmx.trigger(poll, "poll");
  }

  /** @type {(isPaused: boolean) => void} */
  turn(isPaused) {
    byId("held", HTMLElement).hidden = !isPaused;
    this.announcer.say(isPaused ? "Paused. The recording goes on." : "Following.");
    if (isPaused) {
      // What stands still stands at one moment: texts may have come since the last drawing.
      if (this.head) this.showSoFar(this.head, true);
      this.tellHeld();
      return;
    }
    this.player.seek(Infinity);
    this.takeHeld();
    this.ticked = 0;
    if (this.hasEnded || !this.isLive) htmx.trigger(poll, "poll");
  }

  // -- what shows -----------------------------------------------------------------------------------

  /** @type {(now: number) => void} */
  frame(now) {
    if (this.follow.isPaused || !this.head || this.asker.state === "too-long") return;
    const isDue = now - this.ticked >= (STILL.matches ? STILL_TICK_MS : TICK_MS);
    if (!isDue && !this.isFresh) return;
    this.showSoFar(this.head, isDue);
    this.follow.keepInView(this.answer.open?.box ?? null);
  }

  // Texts with each increment, what is drawn and counted less often.
  /** @type {(head: GrowingHead, isDue: boolean) => void} */
  showSoFar(head, isDue) {
    if (this.isFresh) {
      this.gaps.grow();
      this.answer.show(head);
    }
    const shown = this.shown(head);
    if (isDue) this.tick(shown);
    this.isFresh = false;
  }

  // The moment that is shown: it was told, and time has passed since.
  /** @type {(head: GrowingHead) => Moment} */
  shown(head) {
    const { player, gaps } = this;
    const passed = this.hasEnded ? 0 : (performance.now() - this.toldAt) * 1000;
    const now = this.nowUs + Math.max(0, passed);
    const heard = this.nowUs + (this.heardAt - this.toldAt) * 1000;
    player.wait(now);
    return {
      head,
      open: this.answer.opened(),
      now,
      running: this.hasEnded ? null : gaps.running(now, heard),
      longest: gaps.longest,
      characters: player.lanes.reduce((sum, lane) => sum + lane.length, 0),
      events: player.events.length,
      reads: player.reads.at.length,
    };
  }

  /** @type {(shown: Moment) => void} */
  tick(shown) {
    this.ticked = performance.now();
    this.player.stalls = this.gaps.stalls();
    this.draw(shown);
    const scale = this.answer.tick(shown.now, shown.running);
    this.tellHead(shown);
    this.tellPanels(shown, scale);
    this.strip.show(shown);
    this.announce(shown);
  }

  /** @type {(shown: Moment) => void} */
  draw({ running }) {
    if (!this.timeline) {
      const box = byId("growing", HTMLElement);
      box.querySelector(".waits")?.remove();
      this.timeline = showGrowing(box, this.player, this.drawing);
    }
    this.timeline.model.running = running;
    this.timeline.grow();
  }

  /** @type {(shown: Moment) => void} */
  tellHead(shown) {
    // Another place asks from when on the page is told that the answer waits for its reading.
    if (poll.isConnected) {
      const sentence = byId("recording", HTMLElement);
      const [verdict] = sentence.children;
      const words = sentenceOf(shown).map(({ text, tone }) => spanOf(text, tone && `ink-${tone}`));
      verdict.textContent = "In progress.";
      sentence.replaceChildren(verdict, " ", ...words);
    }
    const figures = figuresOf(shown, poll.dataset.requested ?? "");
    for (const [name, figure] of Object.entries(figures)) tellFigure(name, figure);
  }

  /** @type {(shown: Moment, scale: number) => void} */
  tellPanels({ events, reads, running, open }, scale) {
    const [p50, p95] = [this.gaps.percentile(0.5), this.gaps.percentile(0.95)];
    tellFacts("timeline-facts", [
      reads ? `${plural(events, "event")} in ${plural(reads, "read")}` : "no read yet",
      p50 === null ? "" : `gap p50 ${shortTime(p50)}`,
      p95 === null ? "" : `p95 ${shortTime(p95)}`,
      running ? `now silent for ${tenths(running.end - running.start)}` : "",
      "the right edge is now",
    ]);
    const blocks = this.answer.blocks.size;
    tellFacts("written-facts", [
      blocks ? `${plural(blocks, "block")} so far${open ? ", the last is open" : ""}` : "",
      blocks ? `small bar: when, 0 to ${scale} s` : "",
    ]);
    tellCount("timeline", events);
    tellCount("choices", blocks);
  }

  /** @type {(shown: Moment) => void} */
  announce(shown) {
    const block = openWords(shown);
    if (block !== this.block) this.announcer.say(block);
    else if (shown.running && !this.wasSilent) this.announcer.say("Silent.");
    this.block = block;
    this.wasSilent = shown.running !== null;
  }

  tellHeld() {
    const more = this.held.reduce((sum, each) => sum + (each.columns.events?.kind.length ?? 0), 0);
    byId("held-words", HTMLElement).textContent = [
      `Paused at ${seconds(this.player.end)}.`,
      this.hasEnded ? "The recording has ended." : "",
      more > 0 ? `${plural(more, "more event")} came.` : "",
    ]
      .filter(Boolean)
      .join(" ");
  }

  /** @type {(state: AskerState) => void} */
  turnTo(state) {
    const place = find(document, "#live-state", HTMLElement);
    if (place) {
      place.textContent = STATES[state];
      place.hidden = !STATES[state];
    }
    if (state === "too-long" || state === "waiting") poll.dataset.pollMs = "1000";
    if (state === "ended" && !this.hasEnded) this.finish();
  }
}

/** @type {(text: string, className?: string) => HTMLElement} */
function spanOf(text, className) {
  const made = document.createElement("span");
  if (className) made.className = className;
  made.textContent = text;
  return made;
}

/** @type {(name: string, figure: Figure) => void} */
function tellFigure(name, { value, aside, isUnknown = false }) {
  const figure = find(document, `[data-figure="${name}"]`, HTMLElement);
  const [link, small] = figure?.querySelectorAll("a, small") ?? [];
  if (!link || !small) return;
  if (link.textContent !== value) link.replaceChildren(spanOf(value));
  link.className = isUnknown ? "faint" : value.length > 24 ? "long" : "";
  if (small.textContent !== aside) small.textContent = aside;
}

/** @type {(id: string, facts: string[]) => void} */
function tellFacts(id, facts) {
  const list = byId(id, HTMLElement);
  const words = facts.filter(Boolean);
  for (const [at, fact] of words.entries()) {
    const item = list.children[at] ?? list.appendChild(document.createElement("li"));
    if (item.textContent !== fact) item.textContent = fact;
    item.classList.toggle("ink-part", fact.startsWith("now silent"));
  }
  while (list.children.length > words.length) list.lastElementChild?.remove();
}

/** @type {(slug: string, number: number) => void} */
function tellCount(slug, number) {
  const count = find(document, `.rail a[href="#${slug}"] .count`, HTMLElement);
  if (count) count.textContent = number ? number.toLocaleString("en-US") : "none yet";
}

const page = new RecordingPage();
page.begin();
replaceInPlace({
  isHeld: () => page.follow.isPaused,
  isLive: () => page.isLive,
  isFollowed: () => !page.follow.isPaused,
  finished(sentence) {
    page.asker.close();
    page.follow.end();
    page.announcer.say(sentence);
  },
});
