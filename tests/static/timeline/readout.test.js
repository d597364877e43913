import assert from "node:assert/strict";
import { test } from "node:test";

import { Player } from "../../../static/dashboard/player/player.js";
import { columnsOf } from "../../../static/dashboard/tape.js";
import { layoutOf } from "../../../static/dashboard/timeline/layout.js";
import { modelOf } from "../../../static/dashboard/timeline/model.js";
import { columnWords, under } from "../../../static/dashboard/timeline/readout.js";
import { scaleOf } from "../../../static/dashboard/timeline/scale.js";
import { drawingOf } from "../drawings.js";

// A second is a thousand pixels wide, and begins at 132.
const WIDTH = 1_230;

async function frameOf(reads, more, end = 1_000_000) {
  const drawing = drawingOf(reads, more);
  const model = await modelOf(new Player(columnsOf(drawing)), drawing);
  const scale = scaleOf(WIDTH, { start: 0, end });
  return { model, layout: layoutOf(model, model.parts[0], false), scale };
}

const READS = [
  [100_000, "Ship ", "it "],
  [110_000, { kind: "comment" }],
  [500_000, "now", { kind: "comment" }, { kind: "comment" }],
  [900_000, { kind: "end-mark" }],
];
const STALL = { stalls: [[110_000, 500_000, 1, 2]] };

const told = (frame, at, row) => under(frame, frame.scale.x(at), row.top + 1);

test("near a mark its chunks, characters and read are told, and the event that is meant", async () => {
  const frame = await frameOf(READS, STALL);
  const [row] = frame.layout.rows;
  assert.deepEqual(told(frame, 101_000, row), {
    text: "0.100 s, 2 chunks, events #0 to #1, choice 0 content, 8 characters, read 0",
    event: 0,
  });
  assert.deepEqual(told(frame, 500_000, row), {
    text: "0.500 s, event #3, choice 0 content, 3 characters, read 2",
    event: 3,
  });
});

test("in a silence its length is told, and what came meanwhile", async () => {
  const frame = await frameOf(READS, STALL);
  const { text, event } = told(frame, 300_000, frame.layout.rows[0]);
  assert.equal(text, "0.300 s, stall of 0.39 s: no chunk between reads 1 and 2");
  assert.equal(event, null);
});

test("comments that came in a silence are counted", async () => {
  const reads = [
    [100_000, "a"],
    [200_000, { kind: "comment" }],
    [300_000, { kind: "comment" }],
    [800_000, "b"],
  ];
  const frame = await frameOf(reads, { stalls: [[100_000, 800_000, 0, 3]] });
  const { text } = told(frame, 600_000, frame.layout.rows[0]);
  assert.equal(text, "0.600 s, stall of 0.70 s: no chunk between reads 0 and 3, 2 comments came");
});

test("what belongs to no choice is told by its kinds", async () => {
  const frame = await frameOf(READS);
  assert.deepEqual(told(frame, 500_000, frame.layout.stream), {
    text: "0.500 s, 2 × comment, event #4",
    event: 4,
  });
  assert.equal(told(frame, 900_000, frame.layout.stream).text, "0.900 s, end mark, event #6");
  assert.equal(told(frame, 700_000, frame.layout.stream).text, "0.700 s, stream");
});

test("a read tells its bytes and the events that came with it", async () => {
  const frame = await frameOf(READS);
  assert.equal(
    told(frame, 500_000, frame.layout.reads).text,
    "0.500 s, read 2, 30 bytes, ×3, one read",
  );
  assert.equal(told(frame, 900_000, frame.layout.reads).text, "0.900 s, read 3, 10 bytes");
});

test("a rate says what it is made of", async () => {
  const frame = await frameOf(READS);
  assert.equal(
    told(frame, 300_000, frame.layout.rate).text,
    "8 characters a second: 3 characters in 400.0 ms since the arrival before",
  );
  assert.equal(
    told(frame, 50_000, frame.layout.rate).text,
    "0.050 s, no rate: nothing came before",
  );
});

test("elsewhere the moment is told, beside the axis nothing", async () => {
  const frame = await frameOf(READS);
  assert.deepEqual(under(frame, frame.scale.x(250_000), 0), { text: "0.250 s", event: null });
  assert.deepEqual(under(frame, 100, 0), { text: "", event: null });
});

test("where marks are columns a column tells its sum, and the drawing how wide one is", async () => {
  const reads = Array.from({ length: 1_000 }, (_, n) => [n * 1_000, "word "]);
  const frame = await frameOf(reads);
  assert.equal(columnWords(frame), "one column is 0.002 s; zoom in to see single chunks");
  const { text, event } = told(frame, 500_100, frame.layout.rows[0]);
  assert.equal(
    text,
    "0.500 s to 0.501 s, 2 chunks, events #500 to #501, choice 0 content, 10 characters, reads 500 to 501",
  );
  assert.equal(event, 500);
  assert.equal(columnWords(await frameOf(READS)), "");
});

test("a mark whose own time is not believed says so", async () => {
  const frame = await frameOf([
    [200_000, "a"],
    [900_000, "b"],
    [300_000, "c"],
    [1_000_000, "d"],
  ]);
  const [row] = frame.layout.rows;
  row.known.values[0] = 0;
  assert.match(told(frame, 200_000, row).text, /, its own time contradicts others$/);
});

test("without times events and their order are told", async () => {
  const frame = await frameOf([[null, "a", "b", "c"]], { clock: "none" }, 10);
  const { text, event } = told(frame, 1, frame.layout.rows[0]);
  assert.equal(text, "event #1, choice 0 content, 1 characters");
  assert.equal(event, 1);
});
