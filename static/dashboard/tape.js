// What the timeline is drawn from, fetched once per address for everybody on the page who asks.

/**
 * The columns of a tape, as inspector/core/tape.py has them; characters are UTF-16 units.
 *
 * @typedef {"chunk" | "comment" | "error" | "end-mark" | "ignored" | "tail"} EventKind
 * @typedef {"reasoning" | "content" | "text" | "refusal" | "tool-call" | "function-call" | "hosted"} LaneKind
 * @typedef {"role" | "finish" | "usage"} MarkKind
 * @typedef {{ at_us: number[], byte_end: number[] }} ReadColumns
 * @typedef {{ byte_start: number[], byte_end: number[], kind: EventKind[] }} EventColumns
 * @typedef {{ event: number[], lane: (number | null)[], kind: MarkKind[] }} MarkColumns
 * @typedef {{ event: number[], lane: number[], start_u16: number[], length_u16: number[] }} PieceColumns
 * @typedef {{ choice: number, kind: LaneKind, tool_call: number | null, mode: "append" | "snapshot" }} Lane
 * @typedef {{ clock: "recorded" | "partial" | "none", reads: ReadColumns, events: EventColumns, lanes: Lane[],
 *   marks: MarkColumns, pieces: PieceColumns }} Tape
 */

/**
 * What a page draws, as inspector/dashboard/capture/timeline/timeline_data.py sends it. A piece of a snapshot is what it keeps
 * of the one before, in units, and the rest of it; a stall also tells the reads before and after it.
 *
 * @typedef {[shared: number, rest: string]} SnapshotPiece
 * @typedef {[start_us: number, end_us: number, before: number, after: number]} Stall
 * @typedef {{ name: string, text: string | null, snapshots: SnapshotPiece[] | null, href: string | null }} DrawnLane
 * @typedef {{ tape: Tape, lanes: DrawnLane[], stalls: Stall[], duration_us: number | null,
 *   finishes: { choice: number, reason: string, ordinary: boolean }[],
 *   firsts: [name: string, kind: string, at_us: number][] }} Drawing
 */

/**
 * What a player takes. A lane without a text is told by its length alone.
 *
 * @import { Player } from "./player/player.js"
 * @typedef {Lane & { name: string, href: string | null }} NamedLane
 * @typedef {[lane: number, more: string | SnapshotPiece[] | null]} LaneText
 * @typedef {Omit<Tape, "lanes"> & { lanes: NamedLane[], texts: LaneText[], stalls: Stall[],
 *   duration_us: number | null, now_us: number }} Columns
 */

/** @type {Map<string, Promise<Drawing>>} */
const requests = new Map();

// A promise of the timeline's JSON; one that failed is requested again.
/** @type {(address: string) => Promise<Drawing>} */
export function drawingAt(address) {
  const known = requests.get(address);
  if (known) return known;
  const answer = fetched(address);
  requests.set(address, answer);
  answer.catch(() => requests.delete(address));
  return answer;
}

/** @type {(address: string) => Promise<Drawing>} */
async function fetched(address) {
  const response = await fetch(address, { headers: { Accept: "application/json" } });
  if (!response.ok) throw new Error(`${address} answered ${response.status}`);
  return response.json();
}

// Pieces that a player takes in one task: a page stays awake while it takes many.
const PIECES_AT_ONCE = 10_000;

// Lets the page do what else there is to do.
/** @type {() => Promise<void>} */
export function turn() {
  return new Promise((done) => {
    setTimeout(done);
  });
}

// Fills a player in turns.
/** @type {(player: Player, columns: Omit<Columns, "now_us">) => Promise<void>} */
export async function fill(player, { pieces, texts, ...columns }) {
  player.append(columns);
  for (let from = 0; from < pieces.event.length; from += PIECES_AT_ONCE) {
    await turn();
    const slice = Object.entries(pieces).map(([name, list]) => [
      name,
      list.slice(from, from + PIECES_AT_ONCE),
    ]);
    player.append({ pieces: Object.fromEntries(slice) });
  }
  player.append({ texts });
}

// What a player takes of it.
/** @type {(drawing: Drawing) => Omit<Columns, "now_us">} */
export function columnsOf({ tape, lanes, stalls, duration_us }) {
  return {
    ...tape,
    lanes: tape.lanes.map((lane, index) => ({
      ...lane,
      name: lanes[index].name,
      href: lanes[index].href,
    })),
    texts: lanes.map((lane, index) => [index, lane.snapshots ?? lane.text]),
    stalls,
    duration_us,
  };
}
