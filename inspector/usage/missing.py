"""What is billed and stands on no line of a receipt: with any of it the sum is the least that was
paid.

What has a line at a rate that is not its own, that of its whole or of the default tier, is no such
thing: it is paid for, and a note says how.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Unpriced(StrEnum):
    """The value is how sums and pages call it. Never renamed: stored sums bear it."""

    CACHE_WRITES = "tokens written to the cache"
    CITATIONS = "tokens of citations"
    SEARCHES = "searches"
    SOURCES = "sources"
    THINKING = "tokens of thinking"
    UNTOLD = "tokens in the total alone"


WITH_REQUEST = frozenset({"num_search_queries", "num_sources_used"})
"""Names of what is paid for with the request, where the table has a rate of that: those are
Perplexity's, for its searches.
"""
ONE: Mapping[Unpriced, str] = {
    Unpriced.CACHE_WRITES: "token written to the cache",
    Unpriced.CITATIONS: "token of citations",
    Unpriced.SEARCHES: "search",
    Unpriced.SOURCES: "source",
    Unpriced.THINKING: "token of thinking",
    Unpriced.UNTOLD: "token in the total alone",
}

_SEVERAL: Mapping[str, str] = {one: what for what, one in ONE.items()}


@dataclass(frozen=True, slots=True)
class Missing:
    """``count`` is 1 or more; ``name`` is where it stands in usage, and where another count of it
    does.
    """

    count: int
    what: Unpriced
    name: str

    @property
    def note(self) -> str:
        return f"not in this sum: {self} ({self.name})"

    @property
    def paid_note(self) -> str:
        """Where it is in the sum without a line of its own."""
        return f"{self} ({self.name}) taken as paid for with the request"

    def __str__(self) -> str:
        return f"{self.count:,} {ONE[self.what] if self.count == 1 else self.what}"


def listed(missing: Iterable[Missing]) -> str:
    """``3 searches and 12 tokens of citations``; empty where nothing is missing."""
    return " and ".join(map(str, missing))


def unlisted(words: str) -> tuple[tuple[int | None, str], ...]:
    """Counts and what of, as ``listed`` wrote them. What a later release called otherwise is told
    in its words, without a count where none is read.
    """
    return tuple(_unlisted(each) for each in words.split(" and ") if each)


def _unlisted(words: str) -> tuple[int | None, str]:
    count, _, what = words.partition(" ")
    digits = count.replace(",", "")
    if not (digits.isascii() and digits.isdigit() and what):
        return None, words
    return int(digits), _SEVERAL.get(what, what)
