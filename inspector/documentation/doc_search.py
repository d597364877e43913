"""Finds sections of the documentation by their words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inspector.documentation.doc_page import DocPage, DocSection

MAX_CHARACTERS, MAX_WORDS, MAX_HITS = 200, 10, 30
AROUND_CHARACTERS = 90


@dataclass(frozen=True, slots=True)
class DocHit:
    """``before``, ``found`` and ``after`` are the text around the first word that was found."""

    page: DocPage
    section: DocSection
    before: str
    found: str
    after: str


def find_sections(pages: Iterable[DocPage], text: str) -> tuple[DocHit, ...]:
    """Sections with every word in them or in the titles above, those with most in a title first."""
    words = text[:MAX_CHARACTERS].casefold().split()[:MAX_WORDS]
    if not words:
        return ()
    ranked = [
        (-_rank(page, section, words), number, page, section)
        for number, (page, section) in enumerate(
            (page, section) for page in pages for section in page.sections
        )
        if _has_all(page, section, words)
    ]
    found = sorted(ranked, key=lambda each: each[:2])[:MAX_HITS]
    return tuple(_hit(page, section, words) for _, _, page, section in found)


def _has_all(page: DocPage, section: DocSection, words: Sequence[str]) -> bool:
    around = f"{page.title} {section.title} {section.text}".casefold()
    own = f"{section.title} {section.text}".casefold()
    return all(word in around for word in words) and any(word in own for word in words)


def _rank(page: DocPage, section: DocSection, words: Sequence[str]) -> int:
    title, heading = page.title.casefold(), section.title.casefold()
    return sum(2 * (word in heading) + (word in title) for word in words)


def _hit(page: DocPage, section: DocSection, words: Sequence[str]) -> DocHit:
    text = section.text
    # Folding may change lengths; then the place is off by a little, and nothing else.
    folded = text.casefold()
    places = [(folded.find(word), len(word)) for word in words if word in folded]
    start, length = min(places, default=(0, 0))
    end = start + length
    return DocHit(page, section, _ending(text[:start]), text[start:end], _beginning(text[end:]))


def _ending(text: str) -> str:
    """The last whole words."""
    if len(text) <= AROUND_CHARACTERS:
        return text
    return f"… {text[-AROUND_CHARACTERS:].partition(' ')[2]}"


def _beginning(text: str) -> str:
    """The first whole words."""
    if len(text) <= AROUND_CHARACTERS:
        return text
    return f"{text[:AROUND_CHARACTERS].rpartition(' ')[0]} …"
