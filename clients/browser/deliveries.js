// The deliveries of this page: one for each server and key.

import { Delivery } from "./delivery.js";
import { summed } from "./ledger.js";
import { limits } from "./limits.js";
import { sendRest } from "./page_end.js";

/** @type {Map<string, Delivery>} */
const deliveries = new Map();

/** Throws for an address that is none. @type {(url: string, key: string) => Delivery} */
export function deliveryTo(url, key) {
  const place = JSON.stringify([url, key]);
  const delivery = deliveries.get(place) ?? new Delivery(url, key);
  if (!deliveries.size) addEventListener("pagehide", endWithPage);
  deliveries.set(place, delivery);
  return delivery;
}

/** What became of the calls of this page. */
export const counts = () => summed([...deliveries.values()].map(({ ledger }) => ledger.counts));

/** Resolves when everything that has ended is sent or dropped; to false where some still waits.
 * @type {(milliseconds?: number) => Promise<boolean>} */
export async function flush(milliseconds = limits.exitMilliseconds) {
  const done = await Promise.all([...deliveries.values()].map((each) => each.flush(milliseconds)));
  return done.every(Boolean);
}

function endWithPage() {
  for (const each of deliveries.values()) sendRest(each);
}
