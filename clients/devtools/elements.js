// Elements whose text is text, whoever wrote it.

/** @typedef {Node | string} Child */

/** @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name @param {Record<string, string>} [attributes] @param {Child[]} children
 * @returns {HTMLElementTagNameMap[Name]} */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

/** One that the page has. @template {HTMLElement} Kind
 * @param {string} id @param {new () => Kind} kind @returns {Kind} */
export function byId(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new TypeError(id);
  return found;
}
