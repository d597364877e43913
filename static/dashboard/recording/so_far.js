// What the live stream tells of a response beside its columns, as inspector/core/so_far.py has it.

/**
 * @import { Columns } from "../tape.js"
 * @typedef {{ choice: number, kind: string, type: string, name: string | null, lane: number | null,
 *   first_event: number | null, last_event: number | null, is_closed: boolean }} BlockSoFar
 * @typedef {{ choice: number, reason: unknown, event: number }} FinishSoFar
 * @typedef {{ byte_length: number, events: number, dialect: string | null, model: string | null,
 *   finishes: FinishSoFar[], open_block: number | null, blocks: BlockSoFar[],
 *   usage: Record<string, number | null> | null, first_byte_us: number | null,
 *   first_reasoning_us: number | null, first_content_us: number | null,
 *   first_tool_call_us: number | null, longest_gap_us: number | null, error: string | null }} HeadSoFar
 * @typedef {Partial<Columns> & { starts_over: boolean, head: HeadSoFar, now_us: number }} Append
 */

/** @type {(data: string) => Append} */
export function appendOf(data) {
  return JSON.parse(data);
}

// First-times as flags of the timeline.
/** @type {(head: HeadSoFar) => [name: string, kind: string, at_us: number][]} */
export function firstsOf(head) {
  /** @type {[string, string, number | null][]} */
  const all = [
    ["byte", "", head.first_byte_us],
    ["reasoning", "reasoning", head.first_reasoning_us],
    ["content", "content", head.first_content_us],
    ["tool call", "tool", head.first_tool_call_us],
  ];
  return all.flatMap(([name, kind, at]) => (at === null ? [] : [[name, kind, at]]));
}

/** @type {(finish: FinishSoFar) => string} */
export function reasonOf({ reason }) {
  return typeof reason === "string" ? reason : JSON.stringify(reason);
}

/** @type {(head: HeadSoFar) => number | null} */
export function firstTokenOf(head) {
  const known = [head.first_reasoning_us, head.first_content_us, head.first_tool_call_us];
  const times = known.filter((at) => at !== null);
  return times.length ? Math.min(...times) : null;
}
