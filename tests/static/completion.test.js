import assert from "node:assert/strict";
import { test } from "node:test";

import { completed, goesOn, moved } from "../../static/dashboard/completion.js";

test("an option takes the place of the word at the caret", () => {
  const option = { text: "vendor:", start: 5, end: 8 };
  assert.deepEqual(completed("late ven tag:eu", option), {
    text: "late vendor: tag:eu",
    caret: 12,
  });
});

test("a value takes the place of the value alone", () => {
  const option = { text: "empty", start: 17, end: 19 };
  assert.deepEqual(completed("result:truncated,em", option), {
    text: "result:truncated,empty",
    caret: 22,
  });
});

test("behind a name there is more to complete, behind a value there is not", () => {
  const at = { start: 0, end: 0 };
  assert.equal(goesOn({ text: "vendor:", ...at }), true);
  assert.equal(goesOn({ text: "first_token>", ...at }), true);
  assert.equal(goesOn({ text: "metadata.", ...at }), true);
  assert.equal(goesOn({ text: "openai", ...at }), false);
});

test("arrows go round", () => {
  assert.deepEqual(
    [moved(-1, 1, 3), moved(2, 1, 3), moved(0, -1, 3), moved(-1, -1, 3)],
    [0, 0, 2, 2],
  );
  assert.equal(moved(-1, 1, 0), -1);
});
