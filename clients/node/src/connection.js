// Sends batches to the REST interface over one connection that is kept open.

import http from "node:http";
import https from "node:https";
import { limits } from "./limits.js";

const PATH = "/api/v1/captures/batch/";
const ANSWER_BYTES = 64 * 1024 * 1024;

/** @typedef {import("./envelope.js").Line} Line */
/** `status` is null where none came; `statuses` are those of the lines, as far as told.
 * @typedef {{status: number | null, statuses: number[], retryAfter: number, trouble: string}} Answer */

export class Connection {
  /** Throws for an address that is none. @param {string} url @param {string} key */
  constructor(url, key) {
    const address = new URL(url);
    if (!/^https?:$/.test(address.protocol)) {
      throw new Error("the address of Response Inspector begins with http:// or https://");
    }
    address.pathname = address.pathname.replace(/\/+$/, "") + PATH;
    this.address = address;
    this.headers = { authorization: `Bearer ${key}`, "content-type": "application/x-ndjson" };
    // Node's own fetch may be the one that is captured, and tells nothing of its sockets.
    this.module = address.protocol === "https:" ? https : http;
    this.agent = new this.module.Agent({ keepAlive: true, maxSockets: 1 });
  }

  /** Never rejects; what happened is the answer. @type {(lines: Line[]) => Promise<Answer>} */
  async post(lines) {
    const body = Buffer.concat(lines.map((line) => line.text));
    try {
      return await this.exchange(body);
    } catch (error) {
      const isStale = error instanceof StaleConnection;
      return isStale ? this.post(lines) : noAnswer(error);
    }
  }

  /** @param {Buffer} body @returns {Promise<Answer>} */
  exchange(body) {
    return new Promise((resolve, reject) => {
      const headers = { ...this.headers, "content-length": body.length };
      const options = { method: "POST", headers, agent: this.agent };
      const request = this.module.request(this.address, options, (response) => {
        read(response).then((content) => resolve(answerOf(response, content)), reject);
      });
      request.setTimeout(limits.answerMilliseconds, () => request.destroy(new Error("timed out")));
      // Whatever waits here must not keep the program alive; its end waits by itself.
      request.on("socket", (socket) => socket.unref());
      request.on("error", (error) => {
        const isReset = "code" in error && error.code === "ECONNRESET";
        // The server may have closed a kept connection meanwhile, as servers do.
        reject(request.reusedSocket && isReset ? new StaleConnection() : error);
      });
      request.end(body);
    });
  }

  close() {
    this.agent.destroy();
  }
}

class StaleConnection extends Error {}

/** @type {(response: http.IncomingMessage) => Promise<Buffer>} */
async function read(response) {
  const pieces = [];
  let size = 0;
  for await (const piece of response) {
    size += piece.length;
    if (size > ANSWER_BYTES) throw new Error("the answer is too long");
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** @type {(error: unknown) => Answer} */
const noAnswer = (error) => ({ status: null, statuses: [], retryAfter: 0, trouble: String(error) });

/** @type {(response: http.IncomingMessage, content: Buffer) => Answer} */
function answerOf(response, content) {
  const status = response.statusCode ?? null;
  const retryAfter = retryAfterMilliseconds(response.headers["retry-after"] ?? "");
  if (status !== 200) return { status, statuses: [], retryAfter, trouble: messageOf(content) };
  const lines = content.toString().split("\n").filter(Boolean);
  const results = lines.map((line) => JSON.parse(line));
  const refused = results.find((result) => result.error);
  const trouble = refused ? String(refused.error.message) : "";
  return { status, statuses: results.map((result) => result.status), retryAfter: 0, trouble };
}

/** @type {(content: Buffer) => string} */
function messageOf(content) {
  try {
    return String(JSON.parse(content.toString()).error.message);
  } catch {
    return "";
  }
}

/** Of the header, as seconds or as a date; 0 where it says neither.
 * @type {(value: string) => number} */
export function retryAfterMilliseconds(value) {
  if (/^\d+$/.test(value.trim())) return Number(value) * 1000;
  const moment = Date.parse(value);
  return Number.isNaN(moment) ? 0 : Math.max(0, moment - Date.now());
}
