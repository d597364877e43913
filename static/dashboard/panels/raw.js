// The raw panel: hexadecimal follows the place in the text, the tree answers keys and tells where
// its focused value stands. Everything shown here is a link or a form without scripts too.

// -- forms -----------------------------------------------------------------------------------------

// What a form asks for becomes the page's address, as it would without scripts.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("form[data-pushes]")) return;
  const asked = [...new FormData(form)].filter(([, word]) => word !== "");
  const action = new URL(form.action);
  form.setAttribute("hx-push-url", `${action.pathname}?${new URLSearchParams(asked)}${action.hash}`);
}, true);

// -- beside the text ---------------------------------------------------------------------------------

function follow() {
  const [, kind, number] = location.hash.match(/^#(event|byte)-(\d+)$/) ?? [];
  const beside = document.querySelector("[data-around]");
  if (!kind || !beside || getComputedStyle(beside).display === "none") return;
  htmx.ajax("GET", `${beside.dataset.around}?${kind}=${number}`, { source: beside, target: beside, swap: "innerHTML" });
}

window.addEventListener("hashchange", follow);
follow();

// -- tree --------------------------------------------------------------------------------------------

const ROWS = "summary, .leaf";

function rowOf(node) {
  return node.querySelector(":scope > details > summary, :scope > .leaf");
}

function isVisible(row) {
  const inside = row.matches("summary") ? row.parentElement.parentElement : row;
  return !inside.closest("details:not([open])");
}

function visibleRows(tree) {
  return [...tree.querySelectorAll(`.node > .leaf, .node > details > summary`)].filter(isVisible);
}

function beyond(row, step) {
  const rows = visibleRows(row.closest("[data-tree]"));
  return rows[rows.indexOf(row) + step];
}

function open(row) {
  const details = row.closest("details");
  if (!row.matches("summary")) return null;
  if (details.open) return beyond(row, 1);
  details.open = true;
  return row;
}

function close(row) {
  const details = row.parentElement;
  if (row.matches("summary") && details.open) {
    details.open = false;
    return row;
  }
  const outer = row.closest(".node").parentElement.closest(".node");
  return outer && rowOf(outer);
}

const GO = {
  ArrowDown: (row) => beyond(row, 1),
  ArrowUp: (row) => beyond(row, -1),
  ArrowRight: open,
  ArrowLeft: close,
};

document.addEventListener("keydown", (event) => {
  const row = event.target.closest?.(`[data-tree] :is(${ROWS})`);
  if (!row || row !== event.target || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!(event.key in GO)) return;
  event.preventDefault();
  event.stopPropagation();
  GO[event.key](row)?.focus();
}, true);

function count(number) {
  return Number(number).toLocaleString("en");
}

function tell(node) {
  const told = document.querySelector(".tree-at");
  const { pointer, start, end } = node.dataset;
  document.getElementById("tree-pointer").textContent = pointer;
  told.querySelector("[data-when-whole]").textContent = pointer ? "" : "the whole value";
  told.querySelector("[data-bytes-words]").textContent = `bytes ${count(start)} to ${count(end)}`;
  const text = told.querySelector("[data-in-text]");
  text.href = text.href.replace(/byte=\d+.*/, `byte=${start}#byte-${start}`);
  const hex = told.querySelector("[data-in-hex]");
  for (const name of ["href", "hx-get", "hx-push-url"]) {
    const address = hex.getAttribute(name).replace(/([?&]byte=)\d+/, `$1${start}`);
    hex.setAttribute(name, address.replace(/([?&]until=)\d+/, `$1${end}`));
  }
  htmx.process(hex);
}

function told(event) {
  const node = event.target.closest?.("[data-tree] .node");
  if (node) tell(node);
}

document.addEventListener("focusin", told);
document.addEventListener("click", told);
