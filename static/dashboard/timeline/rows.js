// What the table says of one event: the same values that are drawn.

import { after } from "../player/column.js";
import { EVENT_KINDS, MARK_KINDS } from "../player/player.js";
import { count, seconds } from "./scale.js";

/**
 * @import { Player, PlayerLane } from "../player/player.js"
 * @import { EventKind, MarkKind } from "../tape.js"
 * @typedef {{ lane: PlayerLane, length: number, position: number }} Given
 */

export const COLUMNS = ["event", "kind", "arrived", "gap", "read", "byte", "bytes", "gave", "text"];
export const NUMBERS = new Set(["event", "arrived", "gap", "read", "byte", "bytes"]);
const UNKNOWN = "–";

export class Rows {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
  }

  get length() {
    return this.player.events.length;
  }

  /** @type {(event: number) => EventKind} */
  kind(event) {
    return EVENT_KINDS[this.player.events.kind.values[event]];
  }

  // The pieces that an event gave, as positions from one to before the other.
  /** @type {(event: number) => [first: number, end: number]} */
  pieces(event) {
    const { event: of } = this.player.pieces;
    return [after(of, event - 1), after(of, event)];
  }

  /** @type {(event: number) => Generator<Given>} */
  *given(event) {
    const { pieces, lanes } = this.player;
    const [first, end] = this.pieces(event);
    for (let piece = first; piece < end; piece++) {
      const lane = lanes[pieces.lane.values[piece]];
      const position = after(lane.event, event) - 1;
      yield { lane, length: lane.end.values[position] - lane.start.values[position], position };
    }
  }

  /** @type {(event: number) => MarkKind[]} */
  marks(event) {
    const { event: of, kind } = this.player.marks;
    const [first, end] = [after(of, event - 1), after(of, event)];
    return [...kind.values.subarray(first, end)].map((each) => MARK_KINDS[each]);
  }

  // The characters themselves, where they were sent along; of a snapshot what it says anew.
  /** @type {(event: number) => string} */
  text(event) {
    let text = "";
    for (const { lane, position } of this.given(event))
      text += lane.text?.piece(lane, position) ?? "";
    return text;
  }

  // Microseconds since the event before; null where nobody knows, or where both came in one read.
  /** @type {(event: number) => number | null} */
  gap(event) {
    const { player } = this;
    if (!event || !player.isKnown(event) || !player.isKnown(event - 1) || this.isTogether(event))
      return null;
    return player.momentOf(event) - player.momentOf(event - 1);
  }

  /** @type {(event: number) => boolean} */
  isTogether(event) {
    const { read } = this.player.events;
    return this.player.timed && event > 0 && read.values[event] === read.values[event - 1];
  }

  /** @type {(event: number) => string} */
  gapWords(event) {
    if (this.isTogether(event)) return "together";
    const gap = this.gap(event);
    const { read } = this.player.events;
    const arrived = this.player.timed ? after(read, read.values[event]) - event : 1;
    const words = gap === null ? UNKNOWN : milliseconds(gap);
    return arrived > 1 ? `${words} ×${count(arrived)}` : words;
  }

  // As COLUMNS names them.
  /** @type {(event: number) => string[]} */
  cells(event) {
    const { player } = this;
    const { start, end, read } = player.events;
    const known = player.isKnown(event);
    const gave = Array.from(
      this.given(event),
      ({ lane, length }) => `choice ${lane.choice} ${lane.name} ${count(length)}`,
    );
    return [
      `#${event}`,
      this.kind(event),
      known ? seconds(player.momentOf(event)) : UNKNOWN,
      this.gapWords(event),
      player.timed ? String(read.values[event]) : UNKNOWN,
      count(start.values[event]),
      count(end.values[event] - start.values[event]),
      [...gave, ...this.marks(event)].join(", "),
      this.text(event).replaceAll("\n", "↵"),
    ];
  }

  // The same for a spreadsheet: plain numbers, and one line whatever the text holds.
  /** @type {(event: number) => string} */
  plain(event) {
    const { player } = this;
    const { start, end, read } = player.events;
    const known = player.isKnown(event);
    const gap = this.gap(event);
    const cells = this.cells(event);
    return [
      event,
      cells[1],
      known ? player.momentOf(event) / 1e6 : "",
      gap === null ? "" : gap / 1000,
      player.timed ? read.values[event] : "",
      start.values[event],
      end.values[event] - start.values[event],
      cells[7],
      JSON.stringify(this.text(event)).slice(1, -1),
    ].join("\t");
  }
}

export const PLAIN_HEAD = "event\tkind\tarrived_s\tgap_ms\tread\tbyte\tbytes\tgave\ttext";

/** @type {(us: number) => string} */
function milliseconds(us) {
  return us < 10_000 ? `${(us / 1000).toFixed(1)} ms` : `${count(Math.round(us / 1000))} ms`;
}
