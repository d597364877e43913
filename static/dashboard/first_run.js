// The first page says that it changes by itself.

document.getElementById("by-itself").hidden = false;
