"use strict";

const shaded = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");

// As on every page: what was chosen in this browser, else what the system has.
function shade() {
  const { theme } = shaded.dataset;
  shaded.classList.toggle("dark-mode", theme ? theme === "dark" : dark.matches);
}
dark.addEventListener("change", shade);
document.addEventListener("theme", shade);
shade();

const place = document.getElementById("docs") ?? document.body;

SwaggerUIBundle({
  url: place.dataset.schema,
  domNode: place,
  deepLinking: true,
  // Its validator is a service of another host.
  validatorUrl: null,
  // A key that was typed in stays in this page and is gone with it.
  persistAuthorization: false,
});
