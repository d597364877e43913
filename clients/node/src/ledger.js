// Counts what became of each call. Nothing is lost without being counted.

/** @typedef {import("../index.d.ts").Counts} Counts */

export const Reason = {
  QUEUE_FULL: "the queue is full",
  SPOOL_FULL: "the spool is full",
  KEY_REFUSED: "the server refuses the key",
  REFUSED: "the server refuses the capture",
  TOO_LARGE: "larger than the server takes",
  NOT_RECORDED: "could not be recorded",
  EXIT: "the program ended first",
};

/** @type {() => Counts} */
export const noCounts = () => ({
  called: 0,
  open: 0,
  waiting: 0,
  sent: 0,
  spooled: 0,
  dropped: 0,
  droppedBecause: {},
  skipped: 0,
  sentFromSpool: 0,
});

/** @type {(all: Counts[]) => Counts} */
export function summed(all) {
  const sum = noCounts();
  for (const { droppedBecause, ...numbers } of all) {
    for (const [name, count] of Object.entries(numbers)) {
      sum[/** @type {keyof typeof numbers} */ (name)] += count;
    }
    for (const [reason, count] of Object.entries(droppedBecause)) {
      sum.droppedBecause[reason] = (sum.droppedBecause[reason] ?? 0) + count;
    }
  }
  return sum;
}

export class Ledger {
  /** @param {number} maxCalls @param {number} maxBytes */
  constructor(maxCalls, maxBytes) {
    this.maxCalls = maxCalls;
    this.maxBytes = maxBytes;
    this.counts = noCounts();
    this.waitingBytes = 0;
  }

  begin() {
    this.counts.called += 1;
    this.counts.open += 1;
  }

  /** A call has ended, with so many bytes to be kept. False where it had to be dropped.
   * @type {(bytes: number) => boolean} */
  arrive(bytes) {
    this.counts.open -= 1;
    const isFull =
      this.counts.waiting >= this.maxCalls || this.waitingBytes + bytes > this.maxBytes;
    if (isFull) this.drop(1, Reason.QUEUE_FULL);
    else {
      this.counts.waiting += 1;
      this.waitingBytes += bytes;
    }
    return !isFull;
  }

  /** A call that is open could not be recorded. */
  abandon() {
    this.counts.open -= 1;
    this.drop(1, Reason.NOT_RECORDED);
  }

  /** @type {(fate: "sent" | "spooled" | "dropped", bytes: number, reason?: string) => void} */
  settle(fate, bytes, reason = "") {
    this.counts.waiting -= 1;
    this.waitingBytes -= bytes;
    if (fate === "dropped") this.drop(1, reason);
    else this.counts[fate] += 1;
  }

  /** @type {(calls: number, reason: string) => void} */
  drop(calls, reason) {
    this.counts.dropped += calls;
    this.counts.droppedBecause[reason] = (this.counts.droppedBecause[reason] ?? 0) + calls;
  }
}
