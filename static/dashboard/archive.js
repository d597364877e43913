// The archive.

import "./counts.js";
import { around } from "./elements.js";
import "./histogram.js";
import "./query_box.js";
import "./rows.js";
import "./selection.js";

// Where there is no room beside the rows, facets stand above them when asked for.
document.addEventListener("click", (event) => {
  const link = around(event.target, ".open-facets", HTMLElement);
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  document.getElementById("facets")?.classList.toggle("shown");
});

// What is selected is nobody's business but this page's.
document.addEventListener("htmx:configRequest", (event) => {
  if (event.detail.elt.id === "live") delete event.detail.parameters.capture;
});
