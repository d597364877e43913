// Numbers and ends of calls, as people read them.

/** @typedef {import("./call_list.js").Call} Call */

/** @type {(microseconds: number | undefined) => string} */
export const seconds = (microseconds) =>
  microseconds === undefined ? "–" : `${(microseconds / 1e6).toFixed(3)} s`;

/** @type {(number: number) => string} */
export const grouped = (number) => number.toLocaleString("en");

/** @type {(number: number, one: string) => string} */
export const counted = (number, one) => `${grouped(number)} ${one}${number === 1 ? "" : "s"}`;

/** @type {(moment: string) => string} */
export function clock(moment) {
  const date = new Date(moment);
  return Number.isNaN(date.getTime()) ? "–" : date.toLocaleTimeString("en-GB");
}

/** @type {Record<string, string | undefined>} */
const OUTCOMES = {
  "client-cancelled": "cancelled by the page",
  "recorder-stopped": "the page ended first",
  "upstream-timeout": "timed out",
  capped: "over 10 MB, kept up to there",
};

/** How a call stands, as far as the browser knows, and how bad that is.
 * @type {(call: Call) => {words: string, severity: "" | "error" | "warning"}} */
export function standing({ status, outcome, error, isStream, hasEndMark }) {
  const answer = status === null ? "no answer" : String(status);
  if (!outcome) return { words: status === null ? "waiting" : `${answer}, running`, severity: "" };
  if (outcome === "upstream-error") {
    return { words: `${answer}, failed${error && `: ${error}`}`, severity: "error" };
  }
  const told = OUTCOMES[outcome];
  if (told) return { words: `${answer}, ${told}`, severity: "warning" };
  if (status !== null && status >= 400) return { words: answer, severity: "error" };
  if (isStream && !hasEndMark) return { words: `${answer}, no end mark`, severity: "warning" };
  return { words: answer, severity: "" };
}
