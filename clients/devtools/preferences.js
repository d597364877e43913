// What the person has set, in this browser alone.

/** @typedef {{address: string, key: string, sites: string[], kept: string[]}} Preferences
 *  `sites` are patterns of the hosts that are watched; `kept` origins of which all calls are kept. */

/** @type {Preferences} */
const NONE = { address: "", key: "", sites: [], kept: [] };

/** @type {() => Promise<Preferences>} */
export async function preferences() {
  await chrome.storage.local.setAccessLevel?.({ accessLevel: "TRUSTED_CONTEXTS" });
  return /** @type {Preferences} */ (await chrome.storage.local.get(NONE));
}

/** @type {(changes: Partial<Preferences>) => Promise<void>} */
export const setPreferences = (changes) => chrome.storage.local.set(changes);

/** With `entry` or without it. @type {(list: string[], entry: string, isIn: boolean) => string[]} */
export const changed = (list, entry, isIn) => [
  ...list.filter((each) => each !== entry),
  ...(isIn ? [entry] : []),
];
