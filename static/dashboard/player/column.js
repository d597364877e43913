// A typed array that grows at its end, and the search in one whose values never fall.

/** @typedef {Float64Array | Uint32Array | Int32Array | Uint8Array} Numbers */

export class Column {
  /** @param {new (length: number) => Numbers} Kind */
  constructor(Kind) {
    this.Kind = Kind;
    this.values = new Kind(64);
    this.length = 0;
  }

  /** @type {(value: number) => void} */
  push(value) {
    if (this.length === this.values.length) this.reserve(1);
    this.values[this.length++] = value;
  }

  /** @type {(list: ArrayLike<number>) => void} */
  extend(list) {
    this.reserve(list.length);
    this.values.set(list, this.length);
    this.length += list.length;
  }

  /** @type {(more: number) => void} */
  reserve(more) {
    const needed = this.length + more;
    if (needed <= this.values.length) return;
    const grown = new this.Kind(Math.max(needed, this.values.length * 2));
    grown.set(this.values);
    this.values = grown;
  }

  get last() {
    return this.length ? this.values[this.length - 1] : undefined;
  }

  clear() {
    this.length = 0;
  }
}

// The first position whose value lies beyond the wanted one.
/** @type {(column: Column, wanted: number) => number} */
export function after(column, wanted) {
  let low = 0;
  let high = column.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column.values[middle] <= wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
