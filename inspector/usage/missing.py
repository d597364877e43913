"""What is billed and stands on no line of a receipt: with any of it the sum is the least that was
paid.

What has a line at a rate that is not its own, that of its whole or of the default tier, is no such
thing: it is paid for, and a note says how.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Unpriced(StrEnum):
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
class Missing:
    """``count`` is 1 or more; ``what`` a code of ``Unpriced``, or one of a later release; ``name``
    the field of usage that counts it.
    """

    count: int
    what: str
    name: str

    @property
    def note(self) -> str:
        return f"not in this sum: {self.count:,} of {self.name}"

    @property
    def paid_note(self) -> str:
        """Where it is in the sum without a line of its own."""
        return f"{self.count:,} of {self.name} taken as paid for with the request"


def packed(missing: Iterable[Missing]) -> list[list[Any]] | None:
    """``[[3, "searches", "num_search_queries"]]``; None where nothing is missing."""
    return [[each.count, str(each.what), each.name] for each in missing] or None


def unpacked(stored: Sequence[Sequence[Any]] | None) -> tuple[Missing, ...]:
    return tuple(Missing(*each) for each in stored or ())
