// The bytes that are inspected and stored. A text box knows LF only, so what came with other line
// ends, or as a file, is kept beside it until somebody edits the text.

const SHOWN_BYTES = 1_000_000;

export class Evidence {
  constructor(box) {
    this.box = box;
    this.exact = null;
    this.pasted = null;
    this.replacesAll = false;
  }

  get blob() { return this.exact?.blob ?? new Blob([this.box.value]); }

  get name() { return this.exact?.name ?? ""; }

  get words() { return this.exact?.words ?? ""; }

  // Before the browser puts it into the box.
  notePaste(text) {
    const { selectionStart, selectionEnd, value } = this.box;
    this.replacesAll = selectionEnd - selectionStart === value.length;
    this.pasted = text;
  }

  noteInput(kind) {
    const kept = kind === "insertFromPaste" && this.replacesAll && this.pasted?.includes("\r");
    this.exact = kept
      ? { blob: new Blob([this.pasted]), name: "", words: "line ends kept as pasted" }
      : null;
    this.pasted = null;
  }

  async take(file) {
    this.exact = { blob: file, name: file.name, words: "byte for byte" };
    const text = file.size > SHOWN_BYTES ? null : decoded(await file.arrayBuffer());
    this.box.value = text ?? "";
    if (text === null) this.exact.words = file.size > SHOWN_BYTES ? "too long to show here" : "not UTF-8, so not shown here";
  }
}

function decoded(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
