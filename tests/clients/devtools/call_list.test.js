import assert from "node:assert/strict";
import { test } from "node:test";

import {
  CallList,
  MOST_CALLS,
  MOST_CHARACTERS,
  MOST_READS,
  newsIn,
} from "../../../clients/devtools/call_list.js";
import { standing } from "../../../clients/devtools/words.js";

const told = (id, more = {}) => ({ id, status: 200, bytes: 3, reads: [[9, 3]], ...more });
const ended = (id, line = "{}") => told(id, { outcome: "ended", line });
const news = (...calls) => ({ origin: "https://shop.example", version: "1", dropped: 0, calls });
const ids = (list) => [...list.calls.keys()];

test("reads that come one after the other are those of one call", () => {
  const list = new CallList();
  list.take(news(told("a", { reads: [[5, 1]] })));
  const { changed } = list.take(news(told("a", { reads: [[8, 2]], outcome: "ended", line: "{}" })));
  assert.deepEqual(changed[0].reads, [
    [5, 1],
    [8, 2],
  ]);
  assert.deepEqual(list.unkept(), changed);
});

test("after its end a call does not change", () => {
  const list = new CallList();
  list.take(news(ended("a")));
  list.take(news(ended("a", "another")));
  assert.equal(list.calls.get("a").line, "{}");
  assert.equal(list.dropped, 1);
});

test("what is no call is dropped and counted", () => {
  const list = new CallList();
  const { changed } = list.take(
    news(7, null, {}, told(""), told("a", { reads: [["x", 1]] }), told("b", { reads: [[-1, 1]] })),
  );
  assert.deepEqual(changed, []);
  assert.equal(list.dropped, 6);
});

test("of too many calls the oldest that have ended go first, one under way stays", () => {
  const list = new CallList();
  list.take(news(told("open"), ended("old")));
  const { gone } = list.take(
    news(...Array.from({ length: MOST_CALLS - 1 }, (_, n) => ended(`n${n}`))),
  );
  assert.deepEqual(
    gone.map(({ id }) => id),
    ["old"],
  );
  assert.equal(list.calls.size, MOST_CALLS);
  assert.equal(ids(list)[0], "open");
  assert.equal(list.dropped, 1);
});

test("of too many characters the oldest go, and one that was kept is no loss", () => {
  const list = new CallList();
  list.take(news(ended("kept", "x".repeat(10))));
  list.calls.get("kept").kept = { page: "", verdict: "", findings: [] };
  list.take(news(ended("large", "x".repeat(MOST_CHARACTERS - 5))));
  assert.deepEqual(ids(list), ["large"]);
  assert.equal(list.dropped, 0);
});

test("more reads than are drawn are counted", () => {
  const list = new CallList();
  list.take(news(told("a", { reads: Array.from({ length: MOST_READS + 5 }, () => [1, 1]) })));
  const call = list.calls.get("a");
  assert.deepEqual([call.reads.length, call.readCount], [MOST_READS, MOST_READS + 5]);
});

test("what a relay passes on is news, or nothing", () => {
  const text = JSON.stringify({ version: "1", dropped: 2, calls: [] });
  assert.equal(newsIn({ origin: "o", dropped: 3, text }).dropped, 5);
  for (const bad of ["", "7", "{}", '{"calls":{},"dropped":0}', '{"calls":[],"dropped":"x"}']) {
    assert.equal(newsIn({ origin: "o", dropped: 0, text: bad }), null);
  }
  assert.equal(newsIn(null), null);
});

test("how a call stands is said as far as the browser knows it", () => {
  const words = (more) =>
    standing({
      status: 200,
      outcome: "ended",
      error: "",
      isStream: true,
      hasEndMark: true,
      ...more,
    });
  assert.deepEqual(words({}), { words: "200", severity: "" });
  assert.equal(words({ status: null, outcome: "" }).words, "waiting");
  assert.equal(words({ outcome: "" }).words, "200, running");
  assert.deepEqual(words({ hasEndMark: false }), {
    words: "200, no end mark",
    severity: "warning",
  });
  assert.deepEqual(words({ status: 500 }), { words: "500", severity: "error" });
  assert.equal(
    words({ status: null, outcome: "upstream-error", error: "TypeError" }).words,
    "no answer, failed: TypeError",
  );
  assert.equal(words({ outcome: "client-cancelled" }).words, "200, cancelled by the page");
});
