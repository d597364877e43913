// Node's clients, each reading streams through: `node through.mjs CLIENT`. A line of JSON on standard
// input asks for one, {"root", "key", "prompt", "timeout", "retries"}; a line on standard output tells what the
// client made of it.

import { createInterface } from "node:readline";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText } from "ai";
import OpenAI from "openai";

const HANGS_MS = 12_000;

async function openai(job, told) {
  const retries = job.retries === null ? {} : { maxRetries: job.retries };
  const timeout = job.timeout * 1000;
  const client = new OpenAI({ baseURL: `${job.root}/v1`, apiKey: job.key, timeout, ...retries });
  const messages = [{ role: "user", content: job.prompt }];
  const stream = await client.chat.completions.create({ model: "m-1", messages, stream: true });
  for await (const chunk of stream) {
    told.text += chunk.choices.find((each) => each.index === 0)?.delta?.content ?? "";
  }
}

async function ai(job, told) {
  const provider = createOpenAICompatible({
    name: "p",
    baseURL: `${job.root}/v1`,
    apiKey: job.key,
  });
  const retries = job.retries === null ? {} : { maxRetries: job.retries };
  const model = provider("m-1");
  const result = streamText({ model, prompt: job.prompt, ...retries, onError: () => {} });
  for await (const part of result.fullStream) {
    if (part.type === "text-delta") told.text += part.text;
    if (part.type === "error") throw part.error;
    if (part.type === "finish") told.finish = part.finishReason;
  }
}

const clients = { node_openai: openai, node_ai: ai };
const [client] = process.argv.slice(2);
for await (const line of createInterface({ input: process.stdin })) {
  const told = { text: "" };
  const began = performance.now();
  const read = clients[client](JSON.parse(line), told).then(
    () => {
      told.ended = true;
    },
    (error) => {
      told.error = error.name === "Error" ? error.constructor.name : error.name;
      told.message = String(error.message).slice(0, 300);
    },
  );
  let timer;
  const hang = new Promise((resolve) => {
    timer = setTimeout(resolve, HANGS_MS, "hangs");
  });
  const hangs = (await Promise.race([read, hang])) === "hangs";
  clearTimeout(timer);
  console.log(JSON.stringify({ ...told, hangs, seconds: (performance.now() - began) / 1000 }));
}
process.exit(0);
