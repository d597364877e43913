"use strict";

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
