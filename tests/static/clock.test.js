import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Player } from "../../static/dashboard/player/player.js";
import { columnsOf } from "../../static/dashboard/tape.js";
import { drawingOf } from "./drawings.js";

const preference = { matches: false };
globalThis.matchMedia = () => preference;
const { Clock } = await import("../../static/dashboard/clock.js");

// Frames are drawn when a test says so, at the time that it says.
const frames = new Map();
let number = 0;
globalThis.requestAnimationFrame = (act) => {
  frames.set(++number, act);
  return number;
};
globalThis.cancelAnimationFrame = (due) => frames.delete(due);
function frame(now) {
  const waiting = [...frames.values()];
  frames.clear();
  for (const act of waiting) act(now);
}

beforeEach((context) => {
  frames.clear();
  preference.matches = false;
  context.mock.method(performance, "now", () => 1_000);
});

function played(...reads) {
  return new Player(columnsOf(drawingOf(reads)));
}

function pair() {
  return new Clock(
    played([100_000, "a"], [900_000, "b"]),
    played([400_000, "c"], [500_000, { kind: "end-mark" }]),
  );
}

test("two players go by one clock: a step is the next chunk of either", () => {
  const clock = pair();
  const moments = [];
  clock.seek(0);
  while (clock.step(1)) moments.push(clock.moment);
  assert.deepEqual(moments, [100_000, 400_000, 900_000]);
  assert.ok(clock.step(-1));
  assert.equal(clock.moment, 400_000);
});

test("steps begin at the first chunk, or backwards at the last, where no moment is set", () => {
  const clock = pair();
  assert.ok(clock.step(1));
  assert.equal(clock.moment, 100_000);
  clock.seek(Infinity);
  assert.ok(clock.step(-1));
  assert.equal(clock.moment, 900_000);
});

test("without a stall there is no step to one", () => {
  const clock = pair();
  assert.equal(clock.stall(1), false);
  assert.equal(clock.moment, Infinity);
});

test("played it moves by the time between frames and ends with the longest player", () => {
  const clock = pair();
  clock.setSpeed(2);
  clock.play();
  assert.deepEqual([clock.running, clock.moment], [true, 0]);
  frame(1_100);
  assert.equal(clock.moment, 200_000);
  frame(1_150);
  assert.equal(clock.moment, 300_000);
  frame(2_000);
  assert.deepEqual([clock.running, clock.moment, frames.size], [false, 900_000, 0]);
});

test("a frame that was begun before it was played moves nothing", () => {
  const clock = pair();
  clock.play();
  frame(990);
  assert.equal(clock.moment, 0);
});

test("paused it stays where it is, and goes on from there", () => {
  const clock = pair();
  clock.toggle();
  frame(1_100);
  clock.toggle();
  assert.deepEqual([clock.running, clock.moment, frames.size], [false, 100_000, 0]);
  clock.toggle();
  frame(1_010);
  assert.equal(clock.moment, 110_000);
});

test("events without times pass twenty a second", () => {
  const player = new Player(columnsOf(drawingOf([[null, ..."abcdefgh"]], { clock: "none" })));
  const clock = new Clock(player);
  clock.play();
  frame(1_100);
  assert.equal(clock.moment, 2);
});

test("who listens is told of starts, stops and speeds until they leave", () => {
  const clock = pair();
  const heard = [];
  const leave = clock.listen(({ running, speed }) => heard.push([running, speed]));
  clock.play();
  clock.setSpeed(4);
  clock.pause();
  clock.pause();
  leave();
  clock.play();
  assert.deepEqual(heard, [
    [true, 1],
    [true, 4],
    [false, 4],
  ]);
});

test("where motion is not wanted it goes from chunk to chunk and stops behind the last", (context) => {
  const hops = [];
  context.mock.method(globalThis, "setTimeout", (act, ms) => hops.push([act, ms]));
  preference.matches = true;
  const clock = pair();
  const moments = [];
  clock.play();
  while (clock.running) {
    moments.push(clock.moment);
    const [hop, ms] = hops.shift();
    assert.equal(ms, 120);
    hop();
  }
  assert.deepEqual(moments, [0, 100_000, 400_000, 900_000]);
  assert.deepEqual([frames.size, hops.length], [0, 0]);
});
