// The lanes of the choices, and the reads below them.

import { binned, drawColumns, isApart } from "./columns.js";
import { clipped, fitted, line, ring, words } from "./ink.js";
import { between } from "./model.js";

/**
 * @import { Column } from "../player/column.js"
 * @import { MarkKind } from "../tape.js"
 * @import { Frame } from "./draw.js"
 * @import { LaneRow, Row } from "./layout.js"
 * @import { Scale } from "./scale.js"
 */

// Of a choice's name, and the air between it and that of its first lane.
const GROUP = 64;

/** @type {(frame: Frame, row: LaneRow) => void} */
export function drawLaneGround(frame, row) {
  const { context, scale, colours } = frame;
  const { lane } = row;
  const base = row.top + row.height - 6;
  const short = scale.narrow ? row.group.replace("choice ", "") : row.group;
  if (row.group) words(frame, short, 0, base, colours.ink, { strong: true });
  const space = scale.left - 8 - (row.group ? (scale.narrow ? 14 : GROUP) : 0);
  const name = fitted(
    context,
    scale.narrow && lane.tool_call !== null ? "tool call" : lane.name,
    space,
  );
  words(frame, name, scale.left - 8, base, colours.word(lane.kind), { align: "right" });
  line(context, scale.left, row.base + 0.5, scale.right, row.base + 0.5, colours.rule);
}

/** @type {(frame: Frame, row: LaneRow) => void} */
export function drawLane(frame, row) {
  const { scale, colours } = frame;
  clipped(frame, () => {
    if (!isApart(scale, row.at)) {
      drawColumns(frame, binned(scale, row.at, row.characters), row, colours.mark(row.lane.kind));
      return;
    }
    const [first, end] = near(scale, row.at);
    for (let i = first; i < end; i++) drawGroup(frame, row, i);
  });
  for (const mark of seenMarks(frame, row)) {
    if (mark.kind === "role") ring(frame, mark.x, row.base - 4, 2.5);
    if (mark.kind === "finish") drawFinish(frame, mark.x, row);
  }
}

// Of one in view, and of those whose marks reach into it.
/** @type {(scale: Scale, ats: Column) => [first: number, end: number]} */
function near(scale, ats) {
  const reach = scale.at(scale.left + 6) - scale.view.start;
  return between(ats, scale.view.start - reach, scale.view.end + reach);
}

/** @type {(frame: Frame, row: LaneRow, i: number) => void} */
function drawGroup({ context, scale, colours }, row, i) {
  const x = scale.x(row.at.values[i]);
  const full = row.height - 6;
  const colour = colours.mark(row.lane.kind);
  const isOne = row.n.values[i] === 1;
  const height = isOne
    ? Math.max(5, Math.min(full, 5.2 * Math.sqrt(row.characters.values[i])))
    : full;
  if (!row.known.values[i]) {
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.strokeRect(x - 2, row.base - height + 0.5, 4, height - 1);
    return;
  }
  const width = isOne ? (scale.narrow ? 1.5 : 2.4) : 5;
  context.fillStyle = colour;
  context.fillRect(isOne ? x - width / 2 : x - 2, row.base - height, width, height);
}

// One of a kind at a pixel stands for all that would be drawn over it.
/** @type {(frame: Frame, row: LaneRow) => Generator<{ kind: MarkKind, x: number }>} */
function* seenMarks({ model, scale }, row) {
  /** @type {Partial<Record<MarkKind, number>>} */
  const last = {};
  for (const { kind, event } of row.marks) {
    const at = model.player.momentOf(event);
    const x = scale.x(at);
    if (!scale.seen(at) || Math.abs(x - (last[kind] ?? -Infinity)) < 1) continue;
    last[kind] = x;
    yield { kind, x };
  }
}

/** @type {(frame: Frame, row: LaneRow) => { reason: string, ordinary: boolean }} */
function finishOf({ model }, row) {
  return (
    model.drawing.finishes.find((each) => each.choice === row.lane.choice) ?? {
      reason: "finish",
      ordinary: true,
    }
  );
}

/** @type {(frame: Frame, x: number, row: LaneRow) => void} */
function drawFinish(frame, x, row) {
  const { context, colours } = frame;
  context.fillStyle = finishOf(frame, row).ordinary ? colours.ink : colours["error-mark"];
  context.fillRect(x - 3.5, row.base - 11, 7, 11);
}

// Words stand over marks and stay readable after the scrubber.
/** @type {(frame: Frame, row: LaneRow) => void} */
export function drawLaneWords(frame, row) {
  const { scale, colours } = frame;
  if (isApart(scale, row.at)) {
    let free = -Infinity;
    const [first, end] = between(row.at, scale.view.start - 1e-9, scale.view.end);
    for (let i = first; i < end; i++) {
      if (row.n.values[i] === 1) continue;
      const x = scale.x(row.at.values[i]);
      const text = `×${row.n.values[i]}`;
      const width = frame.context.measureText(text).width + 3;
      if (x - 6 - width < free) continue;
      words(frame, text, x - 6, row.base - 4, colours.word(row.lane.kind), {
        align: "right",
        strong: true,
        halo: true,
      });
      free = x + 4;
    }
  }
  for (const mark of seenMarks(frame, row))
    if (mark.kind === "finish") drawFinishWord(frame, mark.x, row);
}

/** @type {(frame: Frame, x: number, row: LaneRow) => void} */
function drawFinishWord(frame, x, row) {
  const { context, colours, scale } = frame;
  const finish = finishOf(frame, row);
  const flips = x + 9 + context.measureText(finish.reason).width > scale.width;
  words(
    frame,
    finish.reason,
    flips ? x - 8 : x + 7,
    row.base - 2,
    finish.ordinary ? colours.ink : colours["error-ink"],
    {
      align: flips ? "right" : "left",
      strong: !finish.ordinary,
      halo: true,
    },
  );
}

/** @type {(frame: Frame, row: Row) => void} */
export function drawReadsGround(frame, row) {
  const { context, scale, colours } = frame;
  words(frame, "reads", 0, row.base - 3, colours.ink, { strong: true });
  if (!scale.narrow)
    words(frame, "bytes each", scale.left - 8, row.base - 3, colours["ink-soft"], {
      align: "right",
    });
  line(context, scale.left, row.base + 0.5, scale.right, row.base + 0.5, colours.rule);
}

/** @type {(frame: Frame, row: Row) => void} */
export function drawReads(frame, row) {
  const { context, scale, colours, model } = frame;
  const { at, bytes } = model.reads;
  clipped(frame, () => {
    if (!isApart(scale, at)) {
      drawColumns(frame, binned(scale, at, bytes), row, colours["control-edge"]);
      return;
    }
    context.fillStyle = colours["control-edge"];
    const [first, end] = near(scale, at);
    for (let i = first; i < end; i++) {
      const height = Math.min(row.height - 3, 2.2 + Math.sqrt(bytes.values[i]) / 4);
      context.fillRect(scale.x(at.values[i]) - 0.6, row.base - height, 1.2, height);
    }
  });
}
