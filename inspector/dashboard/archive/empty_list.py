"""What an empty list says of its filters: which value no capture has, and which are near it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.archive.queries import Captures
from inspector.dashboard.archive.filter_bar import FIELD_LABELS, FilterBar


@dataclass(frozen=True, slots=True)
class UnknownValue:
    """A filter's value that no capture has; ``near`` are other values with the page's query for
    each.
    """

    label: str
    value: str
    near: tuple[tuple[str, str], ...]


def unknown_values(captures: Captures, filter_bar: FilterBar) -> Iterator[UnknownValue]:
    for term in filter_bar.conditions.all:
        near = captures.near_values(term.name, term.value)
        if near is not None:
            shown = ((each, filter_bar.replace_query(term, each)) for each in near)
            yield UnknownValue(FIELD_LABELS[term.name], term.value, tuple(shown))
