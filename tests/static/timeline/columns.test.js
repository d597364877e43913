import assert from "node:assert/strict";
import { test } from "node:test";

import { Column } from "../../../static/dashboard/player/column.js";
import { binned, isApart, topOf } from "../../../static/dashboard/timeline/columns.js";
import { scaleOf } from "../../../static/dashboard/timeline/scale.js";

function columnOf(values) {
  const column = new Column(Float64Array);
  column.extend(values);
  return column;
}

// Ten moments a pixel: the axis is 1,000 pixels wide.
const SCALE = scaleOf(1_230, { start: 0, end: 10_000 });

test("marks are apart while each has three pixels of what is in view", () => {
  const ats = (length) => columnOf(Array.from({ length }, (_, i) => i + 1));
  assert.ok(isApart(SCALE, ats(333)));
  assert.ok(!isApart(SCALE, ats(334)));
  assert.ok(isApart(scaleOf(1_230, { start: 0, end: 100 }), ats(334)));
  assert.ok(isApart(SCALE, columnOf([])));
});

test("what comes within two pixels is one column", () => {
  const columns = binned(SCALE, columnOf([0, 19, 20, 10_000, 10_001]), columnOf([1, 2, 4, 8, 16]));
  assert.equal(columns.length, 501);
  assert.deepEqual([columns[0], columns[1], columns[500]], [3, 4, 8]);
});

test("one column in a hundred may exceed the top", () => {
  const columns = Float64Array.from({ length: 200 }, (_, i) => (i < 100 ? i + 1 : 0));
  assert.equal(topOf(columns), 100);
  columns[100] = 9_000;
  columns[101] = 9_000;
  assert.equal(topOf(columns), 9_000);
  assert.equal(topOf(Float64Array.from({ length: 200 }, (_, i) => (i === 7 ? 9_000 : 5))), 5);
  assert.equal(topOf(new Float64Array(3)), 1);
});
