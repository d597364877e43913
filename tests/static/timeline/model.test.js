import assert from "node:assert/strict";
import { test } from "node:test";

import { Column } from "../../../static/dashboard/player/column.js";
import { Player } from "../../../static/dashboard/player/player.js";
import { columnsOf } from "../../../static/dashboard/tape.js";
import {
  between,
  clockWords,
  emptyModel,
  grow,
  modelOf,
} from "../../../static/dashboard/timeline/model.js";
import { drawingOf, lane } from "../drawings.js";

function modelFor(reads, more) {
  const drawing = drawingOf(reads, more);
  return modelOf(new Player(columnsOf(drawing)), drawing);
}

const listed = (column) => [...column.values.subarray(0, column.length)];

test("pieces that came together are one mark, each with its characters", async () => {
  const { lanes } = await modelFor([
    [100, "Ship ", "it "],
    [200, { kind: "comment" }, "now"],
  ]);
  const [{ at, first, last, n, characters, known }] = lanes;
  assert.deepEqual(
    [listed(at), listed(first), listed(last)],
    [
      [100, 200],
      [0, 3],
      [1, 3],
    ],
  );
  assert.deepEqual(
    [listed(n), listed(characters), listed(known)],
    [
      [2, 1],
      [8, 3],
      [1, 1],
    ],
  );
});

test("a piece whose time nobody believes is a mark of its own", async () => {
  const { lanes } = await modelFor([
    [200, "a"],
    [900, "b"],
    [300, "c"],
    [1_000, "d"],
  ]);
  assert.deepEqual(
    [listed(lanes[0].at), listed(lanes[0].known)],
    [
      [200, 200, 1_000],
      [1, 0, 1],
    ],
  );
  assert.deepEqual(listed(lanes[0].n), [1, 2, 1]);
});

test("without times every piece is a mark", async () => {
  const { lanes, timed, end } = await modelFor([[null, "a", "b", "c"]], { clock: "none" });
  assert.deepEqual([timed, end, listed(lanes[0].at)], [false, 2, [0, 1, 2]]);
});

test("lanes stand by choice, reasoning before content before calls", async () => {
  const lanes = [
    lane(1),
    lane(0, "tool-call", { tool_call: 1 }),
    lane(0, "tool-call", { tool_call: 0 }),
    lane(0),
    lane(0, "reasoning"),
  ];
  const gives = lanes.map((_, index) => [index, "x"]);
  const model = await modelFor(
    [
      [
        100,
        {
          gives,
          marks: [
            [3, "finish"],
            [null, "usage"],
          ],
        },
      ],
    ],
    { lanes },
  );
  const order = model.lanes.map(({ lane: { choice, kind, tool_call } }) => [
    choice,
    kind,
    tool_call,
  ]);
  assert.deepEqual(order, [
    [0, "reasoning", null],
    [0, "content", null],
    [0, "tool-call", 0],
    [0, "tool-call", 1],
    [1, "content", null],
  ]);
  assert.deepEqual(model.lanes[1].marks, [{ kind: "finish", event: 0 }]);
});

test("the stream has what belongs to no lane, in order; a role without a lane is left to the table", async () => {
  const { stream } = await modelFor([
    [100, { kind: "comment" }, { marks: [[null, "role"]], gives: [[0, "a"]] }],
    [200, { marks: [[null, "usage"]] }, { kind: "end-mark" }],
  ]);
  assert.deepEqual(stream.kinds, ["comment", "usage", "end-mark"]);
  assert.deepEqual(
    [listed(stream.event), listed(stream.at)],
    [
      [0, 2, 3],
      [100, 200, 200],
    ],
  );
});

test("characters add up choice by choice and arrival by arrival", async () => {
  const { arrivals } = await modelFor(
    [
      [100, "abc", { gives: [[1, "x"]] }],
      [300, { gives: [[1, "yz"]] }],
    ],
    { lanes: [lane(0), lane(1)] },
  );
  const sums = arrivals.sums.map(({ choice, total, at, so_far }) => [
    choice,
    total,
    listed(at),
    listed(so_far),
  ]);
  assert.deepEqual(sums, [
    [0, 3, [100], [3]],
    [1, 3, [100, 300], [1, 3]],
  ]);
  assert.deepEqual(
    [listed(arrivals.all.at), listed(arrivals.all.characters)],
    [
      [100, 300],
      [4, 2],
    ],
  );
});

test("reads are those with a time that holds, with their bytes and numbers", async () => {
  const { reads } = await modelFor([
    [200, "a"],
    [900, "b", "c"],
    [300, "d"],
    [1_000, "e"],
  ]);
  assert.deepEqual(
    [listed(reads.at), listed(reads.bytes), listed(reads.number)],
    [
      [200, 1_000],
      [10, 10],
      [0, 3],
    ],
  );
});

test("many choices are drawn in parts of whole choices, forty rows each", async () => {
  const lanes = [];
  for (let choice = 0; choice < 30; choice++) lanes.push(lane(choice, "reasoning"), lane(choice));
  const gives = lanes.map((_, index) => [index, "x"]);
  const { parts } = await modelFor([[100, { gives }]], { lanes });
  assert.deepEqual(
    parts.map((part) => [part.lanes.length, Math.max(part.left, 0)]),
    [
      [40, 0],
      [20, 0],
    ],
  );
});

test("of one choice with very many lanes the first forty are drawn", async () => {
  const lanes = Array.from({ length: 45 }, (_, tool_call) => lane(0, "tool-call", { tool_call }));
  const { parts } = await modelFor([[100, { gives: lanes.map((_, index) => [index, "x"]) }]], {
    lanes,
  });
  assert.deepEqual(
    parts.map((part) => [part.lanes.length, part.left]),
    [[40, 5]],
  );
});

test("what stands in a stretch begins at its start and ends behind its end", () => {
  const column = new Column(Float64Array);
  column.extend([10, 20, 20, 30]);
  assert.deepEqual(between(column, 10, 20), [1, 3]);
});

test("a clock that says less than it seems to is told in a sentence", () => {
  const told = [
    [0, 0, 0, 0],
    [900, 700, 500, 300],
    [200, 900, 300, 1_000],
    [100, 200, 300, 400],
  ].map((times) => {
    const player = new Player(columnsOf(drawingOf(times.map((at) => [at, "x"]))));
    return clockWords({ player, timed: player.timed });
  });
  assert.match(told[0], /^All reads have time 0/);
  assert.match(told[1], /^The recorded times contradict each other/);
  assert.match(told[2], /^2 reads have times that contradict others/);
  assert.equal(told[3], "");
});

test("where there are no times nothing is said of the clock", () => {
  const player = new Player(columnsOf(drawingOf([[null, "x"]], { clock: "none" })));
  assert.equal(clockWords({ player, timed: player.timed }), "");
});

test("lanes of several texts stand in the order in which they began", async () => {
  const lanes = [
    lane(0, "content", { name: "text 1" }),
    lane(0, "tool-call", { name: "book", tool_call: 0 }),
    lane(0, "content", { name: "text 2" }),
    lane(1, "tool-call", { name: "look", tool_call: 0 }),
    lane(1, "content"),
  ];
  const gives = lanes.map((_, index) => [index, "x"]);
  const { lanes: drawn } = await modelFor([[100, { gives }]], { lanes });
  assert.deepEqual(
    drawn.map(({ lane: each }) => each.name),
    ["text 1", "book", "text 2", "content", "look"],
  );
});

const STREAM = [
  [100, { kind: "comment" }, { gives: [[0, "Ship "]], marks: [[0, "role"]] }],
  [
    200,
    {
      gives: [
        [0, "it "],
        [1, "x"],
      ],
    },
    { gives: [[1, "y"]] },
  ],
  [200, { gives: [[0, "now"]] }],
  [900, { marks: [[null, "usage"]] }, { gives: [[1, "z"]], marks: [[0, "finish"]] }],
  [950, { kind: "end-mark" }],
];
const LANES = { lanes: [lane(0), lane(0, "reasoning")] };

// Everything of a model but for the player and what counts how far it is.
function drawnOf({ lanes, parts, stream, arrivals, reads, timed, end }) {
  return {
    timed,
    end,
    lanes: lanes.map((each) => ({
      lane: each.lane.index,
      marks: each.marks,
      columns: ["at", "first", "last", "n", "characters", "known"].map((name) =>
        listed(each[name]),
      ),
    })),
    parts: parts.map((part) => part.lanes.map((each) => each.lane.index)),
    stream: [listed(stream.event), listed(stream.at), stream.kinds],
    sums: arrivals.sums.map((sum) => [sum.choice, sum.total, listed(sum.at), listed(sum.so_far)]),
    all: [listed(arrivals.all.at), listed(arrivals.all.characters)],
    reads: ["at", "bytes", "number"].map((name) => listed(reads[name])),
  };
}

// What the first reads brought, and then the others.
function grownIn(cut) {
  const [whole, first] = [columnsOf(drawingOf(STREAM, LANES)), STREAM.slice(0, cut)];
  const before = columnsOf(drawingOf(first, LANES));
  const rest = (of, more) =>
    Object.fromEntries(
      Object.entries(more).map(([name, list]) => [name, list.slice(of[name].length)]),
    );
  const player = new Player(before);
  const model = emptyModel(player, { finishes: [], firsts: [] });
  grow(model);
  player.append({
    reads: rest(before.reads, whole.reads),
    events: rest(before.events, whole.events),
    pieces: rest(before.pieces, whole.pieces),
    marks: rest(before.marks, whole.marks),
    texts: whole.texts.map(([of, text], at) => [of, text.slice(before.texts[at][1].length)]),
  });
  grow(model);
  return model;
}

test("a model that grew is what is made of the whole, wherever it was cut", async () => {
  const whole = drawnOf(await modelFor(STREAM, LANES));
  for (let cut = 0; cut <= STREAM.length; cut++)
    assert.deepEqual(drawnOf(grownIn(cut)), whole, `after ${cut} reads`);
});

test("times that are judged anew, or a player that begins anew, are put together anew", async () => {
  const player = new Player(
    columnsOf(
      drawingOf([
        [200, "a"],
        [900, "b"],
      ]),
    ),
  );
  const model = emptyModel(player, { finishes: [], firsts: [] });
  grow(model);
  player.append({
    reads: { at_us: [300], byte_end: [30] },
    events: { byte_start: [20], byte_end: [30], kind: ["chunk"] },
    pieces: { event: [2], lane: [0], start_u16: [2], length_u16: [1] },
  });
  grow(model);
  const odd = await modelFor([
    [200, "a"],
    [900, "b"],
    [300, "c"],
  ]);
  assert.deepEqual(drawnOf(model).lanes, drawnOf(odd).lanes);
  player.clear();
  grow(model);
  assert.deepEqual([model.lanes, model.stream.kinds, model.reads.at.length], [[], [], 0]);
});
