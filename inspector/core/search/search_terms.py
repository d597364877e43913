"""Words and phrases of what a person typed, and the passages of a text that they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from inspector.core.search.words import Word, is_lone_dense, placed_words, spellings, words

MAX_TERMS = 50
"""Each is looked up on its own in the index."""
PHRASE_WORDS = 64
"""The longest phrase; a part of an index repeats so many words of the part before, less one."""
QUERY_CHARACTERS = 10_000
"""A pasted passage; what is typed has a line, and a phrase `PHRASE_WORDS`."""

# As in '"clears on"*', "thursday".
_TERM = re.compile(r'"([^"]*)"(\*?)|([^\s"]+)')


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words in a row; with ``is_prefix`` the last one is the beginning of a word."""

    words: tuple[str, ...]
    is_prefix: bool = False

    def starts_in(self, sequence: Sequence[str]) -> Iterator[int]:
        """Yield the places in a text's words where the phrase stands."""
        for at in range(len(sequence) - len(self.words) + 1):
            if self._stands_at(sequence, at):
                yield at

    def _stands_at(self, sequence: Sequence[str], at: int) -> bool:
        *whole, last = self.words
        found = sequence[at + len(whole)]
        return (found.startswith(last) if self.is_prefix else found == last) and all(
            sequence[at + step] == word for step, word in enumerate(whole)
        )


@dataclass(frozen=True, slots=True)
class SearchTerm:
    """One thing that was searched, by any of its spellings."""

    spellings: tuple[Phrase, ...]


@dataclass(frozen=True, slots=True)
class SearchTerms:
    """All terms must be found. Without any nothing is found."""

    terms: tuple[SearchTerm, ...]
    is_cut: bool = False
    """More was typed than is searched: ``MAX_TERMS`` terms, phrases of ``PHRASE_WORDS`` words."""


def parse_terms(text: str) -> SearchTerms:
    """Words stand in any order, what is in double quotes in this one; ``*`` ends a beginning."""
    is_long = len(text) > QUERY_CHARACTERS
    found = list(islice(_terms(text[:QUERY_CHARACTERS]), MAX_TERMS + 1))
    distinct = tuple(dict.fromkeys(found[:MAX_TERMS]))
    is_cut = is_long or len(found) > MAX_TERMS or any(map(_is_full, distinct))
    return SearchTerms(distinct, is_cut)


def parse_phrase(text: str) -> SearchTerms:
    """Return the whole text as one phrase; ``*`` at its end makes its last word a beginning."""
    phrase = _phrase(text[:QUERY_CHARACTERS], is_prefix=text.rstrip().endswith("*"))
    if phrase is None:
        return SearchTerms(())
    term = SearchTerm((phrase,))
    return SearchTerms((term,), len(text) > QUERY_CHARACTERS or _is_full(term))


def spans(terms: SearchTerms, text: str) -> Iterator[tuple[int, int]]:
    """Yield the characters of a text that terms stand for, in no order; may overlap."""
    placed = list(placed_words(text))
    texts = [word.text for word in placed]
    for term in terms.terms:
        for phrase in term.spellings:
            for at in phrase.starts_in(texts):
                yield placed[at].start, placed[at + len(phrase.words) - 1].end
    yield from _spans_of_spellings(terms, placed, text)


def _spans_of_spellings(
    terms: SearchTerms, placed: Sequence[Word], text: str
) -> Iterator[tuple[int, int]]:
    """Names of code that are found by another spelling are marked whole."""
    phrases = [phrase for term in terms.terms for phrase in term.spellings]
    for found in _NAME.finditer(text):
        others = spellings(found[0])
        if any(_is_any(phrase, others) for phrase in phrases):
            yield found.span()


# As in "tool_call_id".
_NAME = re.compile(r"[A-Za-z0-9_]++")


def _is_any(phrase: Phrase, sequences: Iterable[Sequence[str]]) -> bool:
    return any(True for each in sequences for _ in phrase.starts_in(each))


def _is_full(term: SearchTerm) -> bool:
    return any(len(phrase.words) >= PHRASE_WORDS for phrase in term.spellings)


def _terms(text: str) -> Iterator[SearchTerm]:
    for found in _TERM.finditer(text):
        quoted, star, bare = found.groups()
        if bare is None:
            phrase = _phrase(quoted, is_prefix=bool(star) or quoted.rstrip().endswith("*"))
            others: list[Phrase] = []
        else:
            is_prefix = bare.endswith("*")
            phrase = _phrase(bare, is_prefix=is_prefix)
            others = _other_spellings(bare, is_prefix=is_prefix)
        if phrase is not None:
            yield SearchTerm((phrase, *others))


def _other_spellings(bare: str, *, is_prefix: bool) -> list[Phrase]:
    name = _NAME.search(bare)
    # Of one name, whatever punctuation is around it: ``getUserName()``.
    if name is None or words(bare) != words(name[0]):
        return []
    return [Phrase(each[:PHRASE_WORDS], is_prefix) for each in spellings(name[0])]


def _phrase(text: str, *, is_prefix: bool) -> Phrase | None:
    placed = list(islice(placed_words(text), PHRASE_WORDS + 1))
    found = [word.text for word in placed]
    if len(found) > 1 and _ends_a_run(placed):
        # In the text the run may go on: its last pair says all that is known of it.
        del found[-1]
        is_prefix = False
    elif found and is_lone_dense(found[-1]):
        is_prefix = True
    return Phrase(tuple(found[:PHRASE_WORDS]), is_prefix) if found else None


def _ends_a_run(placed: Sequence[Word]) -> bool:
    """Tell whether the last character of a run without spaces repeats the end of a pair."""
    last, before = placed[-1], placed[-2]
    return is_lone_dense(last.text) and before.end == last.end
