// The selection in the raw panel: its rows, and in them the exact bytes, as text and hexadecimal.

/**
 * @typedef {[first: number, end: number]} Bytes
 * @typedef {{ node: Text | HTMLElement, length: number, isAway?: boolean }} Leaf
 */

import { all } from "../elements.js";

const encoder = new TextEncoder();

/** @type {(node: Text | HTMLElement) => number} */
function byteLength(node) {
  if (node instanceof Text) return encoder.encode(node.data).length;
  const code = parseInt(node.dataset.code ?? "", 16);
  // A byte that is no UTF-8 is kept as half of a pair.
  return code >= 0xdc80 && code <= 0xdcff ? 1 : encoder.encode(String.fromCodePoint(code)).length;
}

/** @type {(element: Element) => Generator<Leaf>} */
function* leaves(element) {
  for (const node of element.childNodes) {
    if (node instanceof Text) yield { node, length: byteLength(node) };
    else if (!(node instanceof HTMLElement) || node.localName === "summary") continue;
    else if (node.dataset.length) yield { node, length: Number(node.dataset.length), isAway: true };
    else if (node.dataset.code) yield { node, length: byteLength(node) };
    else yield* leaves(node);
  }
}

// The place in a text node before which so many bytes of UTF-8 stand.
/** @type {(text: string, bytes: number) => number} */
function offsetIn(text, bytes) {
  let at = 0;
  for (const character of text) {
    if (bytes <= 0) break;
    bytes -= encoder.encode(character).length;
    at += character.length;
  }
  return at;
}

/** @type {(node: Text | HTMLElement, from: number, to: number) => Range} */
function rangeIn(node, from, to) {
  const range = new Range();
  if (node instanceof Text) {
    range.setStart(node, offsetIn(node.data, from));
    range.setEnd(node, offsetIn(node.data, to));
  } else range.selectNode(node);
  return range;
}

// Bytes of a row of text, counted from its first.
/** @type {(cell: Element, start: number, end: number) => Generator<Range>} */
function* inText(cell, start, end) {
  let at = 0;
  for (const { node, length, isAway } of leaves(cell)) {
    const from = Math.max(start - at, 0);
    const to = Math.min(end - at, length);
    if (from < to && !isAway) yield rangeIn(node, from, to);
    at += length;
  }
}

// Cells of a row of hexadecimal: three characters for each byte but the last, one in its ASCII.
/** @type {(row: HTMLTableRowElement, start: number, end: number) => Generator<Range>} */
function* inHex(row, start, end) {
  const [, digits, letters] = row.cells;
  yield* inText(digits, start * 3, end * 3 - 1);
  let at = 0;
  for (const { node } of leaves(letters)) {
    if (!(node instanceof Text)) continue;
    const from = Math.max(start - at, 0);
    const to = Math.min(end - at, node.data.length);
    if (from < to) {
      const range = new Range();
      range.setStart(node, from);
      range.setEnd(node, to);
      yield range;
    }
    at += node.data.length;
  }
}

/** @type {(row: HTMLElement) => number[]} */
export function bytesOf(row) {
  return (row.dataset.bytes ?? "").split("-").map(Number);
}

// Which of the ordered, disjoint ranges reach into a row.
/** @type {(ranges: Bytes[], first: number, end: number) => Generator<Bytes>} */
function* reaching(ranges, first, end) {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[middle][1] <= first) low = middle + 1;
    else high = middle;
  }
  for (let i = low; i < ranges.length && ranges[i][0] < end; i++) yield ranges[i];
}

// Lights the rows of these bytes and gives the ranges of the bytes themselves. ``isOf`` tells of a row
// whose bytes are not told one by one whether an event of the selection stands in it.
/** @type {(ranges: Bytes[], isOf?: (first: number, end: number) => boolean) => Range[]} */
export function lightRows(ranges, isOf = () => false) {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0]);
  /** @type {Range[]} */
  const lit = [];
  for (const row of all(document, "#raw tr[data-bytes]", HTMLTableRowElement)) {
    const [first, end] = bytesOf(row);
    const parts = [...reaching(sorted, first, end)];
    const isLit = parts.length > 0 || isOf(first, end);
    row.classList.toggle("lit-row", isLit);
    if (row.matches(".run")) continue;
    for (const part of parts) {
      const [from, to] = [Math.max(part[0], first) - first, Math.min(part[1], end) - first];
      const isHex = row.closest("table.hex");
      lit.push(
        ...(isHex ? inHex(row, from, to) : inText(row.querySelector("td.t") ?? row, from, to)),
      );
    }
  }
  return lit;
}
