import assert from "node:assert/strict";
import { test } from "node:test";

import {
  captureId,
  fitting,
  moved,
  ordered,
  wanted,
} from "../../../static/dashboard/palette/entries.js";

const ID = "0199f3a2-77aa-7bcd-8def-0123456789ab";

test("commands alone are meant behind a mark", () => {
  assert.deepEqual(wanted("  refunds "), { text: "refunds", isOfCommands: false });
  assert.deepEqual(wanted("> copy"), { text: "copy", isOfCommands: true });
  assert.deepEqual(wanted(">"), { text: "", isOfCommands: true });
});

test("a pasted id names a capture, by itself or in an address", () => {
  assert.equal(captureId(ID), ID);
  assert.equal(captureId(ID.toUpperCase()), ID);
  assert.equal(captureId(ID.replaceAll("-", "")), ID.replaceAll("-", ""));
  assert.equal(captureId(`https://llm.example/captures/${ID}/?raw=hex#raw`), ID);
});

test("less than an id names no capture", () => {
  for (const text of ["", "0199f3a2", `${ID}0`, `x${ID.slice(1)}`, `captures of ${ID}`])
    assert.equal(captureId(text), null, text);
});

test("an entry fits that has every word, in any order and case", () => {
  const entries = [{ words: "Saved views" }, { words: "Feedback" }];
  assert.deepEqual(fitting(entries, "VIEWS sav"), [entries[0]]);
  assert.deepEqual(fitting(entries, "views feed"), []);
  assert.deepEqual(fitting(entries, ""), entries);
});

test("groups keep their order, and empty ones are left out", () => {
  const groups = ["act", "views", "captures", "go"].map((slug) => ({ slug, entries: [slug] }));
  groups.push({ slug: "filters", entries: [] });
  const slugs = ordered(groups).map((group) => group.slug);
  assert.deepEqual(slugs, ["captures", "views", "go", "act"]);
});

test("the ends of the list meet", () => {
  assert.equal(moved(0, 1, 3), 1);
  assert.equal(moved(2, 1, 3), 0);
  assert.equal(moved(0, -1, 3), 2);
  assert.equal(moved(0, 1, 0), -1);
});
