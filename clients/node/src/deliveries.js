// The deliveries of this process: one for each server, key and spool, ended with the program.

import { Delivery } from "./delivery.js";
import { summed } from "./ledger.js";
import { limits } from "./limits.js";
import { Spool } from "./spool.js";

/** @type {Map<string, Delivery>} */
const deliveries = new Map();

/** Throws for an address that is none. @type {(url: string, key: string, spool: string) => Delivery} */
export function deliveryTo(url, key, spool) {
  const place = JSON.stringify([url, key, spool]);
  let delivery = deliveries.get(place);
  if (!delivery) {
    if (!deliveries.size) endWithProgram();
    delivery = new Delivery(url, key, spool ? new Spool(spool) : null);
    deliveries.set(place, delivery);
  }
  return delivery;
}

export const counts = () => summed([...deliveries.values()].map(({ ledger }) => ledger.counts));

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
