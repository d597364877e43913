"""Masks passages of texts: each as long as what it covers, in any case of its letters and as JSON
spells it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MASK = "█"
MIN_CHARACTERS = 2
MAX_CHARACTERS = 1_000
MAX_PASSAGES = 50
MAX_PLACES = 200_000
"""Of all passages of a document; from there on texts are masked whole."""
ESCAPINGS = 2
"""A text in JSON is escaped once; arguments of a call inside a value twice."""


@dataclass(frozen=True, slots=True)
class MaskedSegment:
    """A part of a text: as it is, or as many signs as it has characters."""

    text: str
    is_masked: bool = False


class PassageMasks:
    """The passages of one document. ``found`` are the numbers of those that were masked."""

    def __init__(self, passages: Sequence[str]) -> None:
        self._spellings = [tuple(dict.fromkeys(_spellings(each))) for each in passages]
        self._places_left = MAX_PLACES
        self.found: set[int] = set()

    @property
    def unfound(self) -> tuple[int, ...]:
        if self._places_left <= 0:
            # All texts from there on are masked, whatever they have.
            return ()
        return tuple(each for each in range(len(self._spellings)) if each not in self.found)

    def masked(self, text: str) -> str:
        """The whole text with every passage covered."""
        return "".join(each.text for each in self.segments(text))

    def segments(self, text: str, is_cut: bool = False) -> tuple[MaskedSegment, ...]:
        """``is_cut``: the text goes on, so that its end may be the beginning of a passage."""
        return tuple(_segments(text, self._marks(text, is_cut)))

    def laid_out(self, text: str, layout: str) -> tuple[MaskedSegment, ...]:
        """The layout of a JSON text, where what is masked in the text is masked, too: a passage may
        be spelled by the white space of either.
        """
        carried = _carried(text, self._marks(text), layout)
        marks = bytearray(map(max, carried, self._marks(layout)))
        return tuple(_segments(layout, marks))

    def _marks(self, text: str, is_cut: bool = False) -> bytearray:
        """For each character whether it is masked."""
        marks = bytearray(len(text))
        if not self._spellings:
            return marks
        folded = _folded(text)
        for number, spellings in enumerate(self._spellings):
            for spelling in spellings:
                if places := _mark(folded, spelling, marks, self._places_left):
                    self._places_left -= places
                    self.found.add(number)
                if is_cut:
                    _mark_end(folded, spelling, marks)
        return bytearray(b"\1" * len(text)) if self._places_left <= 0 else marks


def _carried(text: str, marks: bytearray, layout: str) -> bytearray:
    """The marks of a JSON text on its layout, which has other white space between the tokens."""
    carried, at = bytearray(len(layout)), 0
    for place, character in enumerate(layout):
        while not character.isspace() and at < len(text) and text[at] != character:
            at += 1
        if at < len(text) and text[at] == character:
            carried[place] = marks[at]
            at += 1
    return carried


def _mark(folded: str, spelling: str, marks: bytearray, most: int) -> int:
    """Returns at how many places it stands, up to ``most``."""
    # One character on, not a whole passage: it may overlap itself.
    at, places = folded.find(spelling), 0
    while at >= 0 and places < most:
        marks[at : at + len(spelling)] = b"\1" * len(spelling)
        at, places = folded.find(spelling, at + 1), places + 1
    return places


def _mark_end(folded: str, spelling: str, marks: bytearray) -> None:
    for length in range(min(len(spelling) - 1, len(folded)), 0, -1):
        if folded.endswith(spelling[:length]):
            marks[len(marks) - length :] = b"\1" * length
            return


def _segments(text: str, marks: bytearray) -> Iterator[MaskedSegment]:
    for match in re.finditer(rb"\x01+|\x00+", marks):
        start, end = match.span()
        is_masked = marks[start] == 1
        yield MaskedSegment(MASK * (end - start) if is_masked else text[start:end], is_masked)


def _spellings(passage: str) -> Iterator[str]:
    """As it is, and escaped as JSON may have it."""
    for is_ascii in (False, True):
        spelled = passage
        for _ in range(ESCAPINGS + 1):
            yield _folded(spelled)
            spelled = json.dumps(spelled, ensure_ascii=is_ascii)[1:-1]


def _folded(text: str) -> str:
    """In small letters, as long as before: few letters have a small form of several."""
    small = text.lower()
    if len(small) == len(text):
        return small
    return "".join(low if len(low := each.lower()) == 1 else each for each in text)
