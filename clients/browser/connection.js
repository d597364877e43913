// Sends batches to the REST interface by `fetch`.

import { limits } from "./limits.js";
import { concat } from "./runtime.js";

const PATH = "/api/v1/captures/batch/";
/** What a page that ends may still send, all requests together (Fetch standard). */
export const KEEPALIVE_BYTES = 64 * 1024 - 1024;
/** That of the page may be the one that is captured. */
const { fetch } = globalThis;

/** @typedef {import("./envelope.js").Line} Line */
/** @typedef {{status: number | null, statuses: number[], retryAfter: number, trouble: string}} Answer */

export class Connection {
  /** Throws for an address that is none. @param {string} url @param {string} key */
  constructor(url, key) {
    const address = new URL(url);
    address.pathname = address.pathname.replace(/\/+$/, "") + PATH;
    this.address = address;
    this.headers = { authorization: `Bearer ${key}`, "content-type": "application/x-ndjson" };
  }

  /** Never rejects; what happened is the answer.
   * @type {(lines: Line[], keepalive?: boolean) => Promise<Answer>} */
  async post(lines, keepalive = false) {
    const body = /** @type {BodyInit} */ (concat(lines.map((line) => line.text)));
    const { address, headers } = this;
    const signal = keepalive ? null : AbortSignal.timeout(limits.answerMilliseconds);
    const credentials = "omit";
    try {
      return await answerOf(
        await fetch(address, { method: "POST", headers, body, credentials, keepalive, signal }),
      );
    } catch (error) {
      return { status: null, statuses: [], retryAfter: 0, trouble: String(error) };
    }
  }

  close() {}
}

/** @type {(response: Response) => Promise<Answer>} */
async function answerOf(response) {
  const { status } = response;
  const text = await response.text();
  if (status !== 200) {
    const retryAfter = 1000 * (Number(response.headers.get("retry-after")) || 0);
    return { status, statuses: [], retryAfter, trouble: messageOf(text) };
  }
  const results = text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const refused = results.find((result) => result.error);
  const trouble = refused ? String(refused.error.message) : "";
  return { status, statuses: results.map((result) => result.status), retryAfter: 0, trouble };
}

/** @type {(text: string) => string} */
function messageOf(text) {
  try {
    return String(JSON.parse(text).error.message);
  } catch {
    return "";
  }
}
