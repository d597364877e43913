// The first page: copies its one command, and says that it changes by itself.

document.getElementById("by-itself").hidden = false;

const button = document.getElementById("copy");

async function copy() {
  await navigator.clipboard.writeText(document.getElementById("command").textContent);
  button.textContent = "Copied";
}

if (navigator.clipboard) {
  button.hidden = false;
  button.addEventListener("click", copy);
}
