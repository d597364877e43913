import assert from "node:assert/strict";
import { test } from "node:test";

import { Player } from "../../../static/dashboard/player/player.js";
import { columnsOf } from "../../../static/dashboard/tape.js";
import { COLUMNS, PLAIN_HEAD, Rows } from "../../../static/dashboard/timeline/rows.js";
import { drawingOf, lane } from "../drawings.js";

const READS = [
  [
    300_000,
    {
      gives: [
        [0, "Ship\n"],
        [1, "x"],
      ],
      marks: [[0, "role"]],
    },
  ],
  [320_000, { kind: "comment" }, "it"],
  [420_600, { marks: [[null, "usage"]] }],
];
const LANES = { lanes: [lane(0), lane(1)] };

function rowsOf(reads, more) {
  return new Rows(new Player(columnsOf(drawingOf(reads, more))));
}

test("a row says of its event what is drawn", () => {
  const rows = rowsOf(READS, LANES);
  assert.equal(rows.length, 4);
  assert.deepEqual(
    [0, 1, 2, 3].map((event) => rows.cells(event)),
    [
      [
        "#0",
        "chunk",
        "0.300 s",
        "–",
        "0",
        "0",
        "10",
        "choice 0 content 5, choice 1 content 1, role",
        "Ship↵x",
      ],
      ["#1", "comment", "0.320 s", "20 ms ×2", "1", "10", "10", "", ""],
      ["#2", "chunk", "0.320 s", "together", "1", "20", "10", "choice 0 content 2", "it"],
      ["#3", "chunk", "0.421 s", "101 ms", "2", "30", "10", "usage", ""],
    ],
  );
});

test("there is a cell for each column", () => {
  const rows = rowsOf(READS, LANES);
  assert.equal(rows.cells(0).length, COLUMNS.length);
  assert.equal(rows.plain(0).split("\t").length, PLAIN_HEAD.split("\t").length);
});

test("a row for a spreadsheet has plain numbers and one line", () => {
  const rows = rowsOf(READS, LANES);
  const plain = [0, 1, 3].map((event) => rows.plain(event).split("\t"));
  assert.deepEqual(plain, [
    [
      "0",
      "chunk",
      "0.3",
      "",
      "0",
      "0",
      "10",
      "choice 0 content 5, choice 1 content 1, role",
      "Ship\\nx",
    ],
    ["1", "comment", "0.32", "20", "1", "10", "10", "", ""],
    ["3", "chunk", "0.4206", "100.6", "2", "30", "10", "usage", ""],
  ]);
});

test("a gap below ten milliseconds has a tenth", () => {
  const rows = rowsOf([
    [100_000, "a"],
    [109_960, "b"],
    [119_960, "c"],
  ]);
  assert.deepEqual([rows.gapWords(1), rows.gapWords(2)], ["10.0 ms", "10 ms"]);
});

test("where a time is not believed neither it nor a gap is told", () => {
  const rows = rowsOf([
    [200, "a"],
    [900, "b"],
    [300, "c"],
    [1_000, "d"],
  ]);
  assert.deepEqual(
    [0, 1, 2, 3].map((event) => rows.gap(event)),
    [null, null, null, null],
  );
  assert.deepEqual(rows.cells(1).slice(2, 5), ["–", "–", "1"]);
});

test("without times a row tells neither times nor reads", () => {
  const rows = rowsOf([[null, "a", "b"]], { clock: "none" });
  assert.deepEqual(rows.cells(1).slice(2, 5), ["–", "–", "–"]);
  assert.equal(rows.plain(1).split("\t")[4], "");
});

test("a text that was not sent along is empty", () => {
  const drawing = drawingOf([[100, "Ship"]]);
  drawing.lanes[0].text = null;
  const rows = new Rows(new Player(columnsOf(drawing)));
  assert.deepEqual([rows.text(0), [...rows.given(0)][0].length], ["", 4]);
});
