import assert from "node:assert/strict";
import { test } from "node:test";

import { Player } from "../../../static/dashboard/player/player.js";
import { columnsOf } from "../../../static/dashboard/tape.js";
import { drawingOf, lane } from "../drawings.js";

const FINISH = { marks: [[0, "finish"]] };

function played(reads, more) {
  return new Player(columnsOf(drawingOf(reads, more)));
}

function textAt(player, moment, of = 0) {
  player.seek(moment);
  return player.textOf(player.lanes[of]);
}

test("before any seek everything has come", () => {
  const player = played([
    [100, "Ship "],
    [200, "it"],
    [300, FINISH],
  ]);
  assert.equal(player.moment, Infinity);
  assert.equal(player.passed, 3);
  assert.equal(player.textOf(player.lanes[0]), "Ship it");
  assert.equal(player.marksPassed, 1);
});

test("at a moment a lane holds what had come by then", () => {
  const player = played(
    [
      [
        100,
        {
          gives: [
            [0, "a"],
            [1, "x"],
          ],
        },
      ],
      [200, { gives: [[1, "yz"]] }],
      [300, "b"],
    ],
    { lanes: [lane(0), lane(1)] },
  );
  assert.deepEqual(
    [99, 100, 299, 300].map((at) => textAt(player, at)),
    ["", "a", "a", "ab"],
  );
  assert.deepEqual(
    [99, 100, 200, 300].map((at) => textAt(player, at, 1)),
    ["", "x", "xyz", "xyz"],
  );
  player.seek(200);
  assert.deepEqual(
    player.lanes.map((each) => player.lastEventOf(each)),
    [0, 1],
  );
  player.seek(0);
  assert.equal(player.lastEventOf(player.lanes[0]), null);
});

test("what one read brought comes at once", () => {
  const player = played([
    [100, "a", "b"],
    [200, "c"],
  ]);
  assert.deepEqual(
    [100, 199, 200].map((at) => textAt(player, at)),
    ["ab", "ab", "abc"],
  );
});

test("an event that several reads bring comes with the last of them", () => {
  const drawing = drawingOf([
    [100, "a"],
    [200, "b"],
  ]);
  drawing.tape.reads = { at_us: [100, 150, 200], byte_end: [4, 10, 20] };
  const player = new Player(columnsOf(drawing));
  assert.deepEqual(
    [100, 149, 150].map((at) => textAt(player, at)),
    ["", "", "a"],
  );
});

test("a lane whose text was not sent has a length at every moment and no text", () => {
  const drawing = drawingOf([
    [100, "Ship "],
    [200, "it"],
  ]);
  drawing.lanes[0].text = null;
  const player = new Player(columnsOf(drawing));
  player.seek(100);
  assert.equal(player.textOf(player.lanes[0]), null);
  assert.equal(player.lengthOf(player.lanes[0]), 5);
  player.append({ texts: [[0, "Ship it"]] });
  assert.equal(player.textOf(player.lanes[0]), "Ship ");
});

test("of a lane of snapshots the last that had come is the text", () => {
  const drawing = drawingOf(
    [
      [100, "Bas"],
      [200, "Berne"],
    ],
    {
      lanes: [lane(0, "tool-call", { mode: "snapshot" })],
    },
  );
  drawing.lanes[0] = {
    name: "book",
    text: null,
    href: null,
    snapshots: [
      [0, "Bas"],
      [1, "erne"],
    ],
  };
  const player = new Player(columnsOf(drawing));
  assert.deepEqual(
    [99, 100, 200].map((at) => textAt(player, at)),
    ["", "Bas", "Berne"],
  );
  // What the second added to three characters.
  assert.deepEqual([...player.pieces.grown.values.subarray(0, 2)], [3, 2]);
});

test("a time that contradicts others is not believed", () => {
  const player = played([
    [200, "one "],
    [900, "two "],
    [300, "three "],
    [1000, FINISH],
  ]);
  assert.deepEqual([player.timed, player.end], [true, 1000]);
  const events = [0, 1, 2, 3].map((event) => [player.momentOf(event), player.isKnown(event)]);
  assert.deepEqual(events, [
    [200, true],
    [200, false],
    [200, false],
    [1000, true],
  ]);
  const texts = [200, 500, 900, 1000].map((at) => textAt(player, at));
  assert.deepEqual(texts, Array(4).fill("one two three "));
});

test("a clock that stands still, runs backwards or is none leaves the order", () => {
  for (const [first, second, clock] of [
    [0, 0, "recorded"],
    [900, 300, "recorded"],
    [null, null, "none"],
  ]) {
    const player = played(
      [
        [first, "one "],
        [second, "two "],
      ],
      { clock },
    );
    assert.deepEqual([player.timed, player.end, player.momentOf(1)], [false, 1, 1]);
    assert.equal(textAt(player, 0), "one ");
    assert.equal(player.isKnown(0), false);
  }
});

test("the axis ends with the last read or with the stated duration, whichever is later", () => {
  assert.equal(played([[100, "a"]], { duration_us: 400 }).end, 400);
  assert.equal(played([[100, "a"]], { duration_us: 50 }).end, 100);
});

test("steps go from chunk to chunk and past what came together", () => {
  const player = played([
    [100, "a", "b"],
    [200, { kind: "comment" }],
    [300, "c"],
    [400, { kind: "end-mark" }],
  ]);
  const steps = [
    [-Infinity, 1],
    [100, 1],
    [300, 1],
    [300, -1],
    [100, -1],
  ];
  const moments = steps.map(([from, by]) => player.chunkFrom(from, by));
  assert.deepEqual(moments, [100, 300, undefined, 100, undefined]);
});

test("stalls are stepped to by their start, and not at all without times", () => {
  const stalls = [
    [700, 900, 3, 4],
    [200, 500, 1, 2],
  ];
  const player = played(
    [
      [100, "a"],
      [900, "b"],
    ],
    { stalls },
  );
  const steps = [
    [0, 1],
    [200, 1],
    [700, 1],
    [700, -1],
    [200, -1],
  ];
  const found = steps.map(([from, by]) => player.stallFrom(from, by));
  assert.deepEqual(found, [200, 700, undefined, 200, undefined]);
  assert.equal(played([[null, "a"]], { stalls, clock: "none" }).stallFrom(0, 1), undefined);
});

test("whoever listens is told of each seek and append until they leave", () => {
  const player = new Player();
  const heard = [];
  const leave = player.listen(({ passed }) => heard.push(passed));
  player.append(
    columnsOf(
      drawingOf([
        [100, "a"],
        [200, "b"],
      ]),
    ),
  );
  player.seek(100);
  leave();
  player.seek(0);
  assert.deepEqual(heard, [2, 1]);
});

test("columns that come later extend those before", () => {
  const all = columnsOf(
    drawingOf([
      [100, "one "],
      [200, "two "],
      [300, { kind: "comment" }, "three"],
    ]),
  );
  const grown = new Player();
  const passed = [];
  grown.listen((player) => passed.push(player.passed));
  const part = (columns, from, to) =>
    Object.fromEntries(Object.entries(columns).map(([name, list]) => [name, list.slice(from, to)]));
  grown.append({ clock: "recorded", lanes: all.lanes });
  const said = ["one ", "two ", "three"];
  for (const [read, event, end] of [
    [0, 0, 1],
    [1, 1, 2],
    [2, 2, 4],
  ]) {
    const pieces = part(all.pieces, read, read + 1);
    const texts = [[0, said[read]]];
    const reads = part(all.reads, read, read + 1);
    grown.append({ reads, events: part(all.events, event, end), pieces, texts });
  }
  assert.deepEqual(passed, [0, 1, 2, 4]);
  const whole = new Player(all);
  for (const moment of [0, 100, 250, 1e9]) {
    const states = [whole, grown].map((player) => [
      textAt(player, moment),
      player.passed,
      player.chunksPassed,
    ]);
    assert.deepEqual(states[1], states[0]);
  }
});

test("a read that contradicts those before takes back the moments that they gave", () => {
  const player = played([
    [100, "a"],
    [500, "b"],
  ]);
  assert.equal(player.momentOf(1), 500);
  const { reads, events } = drawingOf([
    [100, "a"],
    [500, "b"],
    [300, "c"],
  ]).tape;
  const last = (columns) =>
    Object.fromEntries(Object.entries(columns).map(([name, list]) => [name, list.slice(2)]));
  player.append({ reads: last(reads), events: last(events) });
  assert.deepEqual([player.momentOf(0), player.momentOf(1), player.momentOf(2)], [100, 100, 100]);
});

test("who waits for the first byte has an axis of time that goes on", () => {
  const player = new Player({ now_us: 400 });
  assert.deepEqual([player.timed, player.end], [true, 400]);
  player.wait(900);
  assert.equal(player.end, 900);
  player.append({ clock: "recorded", reads: { at_us: [950], byte_end: [10] } });
  assert.deepEqual([player.timed, player.end], [true, 950]);
});

test("a player that begins anew keeps its listeners and its moment", () => {
  const player = played([[100, "a"]]);
  let heard = 0;
  player.listen(() => heard++);
  const { epoch } = player;
  player.seek(50);
  player.clear();
  assert.deepEqual([player.lanes, player.events.length, player.moment], [[], 0, 50]);
  assert.ok(player.epoch > epoch);
  player.append(columnsOf(drawingOf([[70, "b"]])));
  player.seek(Infinity);
  assert.equal(player.textOf(player.lanes[0]), "b");
  assert.equal(heard, 3);
});
