"""Values that captures have and that are like a text, whatever field has them."""

from collections.abc import Iterator

from inspector.archive.listing.capture_fields import CAPTURE_FIELDS, PROMPT
from inspector.archive.listing.facet_counts import (
    FINDING,
    LIMIT_MILLISECONDS,
    FilteredCaptures,
    facet_of,
    group_columns,
    newest_rows,
)
from inspector.archive.listing.filters import Filters
from inspector.database.portability import StatementTimeout, count_groups, time_limit
from inspector.query.fields import Field

LEFT_OUT = (FINDING, PROMPT)
"""Findings are rules, too, and a prompt is a digest."""


def values_like(
    filtered_captures: FilteredCaptures, filters: Filters, text: str
) -> Iterator[tuple[Field, str, int]]:
    """Yield values that hold the text, each with its field and the number of captures that have it,
    those that begin so first. None where looking takes too long.
    """
    typed = text.casefold()
    found = [each for each in _counted(filtered_captures, filters) if typed in each[1].casefold()]
    yield from sorted(found, key=lambda each: not each[1].casefold().startswith(typed))


def _counted(
    filtered_captures: FilteredCaptures, filters: Filters
) -> tuple[tuple[Field, str, int], ...]:
    columns = group_columns()
    try:
        with time_limit(LIMIT_MILLISECONDS):
            rows = newest_rows(filtered_captures, filters, columns)
            alike = count_groups(rows, [*columns])
            facets = [
                (field, facet_of(field.name, alike, filtered_captures, filters))
                for field in CAPTURE_FIELDS.facets()
                if field.name not in LEFT_OUT
            ]
    except StatementTimeout:
        return ()
    return tuple(
        (field, value, number) for field, facet in facets for value, number in facet.values if value
    )
