// What is sent of a call, and that its caller sees no difference.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";

import { capture, counts, flush, tagged } from "../../../clients/node/src/index.js";
import { ASK, EVENTS, KEY, played, readsOf, TakingServer } from "./taking.js";

const WAIT_MILLISECONDS = 600_000;
const POST = { method: "POST", body: '{"model":"m-1"}' };

let server;
before(async () => {
  server = await new TakingServer().start();
});
after(() => server.close());
beforeEach(() => server.stored.clear());

const recording = (fetch, options) =>
  capture(fetch, { url: server.url, key: "ri_key", ...options });

async function sent() {
  assert.ok(await flush(WAIT_MILLISECONDS));
  assert.equal(server.lines.length, 1);
  return server.lines[0];
}

async function readAll(response) {
  const reads = [];
  for await (const read of response.body) reads.push(Buffer.from(read).toString());
  return reads;
}

test("a streamed call is sent whole with each read at its time", async () => {
  const headers = { "content-type": "text/event-stream", "x-request-id": "req-7" };
  const fetch = recording(played(EVENTS, { headers }));
  const response = await fetch(ASK, { ...POST, headers: { authorization: `Bearer ${KEY}` } });
  assert.deepEqual(await readAll(response), EVENTS);
  const line = await sent();
  assert.deepEqual(readsOf(line), EVENTS);
  const times = line.response.reads.map((read) => read.at_us);
  assert.ok(
    times[0] > 0 && times.every((at, n) => Number.isInteger(at) && at >= times[n && n - 1]),
  );
  assert.equal(line.response.status, 200);
  assert.deepEqual(Object.fromEntries(line.response.headers), headers);
  assert.deepEqual(
    [line.request.method, line.request.url, line.request.body],
    ["POST", ASK, POST.body],
  );
  assert.deepEqual([line.outcome, line.measured_by], ["ended", "client"]);
  assert.ok(!JSON.stringify(line).includes(KEY));
  assert.deepEqual(line.request.headers, [["authorization", "[removed]"]]);
});

test("the response is the one that fetch gave, but for its body", async () => {
  const answer = new Response("{}", { status: 201, statusText: "Made", headers: { a: "b" } });
  Object.defineProperty(answer, "url", { value: ASK });
  const response = await recording(async () => answer)(ASK, POST);
  assert.deepEqual([response.url, response.status, response.statusText], [ASK, 201, "Made"]);
  assert.deepEqual(await response.json(), {});
  await sent();
});

test("an answer without a body is whole", async () => {
  const response = await recording(async () => new Response(null, { status: 204 }))(ASK, POST);
  assert.equal(response.body, null);
  assert.deepEqual((await sent()).response.reads, []);
});

test("a caller that cancels in the middle has cancelled, and what it cancels is told", async () => {
  const fetch = played(EVENTS);
  const response = await recording(fetch)(ASK, POST);
  for await (const _ of response.body) break;
  assert.ok(fetch.asked.isCancelled);
  const line = await sent();
  assert.deepEqual([line.outcome, readsOf(line)], ["client-cancelled", [EVENTS[0]]]);
});

test("an abort while nobody reads has cancelled", async () => {
  const stop = new AbortController();
  await recording(played(EVENTS))(ASK, { ...POST, signal: stop.signal });
  stop.abort();
  assert.equal((await sent()).outcome, "client-cancelled");
});

for (const [what, failure, outcome, name] of [
  [
    "a cut",
    new TypeError("terminated", { cause: { code: "UND_ERR_SOCKET" } }),
    "upstream-error",
    "UND_ERR_SOCKET",
  ],
  [
    "a timeout",
    new TypeError("terminated", { cause: { code: "UND_ERR_BODY_TIMEOUT" } }),
    "upstream-timeout",
    "UND_ERR_BODY_TIMEOUT",
  ],
  [
    "a signal's timeout",
    new DOMException("late", "TimeoutError"),
    "upstream-timeout",
    "TimeoutError",
  ],
  ["an abort", new DOMException("enough", "AbortError"), "client-cancelled", undefined],
]) {
  test(`${what} in an answer is its outcome and reaches the caller`, async () => {
    const response = await recording(played([EVENTS[0]], { failure }))(ASK, POST);
    await assert.rejects(readAll(response), (error) => error === failure);
    const line = await sent();
    assert.deepEqual([line.outcome, readsOf(line)], [outcome, [EVENTS[0]]]);
    assert.equal(line.metadata.transport_error, name);
  });

  test(`${what} in place of an answer is its outcome and reaches the caller`, async () => {
    const fetch = recording(() => Promise.reject(failure));
    await assert.rejects(fetch(ASK, POST), (error) => error === failure);
    const line = await sent();
    assert.deepEqual([line.outcome, line.response], [outcome, { reads: [] }]);
  });
}

test("bytes that are no text are sent as they are", async () => {
  const bytes = Uint8Array.of(0xff, 0xfe, 0x00);
  const response = await recording(played([bytes]))(ASK, POST);
  assert.deepEqual(new Uint8Array(await response.arrayBuffer()), bytes);
  assert.deepEqual(readsOf(await sent()), [Buffer.from(bytes)]);
});

test("headers of a coding that fetch has undone are not sent", async () => {
  const headers = { "content-encoding": "gzip", "content-length": "9", "x-a": "b" };
  await readAll(await recording(played(["{}"], { headers }))(ASK, POST));
  assert.deepEqual((await sent()).response.headers, [["x-a", "b"]]);
});

test("an answer that repeats the key is masked across its reads", async () => {
  const reads = [`{"error":"no such key: ${KEY.slice(0, 9)}`, `${KEY.slice(9)}"}`];
  const headers = { "x-api-key": KEY };
  await readAll(await recording(played(reads))(ASK, { ...POST, headers }));
  const masked = ['{"error":"no such key: *********', `${"*".repeat(KEY.length - 9)}"}`];
  assert.deepEqual(readsOf(await sent()), masked);
});

test("documented members of a request are masked in place", async () => {
  const body = JSON.stringify({ api_key: "a☕c", prompt: "authorization" });
  await readAll(await recording(played(["{}"]))(ASK, { ...POST, body }));
  const masked = JSON.parse((await sent()).request.body);
  assert.deepEqual(masked, { api_key: "*****", prompt: "authorization" });
});

test("of an address only harmless parameters are kept", async () => {
  const url =
    "https://olga:pass%20word@api.example/v1beta/models/m:generateContent?alt=sse&key=AIzaX";
  await readAll(await recording(played(["{}"]))(url, POST));
  const kept = "https://api.example/v1beta/models/m:generateContent?alt=sse&key=[removed]";
  assert.equal((await sent()).request.url, kept);
});

test("calls that ask for no completion are left alone unless all are wanted", async () => {
  const { called, skipped } = counts();
  await recording(played(["{}"]))("https://api.example/v1/models");
  assert.deepEqual([counts().called - called, counts().skipped - skipped], [0, 1]);
  await readAll(
    await recording(played(["{}"]), { everything: true })("https://api.example/v1/models"),
  );
  assert.equal((await sent()).request.method, "GET");
});

test("of a sample of nothing nothing is sent", async () => {
  const { called } = counts();
  await readAll(await recording(played(["{}"]), { sample: 0 })(ASK, POST));
  assert.equal(counts().called, called);
});

test("tags and metadata are those of the place where the call begins", async () => {
  const fetch = recording(played(["{}"]), { tags: ["shop"], metadata: { region: "eu" } });
  await tagged({ tags: ["checkout"], user: "42" }, async () => {
    await Promise.resolve();
    await tagged({ user: "43", note: `with ${KEY}` }, async () => readAll(await fetch(ASK, POST)));
  });
  const line = await sent();
  assert.deepEqual(line.tags, ["shop", "checkout"]);
  assert.deepEqual(line.metadata, { region: "eu", user: "43", note: "with [removed]" });
});

test("labels that the server would refuse do not lose the call", async () => {
  const tags = ["t".repeat(70), "", "\ud800", ...Array.from({ length: 40 }, (_, n) => String(n))];
  const metadata = { half: "\ud800", count: 9n };
  await readAll(await recording(played(["{}"]), { tags, metadata })(ASK, POST));
  const line = await sent();
  assert.deepEqual(line.tags.slice(0, 3), ["t".repeat(64), "\ufffd", "0"]);
  assert.equal(line.tags.length, 32);
  assert.deepEqual(line.metadata, { left_out: "metadata that is no JSON" });
});

test("the fetch of an SDK's client is replaced once, and the client given back", async () => {
  const client = { fetch: played(["{}"]) };
  const { called } = counts();
  assert.equal(recording(client), client);
  assert.equal(recording(client), client);
  const { fetch } = client;
  await readAll(await fetch.call(undefined, ASK, POST));
  assert.equal(counts().called - called, 1);
  await sent();
});

test("a program starts whatever is set", async (context) => {
  const warnings = context.mock.method(process, "emitWarning", () => {});
  const fetch = played(["{}"]);
  assert.equal(capture(fetch), fetch);
  assert.equal(capture(fetch, { url: "inspector:8000", key: "ri_key" }), fetch);
  const client = {};
  assert.equal(recording(client), client);
  const said = warnings.mock.calls.map((call) => call.arguments[0]);
  assert.match(said[0], /INSPECTOR_URL and INSPECTOR_KEY are not both set/);
  assert.match(said[1], /begins with http:\/\/ or https:\/\//);
  assert.match(said[2], /has no property fetch/);
});

test("without a word of its own it is the fetch of Node", () => {
  assert.notEqual(recording(), globalThis.fetch);
  assert.equal(recording().length, 2);
});
