// The installation that keeps calls: what it is asked, and what its answers mean in words.

import { VERSION } from "./version.js";

const CAPTURES = "/api/v1/captures/";
const ROOT = "/api/v1/";
const ENVELOPE = "application/vnd.inspector.exchange+json";
const WAIT_SECONDS = 5;
const ANSWER_MILLISECONDS = 30_000;

/** @typedef {{severity: string, message: string}} Finding */
/** @typedef {{page: string, verdict: string, findings: Finding[]}} Kept  An empty `verdict`: not inspected yet. */
/** @typedef {{address: string, key: string}} Place */

/** The origin and path of an address as typed; null for what is none. @type {(text: string) => string | null} */
export function addressIn(text) {
  try {
    const { protocol, origin, pathname } = new URL(text.trim());
    return /^https?:$/.test(protocol) ? origin + pathname.replace(/\/+$/, "") : null;
  } catch {
    return null;
  }
}

/** Stores a call; a second time it finds the first one. Never rejects: a string says what is wrong.
 * @type {(place: Place, line: string) => Promise<Kept | string>} */
export async function keep(place, line) {
  if (!place.address || !place.key) return "No address and key are set: see Settings.";
  const headers = { "content-type": ENVELOPE };
  const answer = await ask(place, `${CAPTURES}?wait=${WAIT_SECONDS}`, {
    method: "POST",
    headers,
    body: line,
  });
  if (typeof answer === "string") return answer;
  return keptIn(answer) ?? `What answers at ${place.address} is no Response Inspector.`;
}

/** What is to be known of an installation, in words. @type {(place: Place) => Promise<{isWell: boolean, words: string}>} */
export async function check(place) {
  const answer = await ask(place, ROOT, {});
  if (typeof answer === "string") return { isWell: false, words: answer };
  const theirs = answer?.versions?.product;
  if (typeof theirs !== "string") {
    return { isWell: false, words: `What answers at ${place.address} is no Response Inspector.` };
  }
  if (theirs === VERSION) return { isWell: true, words: "Saved. The installation answers." };
  const words = `Saved. This panel is version ${VERSION}, the installation ${theirs}: get the panel that belongs to it, under Connect a service.`;
  return { isWell: false, words };
}

/** The body of a good answer, or what is wrong. @type {(place: Place, path: string, init: RequestInit) => Promise<any>} */
async function ask({ address, key }, path, init) {
  const headers = { ...init.headers, authorization: `Bearer ${key}` };
  const signal = AbortSignal.timeout(ANSWER_MILLISECONDS);
  try {
    const response = await fetch(address + path, { ...init, headers, credentials: "omit", signal });
    const body = await response.json().catch(() => null);
    return response.ok ? body : refusal(address, response.status, body);
  } catch {
    return `Nothing answers at ${address}.`;
  }
}

/** @type {(address: string, status: number, body: any) => string} */
function refusal(address, status, body) {
  const said = body?.error;
  if (typeof said?.code !== "string")
    return `What answers at ${address} is no Response Inspector (${status}).`;
  if (status === 401) return "The installation does not know the key.";
  if (said.code === "origin_not_listed") return "The key is for pages: make one for DevTools.";
  if (status === 403) return "The key may not send captures.";
  if (status === 413) return "The call is larger than the installation takes.";
  if (status === 429) return "The installation takes no more just now: keep it again later.";
  return `The installation refused it (${status}): ${said.message}`;
}

/** @type {(answer: any) => Kept | null} */
function keptIn(answer) {
  if (typeof answer?.page !== "string") return null;
  const { verdict = "", findings = [] } = answer.analysis ?? {};
  const listed = Array.isArray(findings) ? findings : [];
  return { page: answer.page, verdict: String(verdict), findings: listed.map(findingIn) };
}

/** @type {(value: any) => Finding} */
const findingIn = (value) => ({
  severity: String(value?.severity),
  message: String(value?.message),
});
