import assert from "node:assert/strict";
import { test } from "node:test";

import { Column } from "../../../static/dashboard/player/column.js";
import { GrowingText, SnapshotText } from "../../../static/dashboard/player/texts.js";

test("a text that grows is a prefix of itself at every moment", () => {
  const text = new GrowingText();
  text.add("Ship ");
  text.add("it");
  assert.deepEqual([text.at(0), text.at(5), text.at(7)], ["", "Ship ", "Ship it"]);
});

test("a piece of a text that grows is what stands between its ends", () => {
  const text = new GrowingText();
  text.add("Ship it");
  const lane = { start: new Column(Uint32Array), end: new Column(Uint32Array) };
  lane.start.extend([0, 5]);
  lane.end.extend([5, 7]);
  assert.deepEqual([text.piece(lane, 0), text.piece(lane, 1)], ["Ship ", "it"]);
});

test("of snapshots each keeps some of the one before and says the rest", () => {
  const text = new SnapshotText();
  text.add([[0, "Bas"]]);
  text.add([
    [1, "erne"],
    [5, ", n"],
    [0, "Z"],
  ]);
  const states = [0, 1, 2, 3, 4].map((passed) => text.at(0, passed));
  assert.deepEqual(states, ["", "Bas", "Berne", "Berne, n", "Z"]);
});

test("a snapshot that takes back more than the last one said looks further back", () => {
  const text = new SnapshotText();
  text.add([
    [0, "abcdef"],
    [6, "ghi"],
    [2, "X"],
    [3, "Y"],
  ]);
  assert.equal(text.at(0, 4), "abXY");
});

test("a piece of a snapshot is what it says anew", () => {
  const text = new SnapshotText();
  text.add([
    [0, "Bas"],
    [1, "erne"],
  ]);
  assert.deepEqual([text.piece(null, 1), text.piece(null, 2)], ["erne", ""]);
});
