// The bytes that are inspected and stored. A text box knows LF only, so what came with other line
// ends, or as a file, is kept beside it until somebody edits the text.

const SHOWN_BYTES = 1_000_000;

export class Evidence {
  /** @param {Pick<HTMLTextAreaElement, "value" | "selectionStart" | "selectionEnd">} box */
  constructor(box) {
    this.box = box;
    /** @type {{ blob: Blob, name: string, words: string } | null} */
    this.exact = null;
    /** @type {string | null} */
    this.pasted = null;
    this.replacesAll = false;
  }

  get blob() {
    return this.exact?.blob ?? new Blob([this.box.value]);
  }

  get name() {
    return this.exact?.name ?? "";
  }

  get words() {
    return this.exact?.words ?? "";
  }

  // Before the browser puts it into the box.
  /** @type {(text: string) => void} */
  notePaste(text) {
    const { selectionStart, selectionEnd, value } = this.box;
    this.replacesAll = selectionEnd - selectionStart === value.length;
    this.pasted = text;
  }

  /** @type {(kind: string) => void} */
  noteInput(kind) {
    const { pasted } = this;
    const isWhole = kind === "insertFromPaste" && this.replacesAll;
    this.exact =
      isWhole && pasted?.includes("\r")
        ? { blob: new Blob([pasted]), name: "", words: "line ends kept as pasted" }
        : null;
    this.pasted = null;
  }

  /** @type {(file: File) => Promise<void>} */
  async take(file) {
    const exact = { blob: file, name: file.name, words: "byte for byte" };
    this.exact = exact;
    const isLong = file.size > SHOWN_BYTES;
    const text = isLong ? null : decoded(await file.arrayBuffer());
    // Another file, or an edit, came while this one was read.
    if (this.exact !== exact) return;
    this.box.value = text ?? "";
    if (text === null)
      exact.words = isLong ? "too long to show here" : "not UTF-8, so not shown here";
  }
}

/** @type {(bytes: ArrayBuffer) => string | null} */
function decoded(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
