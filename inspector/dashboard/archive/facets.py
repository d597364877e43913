"""Facet lists beside the archive: each filter value with the number of captures that match it."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.archive.listing.facet_counts import Facet, FacetCounts, Value
from inspector.archive.listing.filter_params import FilterTerm
from inspector.core.findings import Severity
from inspector.dashboard.archive.filter_bar import FilterBar

TITLES = {
    "verdict": "verdict",
    "result": "result",
    "finding": "finding, by severity",
    "model": "model answered",
    "finish_reason": "finish reason",
    "dialect": "dialect",
    "tag": "tag",
}
FIRST_OPTIONS = 6
MAX_OPTIONS = 50
ABSENT_VALUE_WORDS = {
    "verdict": "not inspected",
    "result": "not inspected",
    "model": "none named",
    "dialect": "not recognised",
}


@dataclass(frozen=True, slots=True)
class FacetOption:
    """One value of a facet; ``query`` is None where no filter can express the value."""

    text: str
    number: int
    query: str | None
    is_active: bool


@dataclass(frozen=True, slots=True)
class FacetList:
    name: str
    title: str
    first: tuple[FacetOption, ...]
    more: tuple[FacetOption, ...]
    rest: int
    """Number of further values that are not listed."""

    @property
    def more_number(self) -> int:
        return sum(choice.number for choice in self.more)


def facets_of(counts: FacetCounts, filter_bar: FilterBar) -> tuple[FacetList, ...]:
    """Returns the facets that offer a value to choose or to remove."""
    facets = (facet_of(facet, filter_bar) for facet in counts.facets)
    return tuple(
        facet for facet in facets if any(each.number or each.is_active for each in facet.first)
    )


def facet_of(facet: Facet, filter_bar: FilterBar) -> FacetList:
    numbers = dict(facet.values)
    missing_values = [
        each.value for each in filter_bar.conditions.of(facet.name) if each.value not in numbers
    ]
    if facet.name == "finding":
        severities = {severity: numbers.get(severity, 0) for severity in map(str, Severity)}
        values: list[tuple[Value, int]] = [*severities.items()]
    else:
        values = [*facet.values, *((value, 0) for value in missing_values)]
    choices = [facet_option(facet.name, value, number, filter_bar) for value, number in values]
    if facet.name != "finding":
        # An active value is never folded away, else it could not be removed.
        choices.sort(key=lambda choice: not choice.is_active)
    most = choices[:MAX_OPTIONS]
    return FacetList(
        name=facet.name,
        title=TITLES[facet.name],
        first=tuple(most[:FIRST_OPTIONS] if len(most) > FIRST_OPTIONS + 1 else most),
        more=tuple(most[FIRST_OPTIONS:] if len(most) > FIRST_OPTIONS + 1 else ()),
        rest=len(choices) - len(most),
    )


def facet_option(name: str, value: Value, number: int, filter_bar: FilterBar) -> FacetOption:
    if not value:
        return FacetOption(
            value or ABSENT_VALUE_WORDS.get(name, "empty"), number, None, is_active=False
        )
    condition = FilterTerm(name, value)
    holds = condition in filter_bar.conditions.all
    return FacetOption(value, number, filter_bar.toggle_query(condition), holds)


def coverage_words(counts: FacetCounts) -> str:
    """Says how many captures were counted; empty where all matching ones were."""
    return "" if counts.is_all else f"of the newest {counts.number:,} that match"
