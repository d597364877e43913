import assert from "node:assert/strict";
import { test } from "node:test";

import { Column } from "../../../static/dashboard/player/column.js";
import { rateOf } from "../../../static/dashboard/timeline/rate.js";

function arrivals(...pairs) {
  const [at, characters] = [new Column(Float64Array), new Column(Float64Array)];
  at.extend(pairs.map(([moment]) => moment));
  characters.extend(pairs.map(([, length]) => length));
  return { at, characters };
}

const ALL = arrivals([100_000, 7], [300_000, 10], [1_100_000, 40]);

test("a rate is the characters of an arrival over the time since the one before", () => {
  assert.deepEqual(rateOf(ALL, 1, 2), { characters: 10, us: 200_000, arrivals: 1, rate: 50 });
});

test("several arrivals are told over the time that they took together", () => {
  assert.deepEqual(rateOf(ALL, 1, 3), { characters: 50, us: 1_000_000, arrivals: 2, rate: 50 });
});

test("the first arrival has nothing before it and no rate, and none has none", () => {
  assert.equal(rateOf(ALL, 0, 1), null);
  assert.equal(rateOf(ALL, 2, 2), null);
});
