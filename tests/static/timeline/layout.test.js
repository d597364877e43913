import assert from "node:assert/strict";
import { test } from "node:test";

import { Player } from "../../../static/dashboard/player/player.js";
import { columnsOf } from "../../../static/dashboard/tape.js";
import { flagsOf, layoutOf } from "../../../static/dashboard/timeline/layout.js";
import { modelOf } from "../../../static/dashboard/timeline/model.js";
import { drawingOf, lane } from "../drawings.js";

async function laidOut(reads, more, narrow = false) {
  const drawing = drawingOf(reads, more);
  const model = await modelOf(new Player(columnsOf(drawing)), drawing);
  return layoutOf(model, model.parts[0] ?? { lanes: [], left: 0 }, narrow);
}

const BOTH = { lanes: [lane(0), lane(1, "reasoning"), lane(1)] };
const READS = [
  [
    100,
    {
      gives: [
        [0, "a"],
        [1, "b"],
        [2, "c"],
      ],
    },
  ],
  [200, { kind: "end-mark" }],
];

test("first-times that are equal share a flag, and the kind that one of them has", () => {
  const firsts = [
    ["chunk", "", 300],
    ["byte", "", 100],
    ["event", "", 300],
    ["content", "content", 300],
  ];
  assert.deepEqual(flagsOf({ timed: true, drawing: { firsts, finishes: [] } }), [
    { name: "byte", kind: "", at: 100 },
    { name: "chunk, content", kind: "content", at: 300 },
  ]);
  assert.deepEqual(flagsOf({ timed: false, drawing: { firsts, finishes: [] } }), []);
});

test("lanes stand below each other, choices apart, each choice named once", async () => {
  const { rows, axis } = await laidOut(READS, BOTH);
  assert.deepEqual(
    rows.map(({ group }) => group),
    ["choice 0", "choice 1", ""],
  );
  assert.deepEqual(
    rows.map(({ top }) => top - axis),
    [10, 46, 72],
  );
  assert.ok(rows.every(({ top, height, base }) => base === top + height - 3));
});

test("nothing lies over anything else", async () => {
  const { axis, rows, stream, reads, sums, rate, bottom, height } = await laidOut(
    [...READS, [300, "d"]],
    BOTH,
  );
  const parts = [...rows, stream, reads, sums, rate];
  const edges = parts.flatMap((part) => [part.top, part.top + part.height]);
  assert.deepEqual(
    edges,
    edges.toSorted((a, b) => a - b),
  );
  assert.ok(axis < rows[0].top && edges.at(-1) <= bottom && bottom < height);
});

test("what is not there has no place", async () => {
  const { rows, stream, reads, sums, rate, lanesEnd, bottom } = await laidOut(
    [[null, { kind: "comment" }]],
    { lanes: [], clock: "none" },
  );
  assert.deepEqual([rows, reads, sums, rate], [[], null, null, null]);
  assert.ok(stream);
  assert.equal(bottom, lanesEnd + 4);
});

test("a rate needs two arrivals", async () => {
  assert.equal((await laidOut([[100, "a"]])).rate, null);
  assert.ok(
    (
      await laidOut([
        [100, "a"],
        [200, "b"],
      ])
    ).rate,
  );
});

test("of many first-times as many have a row of flags as there is room for", async () => {
  const firsts = Array.from({ length: 6 }, (_, i) => [`first ${i}`, "", 100 + i]);
  assert.equal((await laidOut(READS, { ...BOTH, firsts })).flagRows, 3);
  assert.equal((await laidOut(READS, { ...BOTH, firsts }, true)).flagRows, 5);
});

test("the sums of three choices at most are drawn, and only of those that are", async () => {
  const lanes = [0, 1, 2, 3].map((choice) => lane(choice));
  const gives = lanes.map((_, index) => [index, "x"]);
  const { sums } = await laidOut([[100, { gives }]], { lanes });
  assert.deepEqual(
    sums.shown.map(({ choice }) => choice),
    [0, 1, 2],
  );
});

test("lanes of what grows stay where they are when first-times and stalls come", async () => {
  const player = new Player({ ...columnsOf(drawingOf(READS, BOTH)), now_us: 300 });
  const model = await modelOf(player, { firsts: [], finishes: [] });
  const topOf = () => layoutOf(model, model.parts[0], false).rows[0].top;
  const before = topOf();
  model.drawing.firsts = [
    ["byte", "", 100],
    ["content", "content", 200],
  ];
  player.stalls = [[100, 200, 0, 1]];
  assert.equal(topOf(), before);
});
