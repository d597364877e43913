// What the palette lists, in which order, and which entry comes next. Knows no page.

/** @typedef {{ words: string, also?: string, aside?: string, href?: string, act?: () => void }} Entry */
/** @typedef {{ slug: string, title: string, entries: Entry[] }} Group */

export const COMMANDS = ">";
// What the product has comes before a search for the text; what only explains it comes last.
export const ORDER = ["captures", "views", "go", "filters", "act", "help", "text", "rules"];

const ID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

// What was typed: commands alone are meant behind a `>`.
/** @type {(typed: string) => { text: string, isOfCommands: boolean }} */
export function wanted(typed) {
  const text = typed.trim();
  if (!text.startsWith(COMMANDS)) return { text, isOfCommands: false };
  return { text: text.slice(COMMANDS.length).trim(), isOfCommands: true };
}

// The id of a capture that was pasted whole, by itself or at the end of an address.
/** @type {(text: string) => string | null} */
export function captureId(text) {
  const last = text.split(/[?#]/)[0].split("/").filter(Boolean).at(-1) ?? "";
  return ID.test(last) ? last.toLowerCase() : null;
}

// Entries with every word of the text, in any order; what they are also called counts, too.
/** @type {(entries: Entry[], text: string) => Entry[]} */
export function fitting(entries, text) {
  const words = text.toLowerCase().split(/\s+/);
  return entries.filter(({ words: shown, also = "" }) => {
    const known = `${shown} ${also}`.toLowerCase();
    return words.every((word) => known.includes(word));
  });
}

// In their fixed order, those of one slug together, empty ones left out.
/** @type {<T extends { slug: string, entries: unknown[] }>(groups: T[]) => T[]} */
export function ordered(groups) {
  const some = groups.filter((group) => group.entries.length > 0);
  return some.sort((a, b) => ORDER.indexOf(a.slug) - ORDER.indexOf(b.slug));
}

// The place after a step; the ends meet. -1 where there is nothing.
/** @type {(place: number, step: number, number: number) => number} */
export function moved(place, step, number) {
  return number === 0 ? -1 : (place + step + number) % number;
}
