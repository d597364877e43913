// What differs between a page and Node; `clients/node/src/runtime.js` is the other one.

/** @typedef {Uint8Array<ArrayBufferLike>} Bytes */

/** @type {(message: string) => void} */
export const warn = (message) => console.warn(`Response Inspector: ${message}`);

/** A page has no variables. @type {() => Record<string, string | undefined>} */
export const environment = () => ({});

/** @type {() => import("./labels.js").Labels} */
export const currentLabels = () => ({ tags: [], metadata: {} });

/** As the page asks for it; workers have no document. @type {(url: string) => string} */
export function absolute(url) {
  const base = globalThis.document?.baseURI ?? location.href;
  return URL.canParse(url, base) ? new URL(url, base).href : url;
}

/** Runs it when the page has done what it is at. @type {(run: () => void) => void} */
export const later = (run) => {
  setTimeout(run, 0);
};

/** @type {(run: () => void, milliseconds: number) => ReturnType<typeof setTimeout>} */
export const timer = (run, milliseconds) => setTimeout(run, milliseconds);

/** Pages without TLS have no `crypto.randomUUID`. @type {() => string} */
export function randomUUID() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

const encoder = new TextEncoder();
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Arguments that a call of a function may have. */
const AT_ONCE = 8192;

/** @type {(text: string) => Bytes} */
export const bytesOf = (text) => encoder.encode(text);

/** @type {(data: Bytes) => Bytes} */
export const copyOf = (data) => new Uint8Array(data);

/** @type {(pieces: Bytes[]) => Bytes} */
export function concat(pieces) {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Null where the bytes are no UTF-8. @type {(data: Bytes) => string | null} */
export function textOf(data) {
  try {
    return strict.decode(data);
  } catch {
    return null;
  }
}

/** @type {(data: Bytes) => string} */
export const base64Of = (data) => btoa(latin1Of(data));

/** @type {(text: string) => string} */
export function fromBase64(text) {
  try {
    return new TextDecoder().decode(ofLatin1(atob(text)));
  } catch {
    return "";
  }
}

/** Each byte as one character: the decoder of that name knows another coding.
 * @type {(data: Bytes) => string} */
export function latin1Of(data) {
  let text = "";
  for (let at = 0; at < data.length; at += AT_ONCE) {
    text += String.fromCharCode(...data.subarray(at, at + AT_ONCE));
  }
  return text;
}

/** @type {(text: string) => Bytes} */
export const ofLatin1 = (text) => Uint8Array.from(text, (character) => character.charCodeAt(0));

/** Where it begins, or -1. @type {(data: Bytes, piece: Bytes, from: number) => number} */
export function indexOf(data, piece, from) {
  for (let at = data.indexOf(piece[0], from); at >= 0; at = data.indexOf(piece[0], at + 1)) {
    if (piece.every((byte, place) => data[at + place] === byte)) return at;
  }
  return -1;
}
