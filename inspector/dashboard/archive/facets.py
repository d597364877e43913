"""Facet lists beside the archive: each filter value with the number of captures that match it."""

from dataclasses import dataclass

from inspector.archive.listing.capture_fields import CAPTURE_FIELDS, severities
from inspector.archive.listing.facet_counts import FINDING, Facet, FacetCounts, Value
from inspector.dashboard.archive.filter_bar import FilterBar, words_of
from inspector.formatting.invisible_characters import TextSegment, prose_segments
from inspector.query.parsed_query import FilterTerm

OPEN = ("result", FINDING, "model", "key", "tag")
FIRST_OPTIONS = 5
"""Five lists are open at once (`OPEN`): so short they stand beside the first rows."""
MAX_OPTIONS = 50
"""Further ones are counted: whoever looks for one of hundreds types it."""


@dataclass(frozen=True, slots=True)
class FacetOption:
    """One value of a facet; ``query`` is None where no filter can express the value."""

    text: str
    number: int
    query: str | None
    is_active: bool

    @property
    def segments(self) -> tuple[TextSegment, ...]:
        return prose_segments(self.text)


@dataclass(frozen=True, slots=True)
class FacetList:
    name: str
    title: str
    first: tuple[FacetOption, ...]
    more: tuple[FacetOption, ...]
    rest: int
    """Number of further values that are not listed."""
    without: str | None
    """The page's query without any value of the field; None where it has none."""

    @property
    def is_open(self) -> bool:
        """False for what stands under *More*; a facet that is filtered by is never folded away."""
        return self.name in OPEN or self.without is not None

    @property
    def more_number(self) -> int:
        return sum(choice.number for choice in self.more)


def facets_of(counts: FacetCounts, filter_bar: FilterBar) -> tuple[FacetList, ...]:
    """Return the facets that offer a value to choose or to remove, the open ones first."""
    facets = (facet_of(facet, filter_bar) for facet in counts.facets)
    offered = (it for it in facets if any(each.number or each.is_active for each in it.first))
    return tuple(sorted(offered, key=lambda facet: not facet.is_open))


def facet_of(facet: Facet, filter_bar: FilterBar) -> FacetList:
    numbers = dict(facet.values)
    missing_values = [
        each.value for each in filter_bar.conditions.of(facet.name) if each.value not in numbers
    ]
    if facet.name == FINDING:
        values: list[tuple[Value, int]] = [(each, numbers.get(each, 0)) for each in severities()]
    else:
        values = [*facet.values, *((value, 0) for value in missing_values)]
    choices = [facet_option(facet, value, number, filter_bar) for value, number in values]
    if facet.name != FINDING:
        # An active value is never folded away, else it could not be removed.
        choices.sort(key=lambda choice: not choice.is_active)
    most = choices[:MAX_OPTIONS]
    return FacetList(
        name=facet.name,
        title=CAPTURE_FIELDS.fields[facet.name].facet_title
        or CAPTURE_FIELDS.fields[facet.name].label,
        first=tuple(most[:FIRST_OPTIONS] if len(most) > FIRST_OPTIONS + 1 else most),
        more=tuple(most[FIRST_OPTIONS:] if len(most) > FIRST_OPTIONS + 1 else ()),
        rest=len(choices) - len(most),
        without=filter_bar.without_field(facet.name),
    )


def facet_option(facet: Facet, value: Value, number: int, filter_bar: FilterBar) -> FacetOption:
    if not value:
        absent = CAPTURE_FIELDS.fields[facet.name].absent or "empty"
        return FacetOption(value or absent, number, None, is_active=False)
    condition = FilterTerm(facet.name, value)
    holds = condition in filter_bar.conditions.all
    text = facet.words.get(value) or words_of(facet.name, value)
    return FacetOption(text, number, filter_bar.toggle_query(condition), holds)


def coverage_words(counts: FacetCounts) -> str:
    """Say how many captures were counted; empty where all matching ones were."""
    return "" if counts.is_all else f"of the newest {counts.number:,} that match"
