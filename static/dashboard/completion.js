// What completing does to a text, and which option is chosen next.

/**
 * @typedef {object} Option
 * @property {string} text stands in place of the characters from start to end
 * @property {number} start
 * @property {number} end
 */

/** @type {(text: string, option: Option) => { text: string, caret: number }} */
export function completed(text, option) {
  const before = text.slice(0, option.start) + option.text;
  return { text: before + text.slice(option.end), caret: before.length };
}

// Behind a field a value is to be written, so there is more to offer.
/** @type {(option: Option) => boolean} */
export const goesOn = (option) => /[:>.]$/.test(option.text);

// Beyond the last comes the first, and the other way round; -1 is none yet.
/** @type {(chosen: number, by: number, count: number) => number} */
export function moved(chosen, by, count) {
  if (count === 0) return -1;
  if (chosen < 0) return by > 0 ? 0 : count - 1;
  return (chosen + by + count) % count;
}
