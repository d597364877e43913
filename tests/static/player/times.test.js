import assert from "node:assert/strict";
import { test } from "node:test";

import { Column } from "../../../static/dashboard/player/column.js";
import { judge } from "../../../static/dashboard/player/times.js";

// Judged in turns, as reads come: which are believed, and whether any turn had to judge anew.
function judged(...turns) {
  const at = new Column(Float64Array);
  const known = new Column(Uint8Array);
  const anew = turns.map((times) => {
    at.extend(times);
    return judge(at, known);
  });
  return { known: [...known.values.subarray(0, known.length)], anew };
}

test("times that never fall are all believed", () => {
  assert.deepEqual(judged([0, 100, 100, 200]), { known: [1, 1, 1, 1], anew: [false] });
});

test("of times that contradict each other neither is believed", () => {
  assert.deepEqual(judged([200, 900, 300, 1000]), { known: [1, 0, 0, 1], anew: [true] });
});

test("of times that all fall none is believed", () => {
  assert.deepEqual(judged([900, 700, 500, 300]).known, [0, 0, 0, 0]);
});

test("a time before zero or beyond what is exact is believed by nobody and disturbs no other", () => {
  assert.deepEqual(judged([100, -5, 200]).known, [1, 0, 1]);
  assert.deepEqual(judged([100, 2 ** 60, 200]).known, [1, 0, 1]);
});

test("reads that come later judge those before anew only where they contradict them", () => {
  assert.deepEqual(judged([100], [200], [150]), { known: [1, 0, 0], anew: [false, false, true] });
});

test("once one is not believed all are judged anew with each that comes", () => {
  assert.deepEqual(judged([100, 50], [200]), { known: [0, 0, 1], anew: [true, true] });
});
