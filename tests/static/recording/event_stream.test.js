import assert from "node:assert/strict";
import { test } from "node:test";

import { EventSplitter, eventsOf } from "../../../static/dashboard/recording/event_stream.js";

const STREAM =
  ': alive\r\n\r\nevent: append\r\ndata: {"a":\r\ndata: "é"}\r\n\r\nevent: end\ndata: {}\n\n';
const EVENTS = [
  { name: "append", data: '{"a":\n"é"}' },
  { name: "end", data: "{}" },
];

test("events come out of lines with any ends, and comments are passed over", () => {
  assert.deepEqual(new EventSplitter().push(STREAM), EVENTS);
  assert.deepEqual(new EventSplitter().push("data:x\rdata\r\r"), [
    { name: "message", data: "x\n" },
  ]);
});

test("an event is the same wherever its text is cut", () => {
  for (let cut = 0; cut <= STREAM.length; cut++) {
    const splitter = new EventSplitter();
    const found = [...splitter.push(STREAM.slice(0, cut)), ...splitter.push(STREAM.slice(cut))];
    assert.deepEqual(found, EVENTS, `cut at ${cut}`);
  }
});

test("an event without data, or without its empty line, is none", () => {
  assert.deepEqual(new EventSplitter().push("event: end\n\n"), []);
  assert.deepEqual(new EventSplitter().push("event: end\ndata: {}\n"), []);
});

test("characters that two pieces share are whole, and every piece is heard", async () => {
  const bytes = new TextEncoder().encode(STREAM);
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  let heard = 0;
  const found = [];
  for await (const event of eventsOf(body, () => heard++)) found.push(event);
  assert.deepEqual(found, EVENTS);
  assert.equal(heard, bytes.length);
});
