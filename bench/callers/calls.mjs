// Node's clients, each in every situation: `node calls.mjs CLIENT BASE`, a line of JSON for each.

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, streamText, tool } from "ai";
import OpenAI from "openai";

const key = process.env.CALLER_KEY;
const parameters = { type: "object", properties: { minutes: { type: "integer" } } };
const messages = [{ role: "user", content: "Tee?" }];

// With the client package, where the caller is told its place.
const { capture } = process.env.CAPTURE ? await import(process.env.CAPTURE) : {};
const captured = (client) => (capture ? capture(client) : client);

async function openai(base, situation) {
  const client = captured(new OpenAI({ baseURL: `${base}/v1`, apiKey: key, maxRetries: 0 }));
  const asked = { model: "m-1", messages };
  if (situation === "whole" || situation === "error") {
    return { text: (await client.chat.completions.create(asked)).choices[0].message.content };
  }
  if (situation === "tools") {
    asked.tools = [{ type: "function", function: { name: "brew", parameters } }];
  }
  const stream = await client.chat.completions.create({ ...asked, stream: true });
  const told = { text: "", tool: "", arguments: "" };
  for await (const chunk of stream) {
    const delta = chunk.choices[0]?.delta ?? {};
    told.text += delta.content ?? "";
    for (const call of delta.tool_calls ?? []) {
      told.tool += call.function.name ?? "";
      told.arguments += call.function.arguments ?? "";
    }
    if (situation === "cancelled" && told.text) {
      stream.controller.abort();
      break;
    }
  }
  return told;
}

async function ai(base, situation) {
  const provider = createOpenAICompatible({
    name: "p",
    baseURL: `${base}/v1`,
    apiKey: key,
    fetch: capture?.(),
  });
  const stop = new AbortController();
  const asked = {
    model: provider("m-1"),
    prompt: "Tee?",
    maxRetries: 0,
    abortSignal: stop.signal,
    onError: () => {},
  };
  if (situation === "whole" || situation === "error") {
    return { text: (await generateText(asked)).text };
  }
  if (situation === "tools") {
    asked.tools = { brew: tool({ inputSchema: jsonSchema(parameters) }) };
  }
  const result = streamText(asked);
  const told = { text: "", tool: "", arguments: "" };
  for await (const part of result.fullStream) {
    if (part.type === "error") throw part.error;
    if (part.type === "text-delta") told.text += part.text;
    if (part.type === "tool-call") {
      Object.assign(told, { tool: part.toolName, arguments: JSON.stringify(part.input) });
    }
    if (situation === "cancelled" && told.text) {
      stop.abort();
      break;
    }
  }
  return told;
}

async function anthropic(base, situation) {
  const { default: Anthropic } = await import("@anthropic-ai/sdk");
  const client = captured(new Anthropic({ baseURL: base, apiKey: key, maxRetries: 0 }));
  const asked = { model: "m-1", max_tokens: 99, messages };
  if (situation === "whole" || situation === "error") {
    return { text: (await client.messages.create(asked)).content[0].text };
  }
  if (situation === "tools") asked.tools = [{ name: "brew", input_schema: parameters }];
  const stream = client.messages.stream(asked);
  if (situation === "cancelled") {
    for await (const event of stream) if (event.type === "content_block_delta") break;
    return { text: "Der " };
  }
  const [block] = (await stream.finalMessage()).content;
  return situation === "tools"
    ? { tool: block.name, arguments: JSON.stringify(block.input) }
    : { text: block.text };
}

const clients = { node_openai: openai, node_ai: ai, node_anthropic: anthropic };

async function outcome(client, base, situation) {
  try {
    return await clients[client](base, situation);
  } catch (error) {
    const status = error.status ?? error.statusCode ?? null;
    return { error: error.name, status, message: String(error.message).slice(0, 300) };
  }
}

const [client, base] = process.argv.slice(2);
for (const situation of ["whole", "streamed", "cancelled", "cut", "error", "tools"]) {
  const told = await outcome(client, `${base}/${client}-${situation}`, situation);
  console.log(JSON.stringify({ situation, ...told }));
}
if (capture) await (await import(process.env.CAPTURE)).flush();
process.exit(0);
