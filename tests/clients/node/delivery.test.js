// Every call is sent, spooled or dropped, and counted as that, whatever the server does.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, test } from "node:test";

import { retryAfterMilliseconds } from "../../../clients/node/src/connection.js";
import { Delivery } from "../../../clients/node/src/delivery.js";
import { limits } from "../../../clients/node/src/limits.js";
import { Recording } from "../../../clients/node/src/recording.js";
import { Spool } from "../../../clients/node/src/spool.js";
import { ASK, TakingServer } from "./taking.js";

const WAIT_MILLISECONDS = 600_000;
const NOBODY = "http://127.0.0.1:1";
const PACKAGE = new URL("../../../clients/node/src", import.meta.url).href;

let server;
let folder;
const defaults = { ...limits };

beforeEach(async () => {
  Object.assign(limits, {
    lingerMilliseconds: 0,
    firstPauseMilliseconds: 1,
    answerMilliseconds: 600_000,
  });
  server = await new TakingServer().start();
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "spool-"));
});

afterEach(async () => {
  Object.assign(limits, defaults);
  await server.close();
  fs.rmSync(folder, { recursive: true });
});

/** Calls that end at once. */
function call(delivery, times = 1) {
  for (let n = 0; n < times; n += 1) {
    delivery.ledger.begin();
    const asked = { method: "POST", url: ASK, headers: [], body: Buffer.from(String(n)) };
    const labels = { tags: [], metadata: {} };
    const recording = new Recording(asked, labels, (ended) => delivery.take(ended));
    delivery.open.add(recording);
    recording.read(Buffer.from("{}"));
    recording.ended();
  }
}

function balanced({ ledger: { counts } }) {
  const settled = counts.sent + counts.spooled + counts.dropped;
  assert.equal(counts.called, counts.open + counts.waiting + settled);
  const reasons = Object.values(counts.droppedBecause);
  assert.equal(
    counts.dropped,
    reasons.reduce((sum, count) => sum + count, 0),
  );
  return counts;
}

function assertFates(delivery, ...fates) {
  const { called, sent, spooled, dropped } = balanced(delivery);
  assert.deepEqual([called, sent, spooled, dropped], fates);
}

test("calls are sent as batches of lines with the key", async () => {
  const delivery = new Delivery(`${server.url}/below/`, "ri_key");
  call(delivery, 3);
  assert.ok(await delivery.flush(WAIT_MILLISECONDS));
  assertFates(delivery, 3, 3, 0, 0);
  const [{ path: asked, headers }] = server.requests;
  assert.equal(asked, "/below/api/v1/captures/batch/");
  assert.equal(headers.authorization, "Bearer ri_key");
  assert.equal(headers["content-type"], "application/x-ndjson");
  delivery.close();
});

for (const status of [408, 429, 500, 502, 503, 504]) {
  test(`after ${status} the same lines are sent again`, async () => {
    server.answers = [{ status }, { status }];
    const delivery = new Delivery(server.url, "ri_key");
    call(delivery);
    assert.ok(await delivery.flush(WAIT_MILLISECONDS));
    assertFates(delivery, 1, 1, 0, 0);
    assert.deepEqual(server.batches[0], server.batches[2]);
    delivery.close();
  });
}

test("of a batch only the lines that were not taken are sent again", async () => {
  server.answers = [{ statuses: [202, 503, 422, 409, 413] }, {}];
  const delivery = new Delivery(server.url, "ri_key");
  delivery.isRunning = true;
  call(delivery, 5);
  delivery.run();
  assert.ok(await delivery.flush(WAIT_MILLISECONDS));
  assert.deepEqual(server.batches[1], server.batches[0].slice(1, 2));
  assertFates(delivery, 5, 2, 0, 3);
  assert.deepEqual(delivery.ledger.counts.droppedBecause, {
    "the server refuses the capture": 2,
    "larger than the server takes": 1,
  });
  delivery.close();
});

for (const status of [401, 403]) {
  test(`calls are dropped after ${status}`, async () => {
    server.answers = [{ status }];
    const delivery = new Delivery(server.url, "ri_key");
    call(delivery);
    assert.ok(await delivery.flush(WAIT_MILLISECONDS));
    assertFates(delivery, 1, 0, 0, 1);
    assert.deepEqual([...delivery.told], ["the server refuses the key"]);
    delivery.close();
  });
}

test("a batch that is too large is halved until it is taken", async () => {
  server.answers = [{ status: 413 }, { status: 413 }, { status: 413 }, {}, {}];
  const delivery = new Delivery(server.url, "ri_key");
  delivery.isRunning = true;
  call(delivery, 4);
  delivery.run();
  assert.ok(await delivery.flush(WAIT_MILLISECONDS));
  assert.deepEqual(
    server.batches.map((batch) => batch.length),
    [4, 2, 1, 1, 2],
  );
  assertFates(delivery, 4, 3, 0, 1);
  delivery.close();
});

test("a pause is what the server says, else it doubles up to half a minute", (context) => {
  Object.assign(limits, defaults);
  context.mock.method(Math, "random", () => 1);
  const delivery = new Delivery(NOBODY, "ri_key");
  const nothing = { status: null, statuses: [], retryAfter: 0, trouble: "" };
  assert.equal(
    delivery.pauseMilliseconds({ ...nothing, status: 429, retryAfter: 7_000 }, 1),
    7_000,
  );
  const pauses = [1, 2, 3, 9].map((tries) => delivery.pauseMilliseconds(nothing, tries));
  assert.deepEqual(pauses, [1_000, 2_000, 4_000, 30_000]);
  delivery.close();
});

test("Retry-After is seconds or a date", () => {
  assert.equal(retryAfterMilliseconds("7"), 7_000);
  assert.equal(retryAfterMilliseconds("soon"), 0);
  assert.equal(retryAfterMilliseconds("Tue, 24 Nov 2020 10:00:00 GMT"), 0);
});

test("what a server that is down leaves is dropped when the program ends", async () => {
  const delivery = new Delivery(NOBODY, "ri_key");
  call(delivery, 3);
  assert.equal(balanced(delivery).waiting, 3);
  delivery.close();
  assertFates(delivery, 3, 0, 0, 3);
  assert.deepEqual(delivery.ledger.counts.droppedBecause, { "the program ended first": 3 });
});

test("a server that hangs keeps no call waiting", async () => {
  server.answers = [{ hangs: true }];
  const delivery = new Delivery(server.url, "ri_key");
  const asked = once(server.server, "asked");
  call(delivery);
  await asked;
  call(delivery, 10);
  assert.equal(balanced(delivery).waiting, 11);
  delivery.close();
  assertFates(delivery, 11, 0, 0, 11);
});

test("what does not fit into the queue is dropped", async () => {
  Object.assign(limits, { queueCalls: 4 });
  const delivery = new Delivery(server.url, "ri_key");
  call(delivery, 10);
  assert.deepEqual(balanced(delivery).droppedBecause, { "the queue is full": 6 });
  assert.ok(await delivery.flush(WAIT_MILLISECONDS));
  assertFates(delivery, 10, 4, 0, 6);
  delivery.close();
});

test("an open call is ended with the program", () => {
  const delivery = new Delivery(server.url, "ri_key");
  delivery.ledger.begin();
  const asked = { method: "POST", url: ASK, headers: [], body: null };
  const recording = new Recording(asked, { tags: [], metadata: {} }, (each) => delivery.take(each));
  delivery.open.add(recording);
  delivery.close();
  assert.equal(recording.outcome, "recorder-stopped");
  assertFates(delivery, 1, 0, 0, 1);
});

test("what a server does not take goes to the spool, and the next program sends it", async () => {
  const spool = path.join(folder, "below");
  const first = new Delivery(NOBODY, "ri_key", new Spool(spool));
  call(first, 3);
  assert.ok(await first.flush(WAIT_MILLISECONDS));
  first.close();
  assertFates(first, 3, 0, 3, 0);
  const [file] = fs.readdirSync(spool);
  assert.equal(fs.statSync(path.join(spool, file)).mode & 0o077, 0);
  const next = new Delivery(server.url, "ri_key", new Spool(spool));
  call(next);
  while (next.isRunning) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(next.ledger.counts.sentFromSpool, 3);
  assert.equal(server.lines.length, 4);
  assert.deepEqual(fs.readdirSync(spool), []);
  next.close();
});

test("what is left at the end of the program goes to the spool", async () => {
  server.answers = [{ hangs: true }];
  const delivery = new Delivery(server.url, "ri_key", new Spool(folder));
  const asked = once(server.server, "asked");
  call(delivery);
  await asked;
  call(delivery, 2);
  delivery.close();
  assertFates(delivery, 3, 0, 3, 0);
});

test("a spool that cannot be written drops", async () => {
  fs.writeFileSync(path.join(folder, "file"), "");
  const delivery = new Delivery(NOBODY, "ri_key", new Spool(path.join(folder, "file", "below")));
  call(delivery);
  assert.ok(await delivery.flush(WAIT_MILLISECONDS));
  assertFates(delivery, 1, 0, 0, 1);
  delivery.close();
});

test("a program that ends has sent its calls, and ends", async () => {
  const program = `
    import { capture } from ${JSON.stringify(`${PACKAGE}/index.js`)};
    import { limits } from ${JSON.stringify(`${PACKAGE}/limits.js`)};
    // The machine may be slow.
    limits.exitMilliseconds = limits.answerMilliseconds = 600_000;
    const fetch = capture(async () => new Response("{}"));
    for (const body of "abc") await (await fetch("${ASK}", { method: "POST", body })).text();
  `;
  const env = { PATH: process.env.PATH, INSPECTOR_URL: server.url, INSPECTOR_KEY: "ri_key" };
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], { env });
  const [code] = await once(child, "exit");
  assert.equal(code, 0);
  assert.deepEqual(server.lines.map((line) => line.request.body).sort(), ["a", "b", "c"]);
});
