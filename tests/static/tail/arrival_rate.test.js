import assert from "node:assert/strict";
import { test } from "node:test";

import { ArrivalRate } from "../../../static/dashboard/tail/arrival_rate.js";

test("before there is enough to count by nothing is said of a rate", () => {
  const rate = new ArrivalRate(0);
  rate.note(5_000, 3);
  assert.equal(rate.words(9_999), "New captures come in at the top.");
});

test("until a minute has passed it is an estimate, then a count", () => {
  const rate = new ArrivalRate(0);
  rate.note(5_000, 3);
  rate.note(20_000, 2);
  assert.equal(rate.words(30_000), "≈ 10 a minute");
  assert.equal(rate.words(60_000), "5 a minute");
  assert.equal(rate.words(70_000), "2 a minute");
  assert.equal(rate.words(90_000), "0 a minute");
});
