// A server that takes batches as the product does, or does with them what a test says.

import { once } from "node:events";
import { createServer } from "node:http";

/** Answers are `{status}` of the whole, `{statuses}` of the lines, or `{hangs: true}`. */
export class TakingServer {
  constructor() {
    this.batches = [];
    this.requests = [];
    this.answers = [];
    this.stored = new Map();
    this.held = [];
    this.server = createServer((request, response) => this.answer(request, response));
  }

  async start() {
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  get lines() {
    return [...this.stored.values()];
  }

  async answer(request, response) {
    let text = "";
    for await (const piece of request.setEncoding("utf8")) text += piece;
    const lines = text.trimEnd().split("\n").map(JSON.parse);
    this.requests.push({ path: request.url, headers: request.headers });
    this.batches.push(lines);
    const told = this.answers.shift() ?? {};
    this.server.emit("asked");
    if (told.hangs) return this.held.push(response);
    if (told.status) {
      response.writeHead(told.status, told.headers);
      return response.end('{"error": {"code": "no", "message": "not this time"}}');
    }
    const statuses = told.statuses ?? lines.map((line) => this.store(line));
    response.end(
      statuses.map((status, n) => `${JSON.stringify({ line: n + 1, status })}\n`).join(""),
    );
  }

  store(line) {
    if (this.stored.has(line.idempotency_key)) return 200;
    this.stored.set(line.idempotency_key, line);
    return 202;
  }

  async close() {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }
}

export const KEY = "sk-proj-0123456789abcdefABCDEF";
export const ASK = "https://api.example/v1/chat/completions";
export const EVENTS = [
  'data: {"choices":[{"index":0,"delta":{"content":"Der "}}]}\n\n',
  'data: {"choices":[{"index":0,"delta":{"content":"Tee ☕"},"finish_reason":"stop"}]}\n\n',
  "data: [DONE]\n\n",
];

/** A fetch that plays reads, then an end or an error, and notes what it was asked. */
export function played(reads, { failure, status = 200, headers = {} } = {}) {
  const asked = [];
  const fetch = async (input, init) => {
    asked.push([input, init]);
    const left = reads.map((read) => (typeof read === "string" ? Buffer.from(read) : read));
    const body = new ReadableStream(
      {
        pull(controller) {
          if (left.length) controller.enqueue(new Uint8Array(left.shift()));
          else if (failure) controller.error(failure);
          else controller.close();
        },
        cancel() {
          asked.isCancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { status, headers });
  };
  return Object.assign(fetch, { asked });
}

export const readsOf = (line) =>
  line.response.reads.map((read) => read.data ?? Buffer.from(read.data_b64, "base64"));
