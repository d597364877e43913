import assert from "node:assert/strict";
import { test } from "node:test";

import { Player } from "../../static/dashboard/player/player.js";
import { columnsOf, drawingAt, fill } from "../../static/dashboard/tape.js";
import { drawingOf } from "./drawings.js";

test("what a player takes names its lanes and brings their texts, or the pieces of snapshots", () => {
  const drawing = drawingOf([[100, "Ship it"]], { duration_us: 300 });
  const [sent] = drawing.lanes;
  drawing.lanes = [{ ...sent, name: "book", href: "/text/" }];
  const columns = columnsOf(drawing);
  assert.deepEqual(columns.texts, [[0, "Ship it"]]);
  assert.deepEqual([columns.lanes[0].name, columns.lanes[0].href], ["book", "/text/"]);
  assert.deepEqual([columns.clock, columns.stalls, columns.duration_us], ["recorded", [], 300]);
  drawing.lanes[0] = { ...drawing.lanes[0], text: null, snapshots: [[0, "Bas"]] };
  assert.deepEqual(columnsOf(drawing).texts, [[0, [[0, "Bas"]]]]);
});

test("a player that is filled in turns holds what one that is filled at once does", async () => {
  const columns = columnsOf(
    drawingOf([
      [100, ...Array(10_001).fill("x")],
      [200, "end"],
    ]),
  );
  const player = new Player();
  const chunks = [];
  player.listen(({ chunksPassed }) => chunks.push(chunksPassed));
  await fill(player, columns);
  assert.deepEqual(chunks, [0, 10_000, 10_002, 10_002]);
  assert.equal(player.textOf(player.lanes[0]), new Player(columns).textOf(player.lanes[0]));
});

test("everybody who asks for one address is given the one answer", async (context) => {
  const answer = { ok: true, json: async () => ({ stalls: [] }) };
  const fetched = context.mock.method(globalThis, "fetch", async () => answer);
  const [one, other] = await Promise.all([drawingAt("/one/"), drawingAt("/one/")]);
  assert.equal(one, other);
  assert.deepEqual(
    fetched.mock.calls.map((call) => call.arguments[0]),
    ["/one/"],
  );
});

test("an answer that failed is asked for again", async (context) => {
  const answers = [
    { ok: false, status: 503 },
    { ok: true, json: async () => "drawing" },
  ];
  context.mock.method(globalThis, "fetch", async () => answers.shift());
  await assert.rejects(drawingAt("/two/"), /\/two\/ answered 503/);
  assert.equal(await drawingAt("/two/"), "drawing");
});
