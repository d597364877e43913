import assert from "node:assert/strict";
import { test } from "node:test";

import { Player } from "../../../static/dashboard/player/player.js";
import { Gaps } from "../../../static/dashboard/recording/gaps.js";
import { columnsOf } from "../../../static/dashboard/tape.js";
import { drawingOf } from "../drawings.js";

const S = 1_000_000;

function gapsOf(reads, now = 0) {
  const player = new Player({ ...columnsOf(drawingOf(reads)), now_us: now });
  const gaps = new Gaps(player);
  gaps.grow();
  return gaps;
}

const every = (step, count, from = step) =>
  Array.from({ length: count }, (_, n) => [from + n * step, "x"]);

test("gaps are between arrivals of chunks: a comment ends none, a batch makes none", () => {
  const gaps = gapsOf([
    [100, "a", "b"],
    [150, { kind: "comment" }],
    [300, "c"],
    [900, "d"],
  ]);
  assert.deepEqual([...gaps.sorted()], [200, 600]);
  assert.deepEqual([gaps.percentile(0.5), gaps.percentile(0.95)], [200, 600]);
});

test("before there are two chunks nothing is said of gaps", () => {
  const gaps = gapsOf([[100, "a"]]);
  assert.deepEqual([gaps.percentile(0.5), gaps.longest, gaps.stalls()], [null, 0, []]);
});

test("a silence runs once it is longer than a second, and what came later would have been told", () => {
  const gaps = gapsOf(every(50_000, 20));
  assert.equal(gaps.running(4 * S, 4 * S), null);
  assert.deepEqual(gaps.running(4 * S + 1, 4 * S + 1), { start: S, end: 4 * S + 1 });
});

test("time that passes without word of the recording is no silence", () => {
  assert.equal(gapsOf(every(50_000, 20)).running(60 * S, 2 * S), null);
});

test("and longer than eight times the p95 of the gaps", () => {
  const gaps = gapsOf(every(300_000, 40));
  const last = 40 * 300_000;
  assert.equal(gaps.limit(), 2_400_000);
  const [short, long] = [last + 2 * S + 2_400_000, last + 2 * S + 2_400_001];
  assert.equal(gaps.running(short, short), null);
  assert.deepEqual(gaps.running(long, long), { start: last, end: long });
});

test("before the first byte a silence counts from the request", () => {
  const now = 3_500_000;
  assert.deepEqual(gapsOf([], now).running(now, now), { start: 0, end: now });
});

test("a silence that bytes ended is a stall, with the reads before and after it", () => {
  const gaps = gapsOf([...every(50_000, 20), [4 * S, "y"], [4 * S + 50_000, "z"]]);
  assert.deepEqual(gaps.stalls(), [[S, 4 * S, 19, 20]]);
  assert.equal(gaps.longest, 3 * S);
});

test("one long pause among few is no measure for itself", () => {
  const gaps = gapsOf([
    [100_000, "a"],
    [200_000, "b"],
    [3_200_000, "c"],
  ]);
  assert.deepEqual(gaps.stalls(), [[200_000, 3_200_000, 1, 2]]);
});

test("a player that begins anew is counted anew", () => {
  const gaps = gapsOf(every(50_000, 20));
  gaps.player.clear();
  gaps.player.append({ ...columnsOf(drawingOf([[700, "a"]])), now_us: 700 });
  gaps.grow();
  assert.deepEqual([gaps.sorted().length, gaps.last], [0, 700]);
});
