// Which times of reads can be believed: those that no read before exceeds and none after undercuts.

/** @import { Column } from "./column.js" */

const LATEST_US = 2 ** 53;

// Extends `known` (1 or 0 a read) over the reads that are new; all are judged anew where one of them
// contradicts another. Tells whether any had to be.
/** @type {(at: Column, known: Column) => boolean} */
export function judge(at, known) {
  const from = known.length;
  if (continues(at, known, from)) {
    for (let read = from; read < at.length; read++) known.push(1);
    return false;
  }
  known.clear();
  judgeAll(at, known);
  return true;
}

/** @type {(at: Column, known: Column, from: number) => boolean} */
function continues({ values, length }, known, from) {
  let latest = 0;
  for (let read = 0; read < from; read++) if (!known.values[read]) return false;
  if (from) latest = values[from - 1];
  for (let read = from; read < length; read++) {
    if (!(values[read] >= latest && values[read] <= LATEST_US)) return false;
    latest = values[read];
  }
  return true;
}

/** @type {(at: Column, known: Column) => void} */
function judgeAll({ values, length }, known) {
  const least = new Float64Array(length);
  let earliest = LATEST_US;
  for (let read = length - 1; read >= 0; read--) {
    if (isPossible(values[read])) earliest = Math.min(earliest, values[read]);
    least[read] = earliest;
  }
  let latest = 0;
  for (let read = 0; read < length; read++) {
    const at = values[read];
    known.push(at >= latest && at <= least[read] ? 1 : 0);
    if (isPossible(at)) latest = Math.max(latest, at);
  }
}

/** @type {(at: number) => boolean} */
function isPossible(at) {
  return at >= 0 && at <= LATEST_US;
}
