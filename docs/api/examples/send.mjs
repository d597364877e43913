// Sends one recorded response and prints its analysis. Node 20, nothing to install.
//     INSPECTOR_URL=http://127.0.0.1:8000 INSPECTOR_KEY=ri_… node send.mjs FILE
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

const TRIES = 8;
const AGAIN = new Set([408, 429, 500, 502, 503, 504]);

async function send(body, contentType) {
  // One key for all tries: however often the network asks for another, one capture is stored.
  const headers = {
    Authorization: `Bearer ${process.env.INSPECTOR_KEY}`,
    "Content-Type": contentType,
    "Idempotency-Key": randomUUID(),
  };
  for (let number = 0; ; number++) {
    let wait = null;
    try {
      const answer = await fetch(`${process.env.INSPECTOR_URL}/api/v1/captures/?wait=10`, {
        method: "POST", headers, body, signal: AbortSignal.timeout(30_000),
      });
      const text = await answer.text();
      if (answer.ok) return text;
      if (!AGAIN.has(answer.status)) throw new Refused(text);
      wait = answer.headers.get("Retry-After");
    } catch (error) {
      if (error instanceof Refused || number === TRIES - 1) throw error;
    }
    // Retry-After is the least; without it the waits double, and nobody waits in step.
    await pause(wait ? wait * 1000 : Math.random() * Math.min(30_000, 500 * 2 ** number));
  }
}

class Refused extends Error {}

const path = process.argv[2];
const type = path.endsWith(".sse") ? "text/event-stream" : "application/json";
console.log(await send(await readFile(path), type));
