// The deliveries of this process: one for each server, key and spool, ended with the program.

import { Delivery } from "./delivery.js";
import { noCounts } from "./ledger.js";
import { limits } from "./limits.js";

/** @type {Map<string, Delivery>} */
const deliveries = new Map();

/** Throws for an address that is none. @type {(url: string, key: string, spool: string) => Delivery} */
export function deliveryTo(url, key, spool) {
  const place = JSON.stringify([url, key, spool]);
  let delivery = deliveries.get(place);
  if (!delivery) {
    if (!deliveries.size) endWithProgram();
    delivery = new Delivery(url, key, spool);
    deliveries.set(place, delivery);
  }
  return delivery;
}

/** @type {() => import("../index.d.ts").Counts} */
export function counts() {
  const sum = noCounts();
  for (const { ledger } of deliveries.values()) {
    const { droppedBecause, ...numbers } = ledger.counts;
    for (const [name, count] of Object.entries(numbers)) {
      const key = /** @type {keyof typeof numbers} */ (name);
      sum[key] += count;
    }
    for (const [reason, count] of Object.entries(droppedBecause)) {
      sum.droppedBecause[reason] = (sum.droppedBecause[reason] ?? 0) + count;
    }
  }
  return sum;
}

/** @type {(milliseconds?: number) => Promise<boolean>} */
export async function flush(milliseconds = limits.exitMilliseconds) {
  const done = await Promise.all([...deliveries.values()].map((each) => each.flush(milliseconds)));
  return done.every(Boolean);
}

function endWithProgram() {
  // Comes again whenever something was done: once is enough, unless more calls ended meanwhile.
  process.on("beforeExit", async () => {
    const waiting = [...deliveries.values()].filter((each) => each.ledger.counts.waiting);
    const answering = waiting.filter((each) => !each.isFailing && !each.isClosed);
    for (const each of answering) if (!(await each.flush(limits.exitMilliseconds))) each.close();
  });
  process.on("exit", () => {
    for (const each of deliveries.values()) each.close();
  });
}
