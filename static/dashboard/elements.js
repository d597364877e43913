// Elements of a page, checked to be of the kind that a script takes them for.

/**
 * The one that a page always has.
 *
 * @template {Element} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
export function byId(id, kind) {
  return required(document.getElementById(id), `#${id}`, kind);
}

/**
 * The first that is always inside another.
 *
 * @template {Element} T
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => T} kind
 * @returns {T}
 */
export function within(root, selector, kind) {
  return required(root.querySelector(selector), selector, kind);
}

/**
 * @template {Element} T
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => T} kind
 * @returns {T[]}
 */
export function all(root, selector, kind) {
  /** @type {T[]} */
  const found = [];
  for (const each of root.querySelectorAll(selector)) if (each instanceof kind) found.push(each);
  return found;
}

/**
 * The first, or none.
 *
 * @template {Element} T
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => T} kind
 * @returns {T | null}
 */
export function find(root, selector, kind) {
  const found = root.querySelector(selector);
  return found instanceof kind ? found : null;
}

/**
 * The nearest around a target, or the target itself; null where there is none.
 *
 * @template {Element} T
 * @param {EventTarget | null} target
 * @param {string} selector
 * @param {new () => T} kind
 * @returns {T | null}
 */
export function around(target, selector, kind) {
  const found = target instanceof Element ? target.closest(selector) : null;
  return found instanceof kind ? found : null;
}

/**
 * Opens everything that is folded around an element, and the element itself.
 *
 * @param {Element | null} element
 */
export function unfold(element) {
  let fold = element?.closest("details");
  while (fold) {
    fold.open = true;
    fold = fold.parentElement?.closest("details");
  }
}

/**
 * @template {Element} T
 * @param {Element | null} found
 * @param {string} name
 * @param {new () => T} kind
 * @returns {T}
 */
function required(found, name, kind) {
  if (!(found instanceof kind)) throw new Error(`there is no ${name} on this page`);
  return found;
}
