"""Billed items that no receipt line covers: with any of them the total is a lower bound.

Items billed at another rate (that of their whole, or of the default tier) are not among them: they
are in the total, and a note explains the rate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class UnpricedKind(StrEnum):
    """The value is the code in sums, prices and answers of the API."""

    CACHE_WRITES = "cache_writes"
    CITATIONS = "citations"
    SEARCHES = "searches"
    SOURCES = "sources"
    THINKING = "thinking"
    UNTOLD = "total_only"
    """Tokens that the total counts and no part."""


WITH_REQUEST = frozenset({"num_search_queries", "num_sources_used"})
"""Names of what is paid for with the request, where the table has a rate of that: those are
Perplexity's, for its searches.
"""


@dataclass(frozen=True, slots=True)
class UnpricedItem:
    """``count`` is 1 or more; ``what`` a code of ``UnpricedKind``, or one of a later release;
    ``name`` the field of usage that counts it.
    """

    count: int
    what: str
    name: str

    @property
    def note(self) -> str:
        return f"not in this sum: {self.count:,} of {self.name}"

    @property
    def paid_note(self) -> str:
        """The note for an item that the price of the request already includes."""
        return f"{self.count:,} of {self.name} taken as paid for with the request"


def encode_unpriced(missing: Iterable[UnpricedItem]) -> list[list[Any]] | None:
    """``[[3, "searches", "num_search_queries"]]``; None where nothing is missing."""
    return [[each.count, str(each.what), each.name] for each in missing] or None


def decode_unpriced(stored: Sequence[Sequence[Any]] | None) -> tuple[UnpricedItem, ...]:
    return tuple(UnpricedItem(*each) for each in stored or ())
