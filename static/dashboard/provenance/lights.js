// How characters are lit: as highlights of their own, which leave the page's elements and what is
// selected alone. A browser that knows none shows its own selection instead.

const PRIORITY = { "traced-bytes": 0, "trace-rest": 1, pointed: 2, traced: 3 };
const MAX_EDGES = 300;

/** @type {(name: keyof typeof PRIORITY, ranges: Range[]) => void} */
export function light(name, ranges) {
  if (!CSS.highlights) return;
  if (!ranges.length) {
    CSS.highlights.delete(name);
    return;
  }
  const highlight = new Highlight();
  highlight.priority = PRIORITY[name];
  for (const range of ranges) highlight.add(range);
  CSS.highlights.set(name, highlight);
}

/** @type {Map<Element, () => void>} */
const watched = new Map();
const observer = new ResizeObserver((entries) => {
  for (const { target } of entries) watched.get(target)?.();
});

export function clearEdges() {
  for (const element of watched.keys()) element.querySelector(":scope > .chunk-edges")?.remove();
  observer.disconnect();
  watched.clear();
}

/** @type {(box: DOMRect, place: DOMRect) => HTMLElement} */
function edge(box, place) {
  const drawn = document.createElement("i");
  drawn.style.left = `${place.left - box.left}px`;
  drawn.style.top = `${place.top - box.top}px`;
  drawn.style.height = `${place.height}px`;
  return drawn;
}

// A hairline before each of these ranges; drawn again when the text flows otherwise.
/** @type {(element: HTMLElement, ranges: Range[]) => void} */
export function drawEdges(element, ranges) {
  const layer = document.createElement("span");
  layer.className = "chunk-edges";
  layer.setAttribute("aria-hidden", "true");
  layer.dataset.uncopied = "";
  element.append(layer);
  const draw = () => {
    const box = layer.getBoundingClientRect();
    const places = ranges
      .slice(0, MAX_EDGES)
      .map((range) => range.getClientRects()[0])
      .filter(Boolean);
    layer.replaceChildren(...places.map((place) => edge(box, place)));
  };
  watched.set(element, draw);
  observer.observe(element);
  draw();
}
