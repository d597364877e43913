import assert from "node:assert/strict";
import { test } from "node:test";

import { Player } from "../../../static/dashboard/player/player.js";
import { columnsOf } from "../../../static/dashboard/tape.js";
import { layoutOf } from "../../../static/dashboard/timeline/layout.js";
import { modelOf } from "../../../static/dashboard/timeline/model.js";
import { scaleOf } from "../../../static/dashboard/timeline/scale.js";
import { drawStreamGround, drawStreamWords } from "../../../static/dashboard/timeline/stream.js";
import { drawingOf, lane } from "../drawings.js";

// The words of the row that belongs to no choice, where usage came so many times.
async function wordsOf(usages) {
  const reads = Array.from({ length: usages }, (_, i) => [
    (i + 1) * 100_000,
    { gives: [[0, "a"]], marks: [[null, "usage"]] },
  ]);
  const drawing = drawingOf(reads, { lanes: [lane(0)] });
  const model = await modelOf(new Player(columnsOf(drawing)), drawing);
  const { stream } = layoutOf(model, model.parts[0], false);
  const words = [];
  const context = new Proxy(
    { fillText: (text) => words.push(text), measureText: () => ({ width: 30 }) },
    { get: (known, name) => known[name] ?? (() => {}), set: () => true },
  );
  const frame = { model, context, colours: {}, scale: scaleOf(1_230, { start: 0, end: 1e6 }) };
  drawStreamGround(frame, stream);
  drawStreamWords(frame, stream);
  return words;
}

test("usage that comes once is named beside its mark, usage of each event at the left", async () => {
  assert.deepEqual(await wordsOf(1), ["stream", "usage"]);
  assert.deepEqual(await wordsOf(16), ["stream", "usage ×16"]);
});
