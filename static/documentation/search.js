// Searches the documentation where no server does. No module: a browser loads none for a page that
// was opened as a file.
"use strict";

(() => {
  const MOST_WORDS = 10;
  const MOST_HITS = 30;
  const AROUND = 90;

  /** @typedef {[page: string, address: string, section: string, text: string]} Section */

  /** @type {Section[]} */
  const sections = window.documentationSections ?? [];
  const base = document.body.dataset.base ?? "";

  /** @type {(id: string) => HTMLElement} */
  const named = (id) => {
    const found = document.getElementById(id);
    if (!found) {
      throw new Error(`no element ${id}`);
    }
    return found;
  };

  /**
   * Sections with every word in them or in their page's title, those with most in a title first.
   * @type {(text: string) => {section: Section, words: string[]}[]}
   */
  const find = (text) => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);
    const rank = (/** @type {Section} */ [page, , title]) =>
      words.reduce(
        (sum, word) =>
          sum
          + 2 * Number(title.toLowerCase().includes(word))
          + Number(page.toLowerCase().includes(word)),
        0,
      );
    const found = sections.filter(([page, , title, body]) => {
      const own = `${title} ${body}`.toLowerCase();
      const around = `${page} ${own}`.toLowerCase();
      return (
        words.every((word) => around.includes(word)) && words.some((word) => own.includes(word))
      );
    });
    return found
      .map((section) => ({ section, words, rank: rank(section) }))
      .sort((one, other) => other.rank - one.rank)
      .slice(0, MOST_HITS);
  };

  /** @type {(text: string, words: string[]) => HTMLElement} */
  const excerpt = (text, words) => {
    const shown = document.createElement("p");
    shown.className = "soft";
    const folded = text.toLowerCase();
    const places = words.map((word) => folded.indexOf(word)).filter((at) => at >= 0);
    const at = Math.min(...places, text.length);
    const word = words.find((each) => folded.startsWith(each, at)) ?? "";
    const mark = document.createElement("mark");
    mark.textContent = text.slice(at, at + word.length);
    const before = text.slice(Math.max(0, at - AROUND), at);
    const after = text.slice(at + word.length, at + word.length + AROUND);
    shown.append(at > AROUND ? "… " : "", before, mark, after);
    return shown;
  };

  /** @type {(hit: {section: Section, words: string[]}) => HTMLElement} */
  const row = ({ section: [page, address, title, text], words }) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = base + address;
    link.textContent = title === page ? title : `${page}: ${title}`;
    item.append(link, excerpt(text, words));
    return item;
  };

  const input = /** @type {HTMLInputElement} */ (named("doc-search"));

  const show = () => {
    const text = input.value.trim();
    const hits = text ? find(text) : [];
    named("doc-hits").replaceChildren(...hits.map(row));
    named("doc-number").textContent = hits.length
      ? `${hits.length} ${hits.length === 1 ? "section" : "sections"} with “${text}”`
      : `No section has all words of “${text}”.`;
    named("doc-results").hidden = !text;
    named("doc-article").hidden = Boolean(text);
  };

  input.addEventListener("input", show);
  named("doc-form").addEventListener("submit", (event) => event.preventDefault());
  // A hit on this very page only moves in it: the article must be there again.
  named("doc-hits").addEventListener("click", () => {
    named("doc-results").hidden = true;
    named("doc-article").hidden = false;
  });
  named("doc-form").hidden = false;
})();
