// What a program says of its calls: tags and metadata.

export const MAX_TAGS = 32;
export const TAG_CHARACTERS = 64;

/** @typedef {{tags: string[], metadata: Record<string, unknown>}} Labels */

/** @type {(one: Labels, more: Labels) => Labels} */
export const joined = (one, more) => ({
  tags: [...one.tags, ...more.tags],
  metadata: { ...one.metadata, ...more.metadata },
});

/** As the API takes them: it refuses a capture with too many, or with one too long.
 * @type {(tags: unknown[]) => string[]} */
export function boundedTags(tags) {
  const cut = tags.map((tag) => [...String(tag).toWellFormed()].slice(0, TAG_CHARACTERS).join(""));
  return [...new Set(cut.filter(Boolean))].slice(0, MAX_TAGS);
}
