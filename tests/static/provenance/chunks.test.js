import assert from "node:assert/strict";
import { test } from "node:test";

import { Chunks } from "../../../static/dashboard/provenance/chunks.js";
import { drawingOf, lane } from "../drawings.js";

// Events 0 to 6: "Ship " and "x" | "it " | a comment | "yz" | "from " | "Rotterdam " | "today."
const READS = [
  [
    100,
    {
      gives: [
        [0, "Ship "],
        [1, "x"],
      ],
    },
    "it ",
  ],
  [200, { kind: "comment" }, { gives: [[1, "yz"]] }],
  [300, "from ", "Rotterdam ", "today."],
];

function chunks() {
  return new Chunks(drawingOf(READS, { lanes: [lane(0), lane(1)] }).tape);
}

test("the pieces of a lane are columns of their own", () => {
  assert.deepEqual(chunks().of(1), { event: [0, 3], start: [0, 1], end: [1, 3] });
});

test("characters lead to their events, neighbours as one pair", () => {
  const found = [
    [0, 1],
    [4, 6],
    [5, 23],
    [0, 29],
    [8, 8],
  ].map(([start, end]) => chunks().runs(0, start, end));
  assert.deepEqual(found, [
    [[0, 0]],
    [[0, 1]],
    [
      [1, 1],
      [4, 5],
    ],
    [
      [0, 1],
      [4, 6],
    ],
    [],
  ]);
});

test("the chunks of some characters begin with the one that holds the first", () => {
  assert.deepEqual(chunks().within(0, 5, 23), [1, 4]);
  assert.deepEqual(chunks().within(0, 29, 40), [5, 5]);
});

test("beside some characters stand the chunk before and the one behind", () => {
  assert.deepEqual(chunks().beside(0, 5, 8, 1), [8, 13]);
  assert.deepEqual(chunks().beside(0, 5, 8, -1), [0, 5]);
  assert.deepEqual(chunks().beside(0, 6, 7, 1), [8, 13]);
  assert.equal(chunks().beside(0, 0, 5, -1), null);
  assert.equal(chunks().beside(0, 23, 29, 1), null);
});

test("an event tells what it gave to every lane", () => {
  const given = [0, 1, 2, 6, 7].map((event) => chunks().given(event));
  assert.deepEqual(given, [
    [
      [0, 0, 5],
      [1, 0, 1],
    ],
    [[0, 5, 8]],
    [],
    [[0, 23, 29]],
    [],
  ]);
});

test("a byte belongs to the event that holds it, and one behind the last to none", () => {
  const bytes = [0, 9, 10, 69, 70].map((byte) => chunks().eventAt(byte));
  assert.deepEqual(bytes, [0, 0, 1, 6, null]);
});

test("a byte between two events belongs to none", () => {
  const { tape } = drawingOf([[100, "a", "b"]]);
  tape.events.byte_end = [7, 20];
  assert.deepEqual(
    [6, 7, 9, 10].map((byte) => new Chunks(tape).eventAt(byte)),
    [0, null, null, 1],
  );
});
