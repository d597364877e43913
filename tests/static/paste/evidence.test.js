import assert from "node:assert/strict";
import { test } from "node:test";

import { Evidence } from "../../../static/dashboard/paste/evidence.js";

function boxWith(value, selectionStart = value.length, selectionEnd = value.length) {
  return { value, selectionStart, selectionEnd };
}

const bytesOf = async ({ blob }) => Buffer.from(await blob.arrayBuffer()).toString("latin1");

// A file whose bytes come when the test says so.
function slow(name, text) {
  const file = new File([text], name);
  let resolve;
  const promise = new Promise((done) => {
    resolve = done;
  });
  file.arrayBuffer = () => promise;
  return { file, arrive: () => resolve(new TextEncoder().encode(text).buffer) };
}

test("what is typed is sent as the box holds it", async () => {
  const evidence = new Evidence(boxWith("data: 1\n"));
  assert.equal(await bytesOf(evidence), "data: 1\n");
  assert.deepEqual([evidence.name, evidence.words], ["", ""]);
});

test("a paste over everything keeps its line ends until somebody edits", async () => {
  const box = boxWith("", 0, 0);
  const evidence = new Evidence(box);
  evidence.notePaste("a\r\nb");
  box.value = "a\nb";
  evidence.noteInput("insertFromPaste");
  assert.equal(await bytesOf(evidence), "a\r\nb");
  assert.equal(evidence.words, "line ends kept as pasted");
  box.value = "a\nbc";
  evidence.noteInput("insertText");
  assert.equal(await bytesOf(evidence), "a\nbc");
});

test("a paste into a text is sent as the box holds it", async () => {
  const box = boxWith("before", 6, 6);
  const evidence = new Evidence(box);
  evidence.notePaste("a\r\nb");
  box.value = "beforea\nb";
  evidence.noteInput("insertFromPaste");
  assert.equal(await bytesOf(evidence), "beforea\nb");
});

test("a file is sent byte for byte and shown where it is UTF-8", async () => {
  const box = boxWith("");
  const evidence = new Evidence(box);
  await evidence.take(new File(["\ufeffa\r\nb"], "a.sse"));
  assert.equal(await bytesOf(evidence), "\xef\xbb\xbfa\r\nb");
  assert.deepEqual(
    [box.value, evidence.name, evidence.words],
    ["\ufeffa\r\nb", "a.sse", "byte for byte"],
  );
});

test("a file that cannot be shown says why and is sent all the same", async () => {
  const box = boxWith("before");
  const evidence = new Evidence(box);
  await evidence.take(new File([Uint8Array.of(0xff, 0x61)], "latin.txt"));
  assert.deepEqual([box.value, evidence.words], ["", "not UTF-8, so not shown here"]);
  assert.equal(await bytesOf(evidence), "\xffa");
  await evidence.take(new File(["x".repeat(1_000_001)], "long.txt"));
  assert.deepEqual([box.value, evidence.words], ["", "too long to show here"]);
});

test("of two files that are taken at once the later is shown and sent", async () => {
  const box = boxWith("");
  const evidence = new Evidence(box);
  const [first, second] = [slow("first.txt", "first"), slow("second.txt", "second")];
  const taken = [evidence.take(first.file), evidence.take(second.file)];
  second.arrive();
  await taken[1];
  first.arrive();
  await taken[0];
  assert.deepEqual([box.value, evidence.name], ["second", "second.txt"]);
  assert.equal(await bytesOf(evidence), "second");
});

test("what is typed while a file is read stays", async () => {
  const box = boxWith("");
  const evidence = new Evidence(box);
  const { file, arrive } = slow("late.txt", "late");
  const taken = evidence.take(file);
  box.value = "typed";
  evidence.noteInput("insertText");
  arrive();
  await taken;
  assert.deepEqual([box.value, evidence.name], ["typed", ""]);
});
