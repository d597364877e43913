import assert from "node:assert/strict";
import { test } from "node:test";

import { age } from "../../static/dashboard/ages.js";

test("an age is told in its largest whole unit", () => {
  const seconds = [-5, 0, 1.9, 2, 59.9, 60, 3_599, 3_600, 86_399, 86_400, 1_000_000];
  const told = seconds.map((past) => age(0, past * 1000));
  const due = ["now", "now", "now", "2 s", "59 s", "1 m", "59 m", "1 h", "23 h", "1 d", "11 d"];
  assert.deepEqual(told, due);
});
