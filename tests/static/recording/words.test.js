import assert from "node:assert/strict";
import { test } from "node:test";

import {
  blockFacts,
  figuresOf,
  openWords,
  sentenceOf,
  size,
} from "../../../static/dashboard/recording/words.js";

const HEAD = {
  byte_length: 63_800,
  dialect: "anthropic",
  model: "claude-sonnet-4-5",
  finishes: [],
  open_block: 1,
  blocks: [{}, {}],
  usage: {},
  firsts: [],
  first_token_us: 1_302_000,
  first_content_us: 10_870_000,
  error: null,
};
const OPEN = { kind: "text", name: "text", number: 5, choice: 0, isAlone: true };
const MOMENT = {
  head: HEAD,
  open: OPEN,
  now: 15_931_000,
  running: null,
  longest: 900_000,
  characters: 3_176,
  events: 219,
  reads: 164,
};
const NOTHING = {
  ...HEAD,
  byte_length: 0,
  dialect: null,
  model: null,
  open_block: null,
  blocks: [],
  first_token_us: null,
  first_content_us: null,
};
const said = (moment) =>
  sentenceOf(moment)
    .map(({ text }) => text)
    .join("");

test("the sentence says which block is open", () => {
  const words = (open, head = HEAD) => openWords({ head, open, events: 219 });
  assert.equal(words(OPEN), "Writing text, block 5.");
  assert.equal(words({ ...OPEN, kind: "reasoning", number: 0 }), "Writing reasoning, block 0.");
  assert.equal(
    words({ ...OPEN, kind: "tool-call", name: "book_route" }),
    "Writing a tool call of book_route, block 5.",
  );
  assert.equal(
    words({ ...OPEN, kind: "hosted", name: "web search" }),
    "The provider runs web search, block 5.",
  );
  assert.equal(words({ ...OPEN, choice: 1, isAlone: false }), "Writing text, block 5 of choice 1.");
  assert.equal(words(null), "Between two blocks.");
  assert.equal(words(null, NOTHING), "Waiting for the first byte.");
});

test("a silence counts in tenths, and is compared with those before", () => {
  const running = { start: 14_531_000, end: 15_931_000 };
  assert.equal(
    said({ ...MOMENT, running }),
    "Writing text, block 5. Silent for 1.4 s, the longest pause so far.",
  );
  assert.equal(
    said({ ...MOMENT, running, longest: 3_000_000 }),
    "Writing text, block 5. Silent for 1.4 s.",
  );
});

test("what cannot be known yet is no zero", () => {
  const moment = { ...MOMENT, head: NOTHING, open: null, characters: 0, longest: 0, events: 0 };
  const {
    tokens,
    first,
    size: bytes,
    ...others
  } = figuresOf({ ...moment, reads: 0 }, "claude-sonnet-4-5");
  assert.deepEqual([tokens.value, tokens.aside, tokens.isUnknown], ["not yet", "in not yet", true]);
  assert.deepEqual([first.value, first.aside], ["not yet", "no token yet"]);
  assert.deepEqual([bytes.value, bytes.aside], ["not yet", "no byte yet"]);
  assert.deepEqual(Object.keys(others), ["duration"]);
});

test("tokens are an estimate from characters until they are stated", () => {
  const tokens = (usage) => figuresOf({ ...MOMENT, head: { ...HEAD, usage } }, "").tokens;
  assert.deepEqual(tokens({}), { value: "≈ 794 out", aside: "in not yet" });
  const early = { prompt_tokens: 7_556 };
  assert.deepEqual(tokens(early), { value: "≈ 8,350", aside: "7,556 in, ≈ 794 out" });
  const all = { prompt_tokens: 120, completion_tokens: 130, total_tokens: 250 };
  assert.deepEqual(tokens(all), { value: "250", aside: "120 in, 130 out" });
});

test("a model is held against the one that was asked for", () => {
  const aside = (requested) => figuresOf(MOMENT, requested).model.aside;
  assert.equal(aside("claude-sonnet-4-5"), "as requested");
  assert.equal(aside("claude-latest"), "requested claude-latest");
  assert.equal(aside(""), "requested model not known");
});

test("a block has its times and its length", () => {
  const block = { from: 14_020_000, to: 14_531_000, length: 128 };
  assert.deepEqual(blockFacts({ ...block, isOpen: true }), [
    "14.020 s, open",
    "128 characters so far",
  ]);
  assert.deepEqual(blockFacts({ ...block, isOpen: false }), [
    "14.020 to 14.531 s",
    "128 characters",
  ]);
  assert.deepEqual(blockFacts({ from: null, to: null, length: null, isOpen: false }), []);
});

test("sizes are written as the server writes them", () => {
  assert.deepEqual([0, 812, 63_800, 2_400_000].map(size), ["0 B", "812 B", "63.8 kB", "2.4 MB"]);
});
