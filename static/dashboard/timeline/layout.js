// Where everything stands from top to bottom: flags, axis, lanes, stream, reads, sums, rate, ticks.

/**
 * @import { Model, ModelLane, Part, Sum } from "./model.js"
 * @typedef {Pick<Model, "timed" | "drawing" | "player" | "stream" | "reads" | "arrivals">
 *   & Partial<Pick<Model, "grows">>} Drawn
 * @typedef {{ top: number, height: number, base: number }} Row
 * @typedef {ModelLane & Row & { group: string }} LaneRow
 * @typedef {Row & { shown: Sum[] }} SumsRow
 * @typedef {{ name: string, kind: string, at: number }} Flag
 * @typedef {{ axis: number, flagRows: number, rows: LaneRow[], stream: Row | null, reads: Row | null,
 *   lanesEnd: number, sums: SumsRow | null, rate: Row | null, bottom: number, height: number }} Layout
 */

const LANE = 26;
const STREAM = 20;
const READS = 24;
const BETWEEN = 10;
const FLAG = 15;
const SUMS = 64;
const RATE = 30;

/** @type {(model: Drawn, part: Part, narrow: boolean) => Layout} */
export function layoutOf(model, part, narrow) {
  const most = narrow ? 5 : 3;
  // What grows keeps room for all that may come above the axis: the lanes stay where they are.
  const flagRows = model.grows ? most : Math.min(flagsOf(model).length, most);
  const stalled = model.timed && model.player.stalls.length;
  const words = stalled || model.grows ? FLAG : 0;
  const axis = (model.grows ? flagRows * FLAG + words : Math.max(flagRows * FLAG, words)) + 18;
  const rows = [];
  let y = axis + BETWEEN;
  let group = null;
  for (const row of part.lanes) {
    const name = `choice ${row.lane.choice}`;
    if (group !== null && group !== name) y += BETWEEN;
    rows.push({
      ...row,
      group: group === name ? "" : name,
      top: y,
      height: LANE,
      base: y + LANE - 3,
    });
    group = name;
    y += LANE;
  }
  // A silence before the first byte has a place, too: that of the lanes to come.
  if (model.grows && !model.reads.at.length) y += 2 * LANE;
  const stream = model.stream.event.length ? rowAt(STREAM) : null;
  const reads = model.reads.at.length ? rowAt(READS) : null;
  const lanesEnd = y;
  const choices = new Set(part.lanes.map(({ lane }) => lane.choice));
  const shown = model.arrivals.sums.filter(({ choice }) => choices.has(choice)).slice(0, 3);
  const sums = shown.length ? chartAt(SUMS, 16) : null;
  const rate = sums && model.timed && model.arrivals.all.at.length > 1 ? chartAt(RATE, 14) : null;
  const bottom = sums ? y : lanesEnd + 4;
  return {
    axis,
    flagRows,
    rows,
    stream,
    reads,
    lanesEnd,
    sums: sums && { ...sums, shown },
    rate,
    bottom,
    height: bottom + 22,
  };

  /** @type {(height: number) => Row} */
  function rowAt(height) {
    if (rows.length || y > axis + BETWEEN) y += BETWEEN;
    const row = { top: y, height, base: y + height - 3 };
    y += height;
    return row;
  }

  /** @type {(height: number, above: number) => Row} */
  function chartAt(height, above) {
    y += above + height;
    return { top: y - height, height, base: y };
  }
}

// First-times; equal ones share a flag, and what came with the first byte is told of texts alone.
/** @type {(model: Pick<Drawn, "timed" | "drawing">) => Flag[]} */
export function flagsOf(model) {
  if (!model.timed) return [];
  /** @type {Flag[]} */
  const flags = [];
  for (const [name, kind, at] of model.drawing.firsts) {
    const same = flags.find((flag) => flag.at === at);
    if (same) {
      if (kind) same.name += `, ${name}`;
      same.kind = same.kind || kind;
    } else {
      flags.push({ name, kind, at });
    }
  }
  return flags.sort((a, b) => a.at - b.at);
}
