// What differs between Node and a page; `clients/browser/runtime.js` is the other one.

import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";

export { currentLabels } from "./tagging.js";
export { randomUUID };

/** @typedef {Uint8Array<ArrayBufferLike>} Bytes */

/** @type {(message: string) => void} */
export const warn = (message) => process.emitWarning(message, "ResponseInspectorWarning");

export const environment = () => process.env;

/** Programs name addresses in full. @type {(url: string) => string} */
export const absolute = (url) => url;

/** Runs it when the program has done what it is at. @type {(run: () => void) => void} */
export const later = (run) => {
  setImmediate(run);
};

/** A timer that holds no program.
 * @type {(run: () => void, milliseconds: number) => NodeJS.Timeout} */
export const timer = (run, milliseconds) => setTimeout(run, milliseconds).unref();

/** @type {(text: string) => Bytes} */
export const bytesOf = (text) => Buffer.from(text);

/** @type {(data: Bytes) => Bytes} */
export const copyOf = (data) => Buffer.from(data);

/** @type {(pieces: Bytes[]) => Bytes} */
export const concat = (pieces) => Buffer.concat(pieces);

/** Null where the bytes are no UTF-8. @type {(data: Bytes) => string | null} */
export const textOf = (data) => (isUtf8(data) ? asBuffer(data).toString() : null);

/** @type {(data: Bytes) => string} */
export const base64Of = (data) => asBuffer(data).toString("base64");

/** @type {(text: string) => string} */
export const fromBase64 = (text) => Buffer.from(text, "base64").toString();

/** Each byte as one character. @type {(data: Bytes) => string} */
export const latin1Of = (data) => asBuffer(data).toString("latin1");

/** @type {(text: string) => Bytes} */
export const ofLatin1 = (text) => Buffer.from(text, "latin1");

/** Where it begins, or -1. @type {(data: Bytes, piece: Bytes, from: number) => number} */
export const indexOf = (data, piece, from) => asBuffer(data).indexOf(piece, from);

/** @type {(data: Bytes) => Buffer} */
const asBuffer = (data) => Buffer.from(data.buffer, data.byteOffset, data.byteLength);
