// Characters of a traced text: from a place in the page to a place in its lane, and back. A lane
// counts in UTF-16 units, as a browser does; a bracketed name is the one character it names
// (data-code), what stands beside the text is none (data-uncopied), and a gap is as many as were left
// out there (data-units).

/** @typedef {{ node: Text | HTMLElement, length: number }} Leaf */

import { all } from "../elements.js";

export const TRACED = "[data-lane]";

/** @type {(element: HTMLElement) => number} */
function lengthOf({ dataset: { code, units } }) {
  if (code) return parseInt(code, 16) > 0xffff ? 2 : 1;
  return Number(units ?? 0);
}

// In order: text nodes, and elements that stand for characters, or for none.
/** @type {(element: Element) => Generator<Leaf>} */
function* leaves(element) {
  for (const node of element.childNodes) {
    if (node instanceof Text) yield { node, length: node.data.length };
    else if (!(node instanceof HTMLElement)) continue;
    else if (node.dataset.code || "uncopied" in node.dataset)
      yield { node, length: lengthOf(node) };
    else yield* leaves(node);
  }
}

/** @type {(node: Node) => node is Text} */
const isText = (node) => node instanceof Text;

// The lane's characters that stand in an element: first and end.
/** @type {(element: HTMLElement) => [first: number, end: number]} */
export function extentOf(element) {
  let end = Number(element.dataset.start);
  for (const { length } of leaves(element)) end += length;
  return [Number(element.dataset.start), end];
}

// How many units stand before one end of a range; a name is taken whole.
/** @type {(element: HTMLElement, node: Node, offset: number, isEnd: boolean) => number} */
function unitsBefore(element, node, offset, isEnd) {
  let units = Number(element.dataset.start);
  const next = isText(node) ? null : node.childNodes[offset];
  for (const leaf of leaves(element)) {
    if (leaf.node === node && isText(node)) return units + offset;
    if (leaf.node === next || next?.contains(leaf.node)) return units;
    if (leaf.node.contains(node)) return units + (isEnd ? leaf.length : 0);
    const order = leaf.node.compareDocumentPosition(node);
    const isBehind = (order & Node.DOCUMENT_POSITION_PRECEDING) !== 0;
    if (isBehind && !isText(node) && !next && !node.contains(leaf.node)) return units;
    units += leaf.length;
  }
  return units;
}

// What a range selects of the lane, cut to the element: first unit and end.
/** @type {(element: HTMLElement, range: Range) => [start: number, end: number]} */
export function unitsOf(element, range) {
  const [first, last] = extentOf(element);
  const start = element.contains(range.startContainer)
    ? unitsBefore(element, range.startContainer, range.startOffset, false)
    : first;
  const end = element.contains(range.endContainer)
    ? unitsBefore(element, range.endContainer, range.endOffset, true)
    : last;
  return [start, end];
}

/** @type {(range: Range, side: "Start" | "End", leaf: Leaf, offset: number) => void} */
function put(range, side, { node }, offset) {
  if (isText(node)) range[`set${side}`](node, offset);
  else if (offset) range[`set${side}After`](node);
  else range[`set${side}Before`](node);
}

// The page's ranges for some characters of the lane; what stands between them is left out.
/** @type {(element: HTMLElement, start: number, end: number) => Range[]} */
export function rangesOf(element, start, end) {
  /** @type {Range[]} */
  const ranges = [];
  /** @type {Range | null} */
  let open = null;
  let at = Number(element.dataset.start);
  for (const leaf of leaves(element)) {
    const from = Math.max(start - at, 0);
    const to = Math.min(end - at, leaf.length);
    at += leaf.length;
    const isGap = !isText(leaf.node) && leaf.node.dataset.units;
    if (from < to && !isGap) {
      if (!open) {
        open = new Range();
        ranges.push(open);
      }
      if (open.collapsed) put(open, "Start", leaf, from);
      put(open, "End", leaf, to);
    } else if (leaf.node.textContent) open = null;
    if (at >= end) break;
  }
  return ranges;
}

// The characters themselves, no more than asked for.
/** @type {(ranges: Range[], most: number) => string} */
export function wordsOf(ranges, most) {
  let text = "";
  for (const range of ranges) {
    if (text.length > most) break;
    text += range.toString();
  }
  return text.length > most ? `${text.slice(0, most)} …` : text;
}

// The text that shows these characters, the first of several.
/** @type {(lane: number, start: number, end: number) => HTMLElement | undefined} */
export function textWith(lane, start, end) {
  return all(document, `${TRACED}[data-lane="${lane}"]`, HTMLElement).find((element) => {
    const [first, last] = extentOf(element);
    return first <= start && end <= last && rangesOf(element, start, end).length > 0;
  });
}
