// The text of one lane as it stood when some of its pieces had come.

// What the pieces add up to: its state is a prefix.
/**
 * @import { SnapshotPiece } from "../tape.js"
 * @import { Column } from "./column.js"
 */

export class GrowingText {
  constructor() {
    this.whole = "";
  }

  /** @type {(more: string) => void} */
  add(more) {
    this.whole += more;
  }

  /** @type {(length: number) => string} */
  at(length) {
    return this.whole.slice(0, length);
  }

  // What one piece of a lane brought.
  /** @type {(lane: { start: Column, end: Column }, position: number) => string} */
  piece({ start, end }, position) {
    return this.whole.slice(start.values[position], end.values[position]);
  }
}

// Pieces that each say everything again, as [characters kept of the one before, the others].
export class SnapshotText {
  constructor() {
    /** @type {SnapshotPiece[]} */
    this.pieces = [];
  }

  /** @type {(pieces: SnapshotPiece[]) => void} */
  add(pieces) {
    for (const piece of pieces) this.pieces.push(piece);
  }

  /** @type {(lane: unknown, position: number) => string} */
  piece(_, position) {
    return this.pieces[position]?.[1] ?? "";
  }

  // Looks back only as far as something of the piece was said by another.
  /** @type {(length: number, passed: number) => string} */
  at(_, passed) {
    const parts = [];
    let missing = Infinity;
    for (let position = passed - 1; position >= 0 && missing > 0; position--) {
      const [shared, rest] = this.pieces[position];
      if (shared >= missing) continue;
      parts.push(missing === Infinity ? rest : rest.slice(0, missing - shared));
      missing = shared;
    }
    return parts.reverse().join("");
  }
}
