import assert from "node:assert/strict";
import { test } from "node:test";

import { Asker } from "../../../static/dashboard/recording/asker.js";

const GROWN = { state: "growing", cursor: "8-1", wait_ms: 500 };
const ENDED = { state: "ended" };

// Answers in turn: a status, or what is told. Nothing waits.
async function played(...answers) {
  const [asked, waits, states, told] = [[], [], [], []];
  const heard = [];
  const counts = { shown: 0 };
  const asker = new Asker(
    "/growth/",
    {
      changed: (state) => states.push(state),
      took: ({ cursor }) => told.push(cursor),
      heard: (asked) => heard.push(asked),
    },
    {
      fetch: async (address) => {
        asked.push(address);
        const answer = answers[asked.length - 1];
        if (answer === "fails") throw new TypeError("no network");
        const status = typeof answer === "number" ? answer : 200;
        return status === 200 ? Response.json(answer) : new Response(null, { status });
      },
      wait: async (ms) => void waits.push(ms),
      shown: async () => {
        counts.shown += 1;
      },
      now: () => asked.length,
    },
  );
  await asker.run();
  return { asked, waits, states, told, heard, ...counts };
}

test("what has come since is asked for until the recording has ended", async () => {
  const { asked, states, told } = await played(GROWN, { ...GROWN, cursor: "9-2" }, ENDED);
  assert.deepEqual(asked, ["/growth/?since=", "/growth/?since=8-1", "/growth/?since=9-2"]);
  assert.deepEqual(states, ["asking", "asking", "ended"]);
  assert.deepEqual(told, ["8-1", "9-2"]);
});

test("where nothing is new the same is asked for again, and the recording was heard of", async () => {
  const { asked, told, heard } = await played(GROWN, 204, ENDED);
  assert.deepEqual(asked.slice(1), ["/growth/?since=8-1", "/growth/?since=8-1"]);
  // As old as its question.
  assert.deepEqual([told, heard], [["8-1"], [0, 1, 2]]);
});

test("the page waits twice a second, or as long as it is told", async () => {
  const { waits } = await played(204, { ...GROWN, wait_ms: 2_300 }, 204, ENDED);
  assert.deepEqual(waits.slice(0, 3), [500, 2_300, 2_300]);
});

test("waits grow as long as no answer comes, and never beyond half a minute", async () => {
  const failing = Array.from({ length: 12 }, (_, at) => (at % 2 ? "fails" : 503));
  const { waits, states, heard } = await played(...failing, 204, ENDED);
  for (const [at, wait] of waits.slice(0, 12).entries()) {
    const most = Math.min(500 * 2 ** (at + 1), 30_000);
    assert.ok(wait >= most / 2 && wait <= most, `wait ${at} is ${wait}`);
  }
  assert.equal(waits[12], 500);
  assert.deepEqual(states.slice(11), ["waiting", "asking", "ended"]);
  assert.deepEqual(heard, [12, 13]);
});

test("what is too long to be shown as it comes is asked for no more", async () => {
  const { asked, states } = await played(GROWN, { state: "too-long" });
  assert.deepEqual([asked.length, states.at(-1)], [2, "too-long"]);
});

test("a capture that is not there any more is asked for once", async () => {
  const { asked, states } = await played(404);
  assert.deepEqual([asked.length, states], [1, ["ended"]]);
});

test("every question waits until the page is seen", async () => {
  const { asked, shown } = await played(204, GROWN, ENDED);
  assert.deepEqual([asked.length, shown], [3, 3]);
});
