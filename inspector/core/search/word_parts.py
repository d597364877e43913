"""Cuts the words of an exchange into parts that every index can take.

PostgreSQL counts positions up to 16,383 and keeps 256 of one word. A part repeats the last words of
the one before, so that every phrase of ``PHRASE_WORDS`` words stands in one part whole.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

import msgspec

from inspector.core.search.search_terms import PHRASE_WORDS
from inspector.core.search.searchable_texts import TextsByKind
from inspector.core.search.words import spellings, words

PART_WORDS = 4_000
"""Well within the positions that PostgreSQL counts."""
PART_REPETITIONS = 250
"""Repetitions of one word in one part."""
KIND_PARTS = 128
"""Words behind them are not found. Ordinary texts of ``KIND_CHARACTERS`` have fewer."""
BREAK = "_"
"""Stands between texts: no phrase reaches over it, and no word has it."""


class WordPart(msgspec.Struct, frozen=True):
    """Words of texts in their order, ``BREAK`` between two texts."""

    number: int
    words: tuple[str, ...]


def word_parts(texts: TextsByKind) -> list[WordPart]:
    """Parts of texts: one where they fit, else one a kind. Linear in the length of the texts."""
    of_kinds = [
        [sequence for text in of_kind for sequence in _sequences(text) if sequence]
        for of_kind in texts.values()
    ]
    return [WordPart(number, tuple(part)) for number, part in enumerate(_parts(of_kinds))]


def _sequences(text: str) -> Iterator[Sequence[str]]:
    yield words(text)
    yield from spellings(text)


def _parts(of_kinds: Iterable[Sequence[Sequence[str]]]) -> Iterator[list[str]]:
    of_kinds = [sequences for sequences in of_kinds if sequences]
    every = chain.from_iterable(of_kinds)
    together = list(chain.from_iterable((*sequence, BREAK) for sequence in every))[:-1]
    if not together:
        return
    # Nearly all texts fit into one part.
    if len(together) <= PART_WORDS and (
        len(together) <= PART_REPETITIONS or _most(together) <= PART_REPETITIONS
    ):
        yield together
    else:
        for sequences in of_kinds:
            yield from islice(_cut(sequences), KIND_PARTS)


def _most(together: Iterable[str]) -> int:
    counts = Counter(together)
    del counts[BREAK]
    return max(counts.values(), default=0)


def _cut(sequences: Iterable[Sequence[str]]) -> Iterator[list[str]]:
    part = _Part()
    for sequence in sequences:
        part.add(BREAK)
        for at, word in enumerate(sequence):
            if len(part.words) >= PART_WORDS or part.counts[word] >= PART_REPETITIONS:
                yield part.words
                part = _Part()
                for before in sequence[max(0, at - PHRASE_WORDS + 1) : at]:
                    part.add(before)
            part.add(word)
    yield part.words


@dataclass(slots=True)
class _Part:
    words: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, word: str) -> None:
        self.words.append(word)
        self.counts[word] += 1
