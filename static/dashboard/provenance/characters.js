// Characters of a traced text: from a place in the page to a place in its lane, and back. A lane
// counts in UTF-16 units, as a browser does; a bracketed name is the one character it names
// (data-code), what stands beside the text is none (data-uncopied), and a gap is as many as were left
// out there (data-units).

export const TRACED = "[data-lane]";

function lengthOf(element) {
  if (element.dataset.code) return parseInt(element.dataset.code, 16) > 0xffff ? 2 : 1;
  return Number(element.dataset.units ?? 0);
}

// In order: text nodes, and elements that stand for characters, or for none.
function* leaves(element) {
  for (const node of element.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) yield { node, length: node.data.length };
    else if (node.nodeType !== Node.ELEMENT_NODE) continue;
    else if (node.dataset.code || "uncopied" in node.dataset) yield { node, length: lengthOf(node) };
    else yield* leaves(node);
  }
}

const isText = (node) => node.nodeType === Node.TEXT_NODE;

// The lane's characters that stand in an element: first and end.
export function extentOf(element) {
  let end = Number(element.dataset.start);
  for (const { length } of leaves(element)) end += length;
  return [Number(element.dataset.start), end];
}

// How many units stand before one end of a range; a name is taken whole.
function unitsBefore(element, node, offset, isEnd) {
  let units = Number(element.dataset.start);
  const next = isText(node) ? null : node.childNodes[offset];
  for (const leaf of leaves(element)) {
    if (leaf.node === node && isText(node)) return units + offset;
    if (leaf.node === next || next?.contains(leaf.node)) return units;
    if (leaf.node.contains(node)) return units + (isEnd ? leaf.length : 0);
    const isBehind = !isText(node) && !next && !node.contains(leaf.node)
      && leaf.node.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_PRECEDING;
    if (isBehind) return units;
    units += leaf.length;
  }
  return units;
}

// What a range selects of the lane, cut to the element: first unit and end.
export function unitsOf(element, range) {
  const [first, last] = extentOf(element);
  const start = element.contains(range.startContainer)
    ? unitsBefore(element, range.startContainer, range.startOffset, false) : first;
  const end = element.contains(range.endContainer)
    ? unitsBefore(element, range.endContainer, range.endOffset, true) : last;
  return [start, end];
}

function put(range, side, { node }, offset) {
  if (isText(node)) range[`set${side}`](node, offset);
  else range[`set${side}${offset ? "After" : "Before"}`](node);
}

// The page's ranges for some characters of the lane; what stands between them is left out.
export function rangesOf(element, start, end) {
  const ranges = [];
  let open = null;
  let at = Number(element.dataset.start);
  for (const leaf of leaves(element)) {
    const from = Math.max(start - at, 0);
    const to = Math.min(end - at, leaf.length);
    at += leaf.length;
    if (from < to && !leaf.node.dataset?.units) {
      if (!open) ranges.push(open = new Range());
      if (open.collapsed) put(open, "Start", leaf, from);
      put(open, "End", leaf, to);
    } else if (leaf.node.textContent) open = null;
    if (at >= end) break;
  }
  return ranges;
}

// The characters themselves, no more than asked for.
export function wordsOf(ranges, most) {
  let said = "";
  for (const range of ranges) {
    if (said.length > most) break;
    said += range.toString();
  }
  return said.length > most ? `${said.slice(0, most)} …` : said;
}

// The text that shows these characters, the first of several.
export function textWith(lane, start, end) {
  return [...document.querySelectorAll(`${TRACED}[data-lane="${lane}"]`)].find((element) => {
    const [first, last] = extentOf(element);
    return first <= start && end <= last && rangesOf(element, start, end).length > 0;
  });
}
