// What is not sent yet when a page ends, is sent as far as browsers let an ending page send.

import { KEEPALIVE_BYTES } from "./connection.js";
import { Reason } from "./ledger.js";

/** @typedef {import("./delivery.js").Delivery} Delivery */

/** @param {Delivery} delivery */
export function sendRest(delivery) {
  for (const recording of [...delivery.open]) recording.stopped();
  const lines = [];
  let size = 0;
  for (const recording of [...delivery.held.values(), ...delivery.queue.splice(0)]) {
    delivery.held.set(recording.id, recording);
    const line = delivery.line(recording);
    if (line === null) continue;
    size += line.text.length;
    if (size > KEEPALIVE_BYTES) {
      size -= line.text.length;
      delivery.drop(recording.id, Reason.EXIT);
    } else lines.push(line);
  }
  if (lines.length) finish(delivery, lines);
}

/** @type {(delivery: Delivery, lines: import("./envelope.js").Line[]) => Promise<void>} */
async function finish(delivery, lines) {
  const answer = await delivery.connection.post(lines, true);
  delivery.isFailing = false;
  const left = delivery.judge(lines, answer);
  for (const line of left) delivery.drop(line.id, Reason.EXIT);
}
