import assert from "node:assert/strict";
import { test } from "node:test";

import { Player } from "../../../static/dashboard/player/player.js";
import { columnsOf } from "../../../static/dashboard/tape.js";
import { layoutOf } from "../../../static/dashboard/timeline/layout.js";
import { modelOf } from "../../../static/dashboard/timeline/model.js";
import { scaleOf } from "../../../static/dashboard/timeline/scale.js";
import { drawSums } from "../../../static/dashboard/timeline/sums.js";
import { drawingOf, lane } from "../drawings.js";

// A canvas that remembers the lines and the words that are put on it.
function recorded() {
  const drawn = { places: [], words: [] };
  const context = {
    moveTo: (x, y) => drawn.places.push([x, y]),
    lineTo: (x, y) => drawn.places.push([x, y]),
    fillText: (text) => drawn.words.push(text),
  };
  for (const name of [
    "save",
    "restore",
    "beginPath",
    "stroke",
    "strokeText",
    "setLineDash",
    "rect",
    "clip",
  ])
    context[name] = () => {};
  return { drawn, context };
}

async function drawnSums(view) {
  const reads = [
    [200_000, "aaaaa"],
    [600_000, "bbbbb"],
    [1_000_000, { gives: [[1, "c"]] }],
  ];
  const drawing = drawingOf(reads, { lanes: [lane(0), lane(1)] });
  const model = await modelOf(new Player(columnsOf(drawing)), drawing);
  const layout = layoutOf(model, model.parts[0], false);
  const { drawn, context } = recorded();
  drawSums({ model, layout, context, colours: {}, scale: scaleOf(1_230, view) }, layout.sums);
  return { ...drawn, base: layout.sums.base };
}

test("a line of characters so far steps where some came and stays level between", async () => {
  const { places, base } = await drawnSums({ start: 0, end: 1_000_000 });
  // The first two places are the axis.
  const steps = places.slice(2, 8).map(([x, y]) => [Math.round(x), Math.round(base - y)]);
  const due = [
    [184, 0],
    [384, 0],
    [384, 30],
    [784, 30],
    [784, 60],
    [1_184, 60],
  ];
  assert.deepEqual(steps, due);
});

test("each choice tells its total where the end is in view", async () => {
  const whole = await drawnSums({ start: 0, end: 1_040_000 });
  assert.deepEqual(whole.words, ["characters", "0", "choice 0: 10", "choice 1: 1"]);
  const begin = await drawnSums({ start: 0, end: 500_000 });
  assert.deepEqual(begin.words, ["characters", "0"]);
});

test("zoomed in behind some arrivals a line begins at what had come by then", async () => {
  const { places, base } = await drawnSums({ start: 700_000, end: 1_000_000 });
  const seen = places.slice(2, 6).filter(([x]) => x >= 184);
  const heights = seen.map(([, y]) => Math.round(base - y));
  assert.deepEqual(heights, [30, 60, 60]);
});
