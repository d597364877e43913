"""Finds hits in the texts of captures, each with a window of characters around it."""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from inspector.archive.inspection import text_sources
from inspector.core.search.search_terms import SearchTerms, parse_terms, spans
from inspector.core.search.searchable_texts import TextKind
from inspector.search.models import CaptureTexts
from inspector.search.subscriber import unpack

BEFORE_CHARACTERS = 24
"""A row has room for some 35, and the hit is to be among them."""
BEFORE_CHARACTERS_IF_NAMED = 10
"""Where the row says first that it is no answer."""
WINDOW_CHARACTERS = 240
"""Two lines of a row in a wide window."""
MAX_MARKS = 20
"""A query for "a" marks every word of a window."""
MAX_CAPTURES = 200
"""Rows of one page at most."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of one text, with the ranges of its characters that were searched (end exclusive,
    ascending, apart). It is text, never HTML.
    """

    kind: TextKind
    text: str
    marks: tuple[Span, ...]
    is_cut_before: bool
    is_cut_after: bool

    @property
    def pieces(self) -> tuple[tuple[str, bool], ...]:
        """The text in its order, with whether a piece is marked; none is empty."""
        found, at = [], 0
        for start, end in self.marks:
            found += [(self.text[at:start], False), (self.text[start:end], True)]
            at = end
        return tuple(
            (text, is_marked) for text, is_marked in [*found, (self.text[at:], False)] if text
        )


def for_captures(ids: Iterable[UUID], text: str) -> dict[UUID, Snippet]:
    """Return the first place in each capture that holds a term. The caller has checked that these
    captures may be seen. Captures found by nothing but their ids have none.
    """
    terms = parse_terms(text)
    wanted = list(ids)[:MAX_CAPTURES]
    if not terms.terms or not wanted:
        return {}
    notes = text_sources.notes_of(wanted)
    found = {}
    for row in CaptureTexts.objects.filter(pk__in=wanted):
        texts = unpack(row.texts)
        if row.pk in notes:
            texts[TextKind.NOTE] = (notes[row.pk],)
        if snippet := snippet_of(terms, texts):
            found[row.pk] = snippet
    return found


def snippet_of(terms: SearchTerms, texts: Mapping[TextKind, Collection[str]]) -> Snippet | None:
    """Return the first text, by the order of ``TextKind``, that holds a term."""
    for kind in TextKind:
        for text in texts.get(kind, ()):
            if marks := apart(spans(terms, text)):
                return _window(kind, text, marks)
    return None


def apart(marks: Iterable[Span]) -> list[Span]:
    """Ranges in their order, those that overlap joined."""
    joined: list[Span] = []
    for start, end in sorted(marks):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _window(kind: TextKind, text: str, marks: list[Span]) -> Snippet:
    first = _first_of_most(marks)
    before = BEFORE_CHARACTERS if kind is TextKind.ANSWER else BEFORE_CHARACTERS_IF_NAMED
    start = _start_of_word(text, max(0, marks[first][0] - before), marks[first][0])
    end = min(len(text), start + WINDOW_CHARACTERS)
    inside = tuple(
        (max(a, start) - start, min(b, end) - start)
        for a, b in marks[: first + MAX_MARKS]
        if a < end and b > start
    )
    return Snippet(kind, text[start:end], inside[:MAX_MARKS], start > 0, end < len(text))


def _start_of_word(text: str, start: int, end: int) -> int:
    """Return the first beginning of a word between two places; the first place without one."""
    if start == 0:
        return start
    blank = next((at for at in range(start - 1, end) if text[at].isspace()), start - 1)
    return blank + 1


def _first_of_most(marks: list[Span]) -> int:
    """Return the mark behind which most others stand within one window."""
    room = WINDOW_CHARACTERS - BEFORE_CHARACTERS
    counts = [bisect_left(marks, (mark[0] + room, 0)) - number for number, mark in enumerate(marks)]
    return counts.index(max(counts))
