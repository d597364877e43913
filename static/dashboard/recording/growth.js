// What is told of a response that grows, as inspector/dashboard/capture/recording/growth.py has it.

/**
 * @import { Columns } from "../tape.js"
 * @typedef {{ choice: number, kind: string, type: string, name: string | null, lane: number | null,
 *   first_event: number | null, last_event: number | null, is_closed: boolean }} GrowingBlock
 * @typedef {{ byte_length: number, dialect: string | null, model: string | null,
 *   finishes: { choice: number, reason: string, ordinary: boolean }[],
 *   firsts: [name: string, kind: string, at_us: number][], first_token_us: number | null,
 *   first_content_us: number | null, open_block: number | null, blocks: GrowingBlock[],
 *   usage: Record<string, number>, error: string | null }} GrowingHead
 * @typedef {{ cursor: string, starts_over: boolean, columns: Partial<Columns>, head: GrowingHead,
 *   now_us: number, wait_ms: number }} Growth
 */

export {};
