"""Finds sections of the documentation by their words."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from inspector.documentation.doc_page import DocPage, DocSection

MAX_CHARACTERS, MAX_WORDS, MAX_HITS = 200, 10, 30
"""A question; each word is looked for in every section, and hits are read by people."""
AROUND_CHARACTERS = 90
"""Characters on either side of a hit: a line and a half."""
# As in "idempotency": a letter alone is in every section.
WORD = re.compile(r"\w{2,}")
OF_QUESTIONS = frozenset(["an", "do", "does", "how", "is", "my", "the", "to", "what", "why"])
MIN_STEMMED = 5
"""Shorter words are looked for as they are."""
# "pricing" and "stalled" have four letters before it, "string" and "speed" three.
ENDING = re.compile(r"(?:es?|s|(?<=\w{4})(?:ing|ed))$")
FOR_BUILDERS = "decisions/"


@dataclass(frozen=True, slots=True)
class DocHit:
    """``before``, ``found`` and ``after`` are the text around the first word that was found."""

    page: DocPage
    section: DocSection
    before: str
    found: str
    after: str


def find_sections(pages: Iterable[DocPage], text: str) -> tuple[DocHit, ...]:
    """Sections with the most words in them or in the titles above, of three and more words also
    those with one less: those with most in titles first, then in the order of the pages, and
    decisions last.
    """
    words = [
        _stem(word)
        for word in WORD.findall(_folded(text[:MAX_CHARACTERS]))
        if word not in OF_QUESTIONS
    ][:MAX_WORDS]
    sections = [(page, section) for page in pages for section in page.sections]
    numbers = [_number(page, section, words) for page, section in sections]
    most = max(numbers, default=0)
    if not most:
        return ()
    least = max(2, most - 1) if most > 1 else 1
    found = [each for each in zip(sections, numbers, strict=True) if each[1] >= least]
    rarities = {word: _rarity(word, sections) for word in words}
    found.sort(key=lambda each: _order(each[0][0], each[0][1], each[1], rarities))
    return tuple(_hit(page, section, words) for (page, section), _ in found[:MAX_HITS])


def _order(
    page: DocPage, section: DocSection, number: int, rarities: Mapping[str, float]
) -> tuple[bool, float]:
    titles = (section.title, page.title)
    rank = sum(rarities[word] * _begin([word], title) for title in titles for word in rarities)
    return page.name.startswith(FOR_BUILDERS), -number - 2 * rank


def _rarity(word: str, sections: Sequence[tuple[DocPage, DocSection]]) -> float:
    """Return the share of sections that lack a word: what is said everywhere tells little."""
    having = sum(_begin([word], f"{each.title} {each.text}") for _, each in sections)
    return 1 - having / (len(sections) + 1)


def _stem(word: str) -> str:
    """Leave the ending off: words are found that begin so, ``deleting`` by ``deletes``."""
    return word if len(word) < MIN_STEMMED else ENDING.sub("", word)


def _folded(text: str) -> str:
    """``first_token`` is found by its two words."""
    return text.casefold().replace("_", " ")


def _number(page: DocPage, section: DocSection, words: Sequence[str]) -> int:
    """Words that are found; none of a section that says none of them itself."""
    own = f"{section.title} {section.text}"
    return _begin(words, f"{page.title} {own}") if _begin(words, own) else 0


def _begin(words: Sequence[str], text: str) -> int:
    """How many of them begin a word of the text."""
    folded = _folded(text)
    return sum(re.search(rf"\b{word}", folded) is not None for word in words)


def _hit(page: DocPage, section: DocSection, words: Sequence[str]) -> DocHit:
    text = section.text
    # Folding may change lengths; then the place is off by a little, and nothing else.
    folded = _folded(text)
    places = [(folded.find(word), len(word)) for word in words if word in folded]
    start, length = min(places, default=(0, 0))
    end = start + length
    return DocHit(page, section, _ending(text[:start]), text[start:end], _beginning(text[end:]))


def _ending(text: str) -> str:
    """Return the last whole words."""
    if len(text) <= AROUND_CHARACTERS:
        return text
    return f"… {text[-AROUND_CHARACTERS:].partition(' ')[2]}"


def _beginning(text: str) -> str:
    """Return the first whole words."""
    if len(text) <= AROUND_CHARACTERS:
        return text
    return f"{text[:AROUND_CHARACTERS].rpartition(' ')[0]} …"
