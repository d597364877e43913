// Removes credentials from what is sent, before it leaves the process.
//
// Of a request only headers and parameters are kept that are known to be harmless. What was removed
// is masked wherever the bodies of the same call repeat it. The server removes more, by shape.

import { bytesOf, copyOf, fromBase64, indexOf, latin1Of, ofLatin1 } from "./runtime.js";

/** @typedef {import("./runtime.js").Bytes} Bytes */

export const REMOVED = "[removed]";
const ASTERISK = 42;
const MOST_SECRETS = 32;
/** Of an address or the value of a header; longer ones are removed unread, for some are made to be
 * slow to search. */
const MOST_CHARACTERS = 8_192;

/** @type {(text: string) => Set<string>} */
const names = (text) => new Set(text.trim().split(/\s+/));

export const KEPT_HEADERS = names(`
  accept accept-encoding accept-language anthropic-beta anthropic-version cache-control connection
  content-encoding content-language content-length content-type date host idempotency-key
  openai-beta openai-organization openai-project te traceparent transfer-encoding user-agent
  x-client-request-id x-correlation-id x-goog-api-client x-goog-user-project x-request-id x-title
`);
const KEPT_BEGINNING = "x-stainless-";
export const KEPT_PARAMETERS = names("$alt alt api-version beta limit model region");

const CREDENTIAL =
  /api-?key|assertion|auth(?!or(?:s|ed|ity|ities)?(?![a-z]))|bearer|cookie|credential|csrf|hmac|jwt|passw|secret|session|signature|subscription-key|token(?!s\b)/;
const HARMLESS = names(`
  access-control-allow-credentials access-control-allow-headers access-control-expose-headers
  azureml-model-session idempotency-key proxy-authenticate www-authenticate
`);
const COUNTED = /limit|remaining|reset|usage|used|count|input|output|cached|total|budget/;
const MEMBER =
  /"(?:[a-z_-]*(?:api[_-]?key|access[_-]?token|client[_-]?secret|password|secret[_-]?key)|authorization|authorization[_-]?token|auth[_-]?token|cookie|credentials?|id[_-]?token|private[_-]?key|refresh[_-]?token|secret|session[_-]?token|x-auth-token)"\s{0,9}:\s{0,9}"([^"\\]*(?:\\.[^"\\]*)*)"/gi;
const SCHEME = /^(bearer|basic|token|apikey|key)\s+/i;
const USER = /(?<=:\/\/)[^/?#@]*@/g;
const PARAMETER = /(?<=[?&])([^=&#]{0,200})=([^&#]*)/g;
const KEY =
  /\bsk-[A-Za-z0-9_-]{16,}|\bAIza[A-Za-z0-9_-]{35}|\bri_[A-Za-z0-9_-]{43}|\b(?:gsk|hf|r8|fw)_[A-Za-z0-9]{20,}|\bxai-[A-Za-z0-9]{20,}|\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{8,}/g;

/** @typedef {[string, string][]} Headers */

/** @type {(name: string) => boolean} */
export function isKeptOfRequests(name) {
  const low = name.toLowerCase();
  return KEPT_HEADERS.has(low) || low.startsWith(KEPT_BEGINNING);
}

/** True for the name of a header that holds a credential. @type {(name: string) => boolean} */
export function isCredential(name) {
  const low = name.toLowerCase();
  return !HARMLESS.has(low) && CREDENTIAL.test(low) && !COUNTED.test(low);
}

/** Without what has the shape of a vendor's key. @type {(text: string) => string} */
export const withoutKeys = (text) => text.replace(KEY, REMOVED);

/** @type {(headers: Headers) => Headers} */
export const cleanRequestHeaders = (headers) =>
  headers.map(([name, value]) => [name, isKeptOfRequests(name) ? cleanValue(value) : REMOVED]);

/** @type {(headers: Headers) => Headers} */
export const cleanResponseHeaders = (headers) =>
  headers.map(([name, value]) => [name, isCredential(name) ? REMOVED : cleanValue(value)]);

/** @type {(value: string) => string} */
function cleanValue(value) {
  if (value.length > MOST_CHARACTERS) return REMOVED;
  return value.includes("://") ? cleanUrl(value) : withoutKeys(value);
}

/** @type {(url: string) => string} */
export function cleanUrl(url) {
  if (url.length > MOST_CHARACTERS) return REMOVED;
  const cleaned = url.replace(USER, "").replace(PARAMETER, (whole, name) => {
    return isKeptParameter(name) ? whole : `${name}=${REMOVED}`;
  });
  return withoutKeys(cleaned);
}

/** @type {(name: string) => boolean} */
const isKeptParameter = (name) => KEPT_PARAMETERS.has(unescaped(name).toLowerCase());

/** @type {(text: string) => string} */
function unescaped(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// -- what bodies repeat ---------------------------------------------------------------------------

/** The credentials of a call as its bodies may spell them, the longest first.
 * @type {(url: string, headers: Headers) => Bytes[]} */
export function secretsOf(url, headers) {
  const found = new Set([...carried(url, headers)].map((text) => text.trim()).filter(isWorth));
  const spelt = new Set([...found].slice(0, MOST_SECRETS).flatMap(spellings));
  return [...spelt].map(bytesOf).sort((a, b) => b.length - a.length);
}

/** @type {(url: string, headers: Headers) => Generator<string>} */
function* carried(url, headers) {
  for (const [name, value] of headers) {
    if (isCredential(name) && !isKeptOfRequests(name)) yield* ofValue(value.trim());
    yield* value.slice(0, MOST_CHARACTERS).match(KEY) ?? [];
  }
  url = url.slice(0, MOST_CHARACTERS);
  for (const [user] of url.matchAll(USER))
    yield unescaped(user.slice(0, -1).replace(/^[^:]*:?/, ""));
  for (const [, name, value] of url.matchAll(PARAMETER)) {
    if (!isKeptParameter(name)) yield unescaped(value);
  }
}

/** @type {(value: string) => Generator<string>} */
function* ofValue(value) {
  const scheme = SCHEME.exec(value);
  const secret = scheme ? value.slice(scheme[0].length) : value;
  yield secret;
  if (scheme?.[1].toLowerCase() === "basic") {
    const userAndPassword = fromBase64(secret);
    yield userAndPassword;
    yield userAndPassword.slice(userAndPassword.indexOf(":") + 1);
  }
  for (const each of secret.split(";")) yield each.slice(each.indexOf("=") + 1);
}

/** Not so short or plain that it would blank out words. @type {(secret: string) => boolean} */
export function isWorth(secret) {
  if (secret.length < 8) return false;
  if (/\d/.test(secret)) return secret.length >= 16 || /\p{L}/u.test(secret);
  const isMixed = /^[\p{L}]+$/u.test(secret) && /\p{Ll}/u.test(secret) && /\p{Lu}/u.test(secret);
  return secret.length >= 20 || (isMixed && secret.length >= 16);
}

/** @type {(secret: string) => string[]} */
function spellings(secret) {
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [secret, inJson, inJson.replaceAll("/", "\\/"), encodeURIComponent(secret)];
}

/** With `*` in place of each byte of a secret. The body itself where none is in it.
 * @type {(body: Bytes, secrets: Bytes[]) => Bytes} */
export function mask(body, secrets) {
  let masked = body;
  for (const secret of secrets) {
    for (let at = indexOf(masked, secret, 0); at >= 0; at = indexOf(masked, secret, at)) {
      if (masked === body) masked = copyOf(body);
      masked.fill(ASTERISK, at, at + secret.length);
    }
  }
  return masked;
}

/** @type {(body: Bytes, secrets: Bytes[]) => Bytes} */
export function maskRequestBody(body, secrets) {
  // As Latin-1 each byte is one character, so that places are kept.
  const text = latin1Of(mask(body, secrets));
  const masked = text.replace(MEMBER, (whole, value) => {
    return `${whole.slice(0, -value.length - 1)}${"*".repeat(value.length)}"`;
  });
  return ofLatin1(masked);
}
