// Batches in files of a folder, until the server takes them. Processes may share the folder: the same
// file sent by two of them is stored once, for each line has its idempotency key.

import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

/** Of the folder, whoever wrote it. */
export const SPOOL_BYTES = 256 * 1024 * 1024;
const ENDING = ".ndjson";

/** @typedef {import("./envelope.js").Line} Line */

/** Throws as the disk does. Synchronous, so that the end of a program can use it. */
export class Spool {
  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder;
  }

  /** False where the folder would become too large. @type {(lines: Line[]) => boolean} */
  write(lines) {
    fs.mkdirSync(this.folder, { mode: 0o700, recursive: true });
    const text = Buffer.concat(lines.map((line) => line.text));
    if (this.size() + text.length > SPOOL_BYTES) return false;
    const name = `${String(Date.now()).padStart(17, "0")}000-${randomUUID()}`;
    const unfinished = path.join(this.folder, `${name}.tmp`);
    fs.writeFileSync(unfinished, text, { mode: 0o600, flag: "wx" });
    fs.renameSync(unfinished, path.join(this.folder, name + ENDING));
    return true;
  }

  size() {
    // Another process may have sent one meanwhile.
    const sizes = this.files().map(
      (file) => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0,
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  /** @type {() => string | undefined} */
  oldest() {
    return this.files().sort()[0];
  }

  /** @type {() => string[]} */
  files() {
    if (!fs.existsSync(this.folder)) return [];
    const names = fs.readdirSync(this.folder).filter((name) => name.endsWith(ENDING));
    return names.map((name) => path.join(this.folder, name));
  }

  /** @type {(file: string) => Line[]} */
  read(file) {
    const lines = fs.readFileSync(file, "utf8").split("\n").filter(Boolean);
    return lines.map((line) => ({ id: "", text: Buffer.from(`${line}\n`) }));
  }

  /** @param {string} file */
  remove(file) {
    fs.rmSync(file, { force: true });
  }
}
