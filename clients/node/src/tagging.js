// Labels that are valid where the code of a program is running.

import { AsyncLocalStorage } from "node:async_hooks";
import { joined } from "./labels.js";

/** @typedef {import("./labels.js").Labels} Labels */

/** @type {AsyncLocalStorage<Labels>} */
const current = new AsyncLocalStorage();

/** @type {() => Labels} */
export const currentLabels = () => current.getStore() ?? { tags: [], metadata: {} };

/**
 * @template Result
 * @param {{tags?: string[]} & Record<string, unknown>} labels
 * @param {() => Result} run
 * @returns {Result}
 */
export function tagged({ tags = [], ...metadata }, run) {
  return current.run(joined(currentLabels(), { tags, metadata }), run);
}
