"""Finds captures by what they go by: their own id, whole or its beginning, or the idempotency key
that their sender chose.
"""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from django.db.models import QuerySet

from inspector.archive.listing.filters import Filters, IdRange
from inspector.archive.models import Capture

ID_DIGITS = 32
LEAST_DIGITS = 8


def name_captures(filters: Filters, captures: QuerySet[Capture]) -> Filters:
    """The filters with a range of ids in place of a text that captures go by; else unchanged.

    Asked before the list: an index finds ids, while a part of a text is looked for row by row,
    and only in captures that are inspected.
    """
    if not filters.q:
        return filters
    ids = _ids_beginning(filters.q, captures) or _id_of_key(filters.q, captures)
    return replace(filters, q="", ids=ids) if ids else filters


def _ids_beginning(text: str, captures: QuerySet[Capture]) -> IdRange | None:
    ids = id_range(text)
    return ids if ids and captures.filter(id__range=ids).exists() else None


def _id_of_key(text: str, captures: QuerySet[Capture]) -> IdRange | None:
    # One team has a key once; where several teams are listed together, it may stand for several.
    found = captures.filter(idempotency_key=text).values_list("id", flat=True)[:2]
    return (found[0], found[0]) if len(found) == 1 else None


def id_range(text: str) -> IdRange | None:
    """First and last id that begins like this, with hyphens or without; None for another text."""
    begins = text.strip().lower()
    digits = begins.replace("-", "")
    try:
        first = UUID(digits.ljust(ID_DIGITS, "0"))
    except ValueError:
        return None
    is_id = LEAST_DIGITS <= len(digits) <= ID_DIGITS and (
        str(first).startswith(begins.removesuffix("-")) or digits == begins
    )
    return (first, UUID(digits.ljust(ID_DIGITS, "f"))) if is_id else None
