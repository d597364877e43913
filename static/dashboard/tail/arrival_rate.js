// How many came in the last minute; before a minute has passed, how many that would be.

const MINUTE_MS = 60_000;
const SOON_MS = 10_000;

export class ArrivalRate {
  /** @param {number} begun in milliseconds */
  constructor(begun) {
    this.begun = begun;
    /** @type {[at: number, number: number][]} */
    this.arrivals = [];
  }

  /** @type {(at: number, number: number) => void} */
  note(at, number) {
    if (number > 0) this.arrivals.push([at, number]);
  }

  // null as long as there is nothing to count by.
  /** @type {(now: number) => { number: number, isWhole: boolean } | null} */
  aMinute(now) {
    this.arrivals = this.arrivals.filter(([at]) => at > now - MINUTE_MS);
    const passed = Math.min(now - this.begun, MINUTE_MS);
    if (passed < SOON_MS) return null;
    const number = this.arrivals.reduce((sum, [, each]) => sum + each, 0);
    return { number: Math.round((number * MINUTE_MS) / passed), isWhole: passed === MINUTE_MS };
  }

  /** @type {(now: number) => string} */
  words(now) {
    const found = this.aMinute(now);
    if (!found) return "New captures come in at the top.";
    return `${found.isWhole ? "" : "≈ "}${found.number.toLocaleString("en-US")} a minute`;
  }
}
