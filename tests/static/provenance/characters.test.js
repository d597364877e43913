import assert from "node:assert/strict";
import { test } from "node:test";

import { wordsOf } from "../../../static/dashboard/provenance/characters.js";

test("the words of ranges are theirs, no more than asked for", () => {
  const ranges = ["Ship it", " from", " Rotterdam"];
  assert.equal(wordsOf(ranges, 22), "Ship it from Rotterdam");
  assert.equal(wordsOf(ranges, 9), "Ship it f …");
  assert.equal(wordsOf([], 9), "");
});
