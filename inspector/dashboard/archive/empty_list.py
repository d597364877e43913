"""Explains an empty list: which value of its filters no capture has, and which are near it."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils import timezone

from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
from inspector.archive.queries import Captures
from inspector.dashboard.archive.filter_bar import FilterBar
from inspector.formatting.humanize import plural

MAX_TERMS = 3
"""Looked into; each may take a while in a large archive."""


@dataclass(frozen=True, slots=True)
class UnknownValue:
    """A filter's value that no capture has; ``near``: others, each with the page's query."""

    label: str
    value: str
    near: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class OfferedQuery:
    """A query in place of the present one, with the captures that it finds."""

    text: str
    query: str
    number: str


def meant_query(captures: Captures, filter_bar: FilterBar) -> OfferedQuery | None:
    """Return what the words may stand for; None where that finds nothing either."""
    meant = filter_bar.meant
    number = meant and captures.number_of(meant.text, timezone.now())
    return (
        OfferedQuery(meant.text, meant.query, plural(number, "capture"))
        if meant and number
        else None
    )


def unknown_values(captures: Captures, filter_bar: FilterBar) -> Iterator[UnknownValue]:
    for term in filter_bar.conditions.all[:MAX_TERMS]:
        near = captures.near_values(term.name, term.value)
        if near is not None:
            shown = ((each, filter_bar.replace_query(term, each)) for each in near)
            yield UnknownValue(CAPTURE_FIELDS.fields[term.name].label, term.value, tuple(shown))
