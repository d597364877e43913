import assert from "node:assert/strict";
import { test } from "node:test";

import {
  count,
  momentWords,
  moved,
  scaleOf,
  seconds,
  shortTime,
  tenths,
  ticks,
  tickWords,
  wholeView,
  zoomed,
} from "../../../static/dashboard/timeline/scale.js";

const TIMED = { timed: true, end: 1_000_000 };
const ORDERED = { timed: false, end: 100 };

test("the whole view ends a little behind the last moment", () => {
  assert.deepEqual(wholeView(TIMED), { start: 0, end: 1_040_000 });
});

test("a place on the axis and its moment lead to each other", () => {
  const scale = scaleOf(1_230, { start: 0, end: 1_000 });
  assert.deepEqual([scale.left, scale.right, scale.narrow], [184, 1_184, false]);
  assert.deepEqual([scale.x(0), scale.x(500), scale.x(1_000)], [184, 684, 1_184]);
  assert.equal(scale.at(684), 500);
  assert.deepEqual([-1, 0, 1_000, 1_001].map(scale.seen), [false, true, true, false]);
});

test("a narrow drawing has narrow margins", () => {
  const scale = scaleOf(400, { start: 0, end: 10 });
  assert.deepEqual([scale.left, scale.right, scale.narrow], [84, 358, true]);
});

test("a view that is moved stays inside the axis", () => {
  assert.deepEqual(moved(TIMED, { start: -50, end: 50 }), { start: 0, end: 100 });
  const end = moved(TIMED, { start: 1_000_000, end: 1_100_000 });
  assert.deepEqual(end, { start: 940_000, end: 1_040_000 });
  assert.deepEqual(moved(TIMED, { start: 5, end: 9_000_000 }), wholeView(TIMED));
});

test("zooming keeps the centre where it is", () => {
  const near = zoomed(TIMED, { start: 0, end: 400_000 }, 0.5, 100_000);
  assert.deepEqual(near, { start: 50_000, end: 250_000 });
});

test("zooming ends at two milliseconds, or at eight events, and at everything", () => {
  assert.deepEqual(zoomed(TIMED, { start: 0, end: 3_000 }, 0.1, 0), { start: 0, end: 2_000 });
  assert.deepEqual(zoomed(ORDERED, { start: 0, end: 10 }, 0.1, 0), { start: 0, end: 8 });
  assert.deepEqual(zoomed(TIMED, { start: 0, end: 800_000 }, 4, 0), wholeView(TIMED));
});

test("ticks stand at round moments of what is in view, not too close", () => {
  const told = ticks(scaleOf(1_230, { start: 150_000, end: 1_040_000 }), true);
  assert.equal(told.step, 100_000);
  assert.deepEqual([told.found[0], told.found.at(-1), told.found.length], [200_000, 1_000_000, 9]);
});

test("between events there are no ticks", () => {
  const told = ticks(scaleOf(1_230, { start: 0, end: 8 }), false);
  assert.deepEqual([told.step, told.found], [1, [0, 1, 2, 3, 4, 5, 6, 7, 8]]);
});

test("a tick has as many decimals as its step needs", () => {
  const told = [
    [0, 100_000],
    [200_000, 100_000],
    [25_000, 5_000],
    [2_000_000, 1_000_000],
    [20_000_000, 10_000_000],
  ].map(([at, step]) => tickWords(at, step, true));
  assert.deepEqual(told, ["0", "0.2 s", "0.025 s", "2.0 s", "20 s"]);
  assert.equal(tickWords(7, 1, false), "7");
});

test("a moment is seconds, or the number of an event", () => {
  assert.deepEqual([seconds(1_234_567), momentWords(TIMED, 50_000)], ["1.235 s", "0.050 s"]);
  assert.equal(momentWords(ORDERED, 6.6), "event #7");
  assert.equal(count(1_234_567), "1,234,567");
});

test("the right edge of what still grows is now", () => {
  assert.deepEqual(wholeView({ ...TIMED, grows: true }), { start: 0, end: 1_000_000 });
});

test("what counts up is told in tenths, and never ahead of time", () => {
  assert.deepEqual([0, 99_999, 1_499_999, 61_000_000].map(tenths), [
    "0.0 s",
    "0.0 s",
    "1.4 s",
    "61.0 s",
  ]);
});

test("a length of time has hundredths of a second, below a tenth milliseconds", () => {
  assert.deepEqual([1_840_000, 100_000, 39_400, 8_400, 0].map(shortTime), [
    "1.84 s",
    "0.10 s",
    "39 ms",
    "8.4 ms",
    "0 s",
  ]);
});
