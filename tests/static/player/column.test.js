import assert from "node:assert/strict";
import { test } from "node:test";

import { after, Column } from "../../../static/dashboard/player/column.js";

function columnOf(...values) {
  const column = new Column(Float64Array);
  column.extend(values);
  return column;
}

test("a column holds what it was given, however often it had to grow", () => {
  const column = new Column(Uint32Array);
  for (let value = 0; value < 200; value++) column.push(value * 3);
  column.extend(new Array(500).fill(7));
  assert.equal(column.length, 700);
  assert.deepEqual([...column.values.subarray(0, 3)], [0, 3, 6]);
  assert.deepEqual([column.values[199], column.values[200], column.last], [597, 7, 7]);
  assert.ok(column.values instanceof Uint32Array);
});

test("the last of an empty column is undefined", () => {
  const column = columnOf(4);
  column.clear();
  assert.equal(column.length, 0);
  assert.equal(column.last, undefined);
});

test("the position after a value is the first whose value lies beyond it", () => {
  const column = columnOf(10, 20, 20, 30);
  const found = [-Infinity, 9, 10, 19, 20, 30, Infinity].map((wanted) => after(column, wanted));
  assert.deepEqual(found, [0, 0, 1, 1, 3, 4, 4]);
  assert.equal(after(columnOf(), 5), 0);
});

test("what lies behind a column's length is not found", () => {
  const column = columnOf(1, 2, 3);
  column.clear();
  column.push(1);
  assert.equal(after(column, 2), 1);
});
