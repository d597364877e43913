"""Billed items that no receipt line covers: with any of them the total is a lower bound.

Items billed at another rate (that of their whole, or of the default tier) are not among them: they
are in the total, and a note explains the rate.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import msgspec

from inspector.core.decoded_types import built


class UnpricedKind(StrEnum):
    """The value is the code in sums, prices and answers of the API."""

    CACHE_WRITES = "cache_writes"
    CITATIONS = "citations"
    SEARCHES = "searches"
    SOURCES = "sources"
    THINKING = "thinking"
    TOTAL_ONLY = "total_only"
    """Tokens that the total counts and no part."""


WITH_REQUEST = frozenset({"num_search_queries", "num_sources_used"})
"""Fields of what is paid for with the request, where the table has a rate of that: those are
Perplexity's, for its searches.
"""


SEARCH_FIELD = "server_tool_use/web_search_requests"
"""The field of the web searches that have a rate in the table, for some models."""


@dataclass(frozen=True, slots=True)
class UnpricedItem:
    """``count`` is 1 or more; ``kind`` a code of ``UnpricedKind``, or one of a later release;
    ``field`` the field of usage that counts it.
    """

    count: int
    kind: str
    field: str


def encode_unpriced(items: Iterable[UnpricedItem]) -> list[dict[str, Any]] | None:
    """``[{"count": 3, "kind": "searches", "field": "num_search_queries"}]``; None without items."""
    return [msgspec.to_builtins(each) for each in items] or None


def decode_unpriced(stored: Any) -> tuple[UnpricedItem, ...]:
    """Raise ``msgspec.ValidationError`` for what ``encode_unpriced`` did not make."""
    return msgspec.convert(stored or [], built(tuple[UnpricedItem, ...]))
