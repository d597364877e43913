import assert from "node:assert/strict";
import { test } from "node:test";

import { Connection } from "../../../static/dashboard/recording/connection.js";

const TOKEN = "/t/default/captures/1/live/";
const APPEND = 'event: append\ndata: {"starts_over":true}\n\n';
const SILENCE = "silence";
const END = "event: end\ndata: {}\n\n";

// Answers in turn: [status, text] of the token's address and of the proxy's. Nothing waits.
async function played(answers) {
  const [asked, waits, states, events, rings] = [[], [], [], [], []];
  let number = 0;
  const surroundings = {
    fetch: async (address, { signal }) => {
      asked.push(address);
      if (address === TOKEN) number += 1;
      const [token, stream] = answers[Math.min(number, answers.length) - 1];
      if (address === TOKEN) {
        if (token === "fails") throw new TypeError("no network");
        return Response.json({ url: `http://proxy/live/${number}` }, { status: token });
      }
      if (stream === SILENCE) return new Response(endless(signal));
      return new Response(stream, { status: stream === null ? 404 : 200 });
    },
    wait: async (ms) => void waits.push(ms),
    alarm: (_, ring) => {
      rings.push(ring);
      return () => {};
    },
  };
  const connection = new Connection(
    TOKEN,
    {
      changed(state) {
        states.push(state);
        const stream = answers[Math.min(number, answers.length) - 1][1];
        if (state === "open" && stream === SILENCE) setImmediate(rings.at(-1));
      },
      took: ({ name }) => events.push(name),
    },
    surroundings,
  );
  await connection.run();
  return { asked, waits, states, events };
}

function endless(signal) {
  return new ReadableStream({
    start(controller) {
      signal.addEventListener("abort", () => controller.error(signal.reason));
    },
  });
}

test("a stream that ends is followed once", async () => {
  const { asked, states, events } = await played([[200, APPEND + END]]);
  assert.deepEqual(asked, [TOKEN, "http://proxy/live/1"]);
  assert.deepEqual(states, ["open", "ended"]);
  assert.deepEqual(events, ["append", "end"]);
});

test("a stream that breaks off is asked for again, with another token", async () => {
  const { asked, states, events, waits } = await played([
    [200, APPEND],
    [200, "event: lost\ndata: {}\n\n"],
    [200, APPEND + END],
  ]);
  assert.deepEqual(
    asked.filter((address) => address !== TOKEN),
    ["http://proxy/live/1", "http://proxy/live/2", "http://proxy/live/3"],
  );
  assert.deepEqual(states, ["open", "waiting", "open", "waiting", "open", "ended"]);
  assert.deepEqual(events, ["append", "append", "end"]);
  assert.equal(waits.length, 2);
});

test("waits grow as long as nothing comes, and never beyond half a minute", async () => {
  const failing = Array.from({ length: 12 }, () => ["fails", ""]);
  const { waits, states } = await played([...failing, [404, ""]]);
  assert.equal(waits.length, 12);
  for (const [at, wait] of waits.entries()) {
    const most = Math.min(500 * 2 ** at, 30_000);
    assert.ok(wait >= most / 2 && wait <= most, `wait ${at} is ${wait}`);
  }
  assert.equal(states.at(-1), "none");
});

test("a capture without a live stream is asked for once", async () => {
  const { asked, states } = await played([[404, ""]]);
  assert.deepEqual([asked, states], [[TOKEN], ["none"]]);
});

test("a proxy that refuses is asked again", async () => {
  const { states } = await played([
    [200, null],
    [200, END],
  ]);
  assert.deepEqual(states, ["waiting", "open", "ended"]);
});

test("a stream that says nothing for too long is given up and asked for again", async () => {
  const { states } = await played([
    [200, SILENCE],
    [200, END],
  ]);
  assert.deepEqual(states, ["open", "waiting", "open", "ended"]);
});
