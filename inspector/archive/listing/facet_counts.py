"""Counts filter values (facets) and arrivals over the newest matching captures. At most a fixed
number of captures is counted, so that the cost does not grow with the archive.

An exact count would be paid by everybody at every look: of 1,000,000 captures 0.5 s. The newest
10,000 are what somebody asks who has just opened the list.
"""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import BooleanField, ExpressionWrapper, F, Q, QuerySet, TextField
from django.db.models.functions import Cast

from inspector.archive.listing.capture_fields import CAPTURE_FIELDS, EMPTY_FINISH, severities
from inspector.archive.listing.filters import Filters
from inspector.archive.models import Capture
from inspector.database.portability import AT, TimeSlot, count_groups, time_limit
from inspector.query.fields import Field

# Most captures counted; of a larger result the newest.
COUNTED_ROWS = 10_000
LIMIT_MILLISECONDS = 2_000
"""Then the list stands without them."""
MAX_BARS = 170
"""A week has 168 hours, and it may begin in the middle of one."""
MIN_BARS = 40
"""A few captures of one moment are not drawn as a wall."""
STEPS_SECONDS = (
    *(1, 2, 5, 10, 30),
    *(60, 120, 300, 600, 1800),
    *(3600, 2 * 3600, 3 * 3600, 6 * 3600, 12 * 3600),
    *(86_400, 2 * 86_400, 7 * 86_400, 30 * 86_400),
)

Value = str | None
"""None stands for captures without a value."""
Ending = tuple[Value, Value]
"""Verdict and result."""
FilteredCaptures = Callable[[Filters], QuerySet[Capture]]
GroupedCounts = list[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Facet:
    """One filter name; each value with its captures, largest first. ``words`` stand for values."""

    name: str
    values: tuple[tuple[Value, int], ...]
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HistogramBar:
    """One bar: captures that arrived in a period, by verdict and result (None: not inspected)."""

    start: datetime
    end: datetime
    endings: Mapping[Ending, int]


@dataclass(frozen=True, slots=True)
class FacetCounts:
    number: int
    """Number of captures counted."""
    is_all: bool
    """All matching captures were counted."""
    facets: tuple[Facet, ...]
    bars: tuple[HistogramBar, ...]
    """Bars of equal length without gaps, also where nothing arrived; empty without a count."""
    step: timedelta


def count_facets(
    filtered_captures: FilteredCaptures, filters: Filters, now: datetime
) -> FacetCounts:
    """``filtered_captures`` are those that match given filters. Raises ``StatementTimeout``."""
    with time_limit(LIMIT_MILLISECONDS):
        return _count_facets(filtered_captures, filters, now)


def _count_facets(
    filtered_captures: FilteredCaptures, filters: Filters, now: datetime
) -> FacetCounts:
    columns = group_columns()
    alike = count_groups(newest_rows(filtered_captures, filters, columns), [*columns])
    number = sum(row[-3] for row in alike)
    names = (field.name for field in CAPTURE_FIELDS.facets())
    facets = tuple(facet_of(name, alike, filtered_captures, filters) for name in names)
    if not number:
        return FacetCounts(0, True, facets, (), timedelta())
    is_all = number < COUNTED_ROWS
    start, end = time_extent(filters, is_all, alike, now)
    step_s = step_seconds(end - start)
    # Few captures at one moment get room on the left instead of one bar as wide as the chart.
    if is_all and not filters.since:
        start = min(start, end - (MIN_BARS - 1) * step_s)
    bars = bars_of(newest_rows(filtered_captures, filters, bar_columns(step_s)), start, end, step_s)
    return FacetCounts(number, is_all, facets, tuple(bars), timedelta(seconds=step_s))


def newest_rows(
    filtered_captures: FilteredCaptures, filters: Filters, cells: Mapping[str, Any]
) -> QuerySet[Capture]:
    rows = filtered_captures(filters).annotate(**cells, **{AT: TimeSlot("called_at", 1)})
    return rows.order_by(*filters.order.newest_first)[:COUNTED_ROWS]


# -- by value -------------------------------------------------------------------------------------


def _has_severity(severity: str) -> Any:
    return ExpressionWrapper(Q(**{f"inspection__{severity}_count__gt": 0}), BooleanField())


def columns_of(field: Field) -> dict[str, Any]:
    """Return the columns, by name, by which rows are grouped for the facet of a field."""
    if field.name == FINDING:
        return {f"of_{severity}": _has_severity(severity) for severity in severities()}
    path = field.counted
    cell = Cast(path, TextField()) if field.is_list else F(path)
    return {f"of_{field.name}": cell}


def group_columns() -> dict[str, Any]:
    """Return the columns of all facets."""
    grouped = (field for field in CAPTURE_FIELDS.facets() if field.count_rows is None)
    return {name: cell for field in grouped for name, cell in columns_of(field).items()}


FINDING = "finding"
"""Its facet counts severities, which stand in columns; codes stand in rows of their own."""


def facet_of(
    name: str, alike: GroupedCounts, filtered_captures: FilteredCaptures, filters: Filters
) -> Facet:
    field = CAPTURE_FIELDS.fields[name]
    if field.count_rows is not None:
        return facet_of_rows(field, filtered_captures, filters)
    cells = columns_of(field)
    columns = [*group_columns()]
    # The filter's own values are left out, or a facet would offer only what is already chosen.
    if filters.values(name) and not field.needs_all:
        others = filters.without(name, but=lambda value: is_kept(name, value))
        alike = count_groups(newest_rows(filtered_captures, others, cells), [*cells])
        columns = list(cells)
    numbers: Counter[Value] = Counter()
    for row in alike:
        for value in values_of(field, [row[columns.index(cell)] for cell in cells]):
            numbers[value] += row[-3]
    return Facet(name, tuple(sorted(numbers.items(), key=lambda each: (-each[1], each[0] or ""))))


def facet_of_rows(field: Field, filtered_captures: FilteredCaptures, filters: Filters) -> Facet:
    assert field.count_rows is not None, "the caller looked"
    ids = newest_rows(filtered_captures, filters.without(field.name), {}).values("id")
    found = tuple(field.count_rows(ids, filters.values(field.name)))
    words = {value: shown for value, _, shown in found if shown}
    return Facet(field.name, tuple((value, number) for value, number, _ in found), words)


def is_kept(name: str, value: str) -> bool:
    """Return True if a facet does not offer this value, so that it is counted within it."""
    return name == FINDING and value not in severities()


def values_of(field: Field, cells: list[Any]) -> Iterable[Value]:
    if field.name == FINDING:
        return [severity for severity, some in zip(severities(), cells, strict=True) if some]
    if field.is_list:
        # A reason may be sent as an empty text; a tag is none.
        return dict.fromkeys(each or EMPTY_FINISH for each in json.loads(cells[0] or "[]"))
    return cells


# -- by time --------------------------------------------------------------------------------------


def bar_columns(step_s: int) -> dict[str, Any]:
    endings = {f"of_{name}": F(f"inspection__{name}") for name in ("verdict", "result")}
    return {"of_slot": TimeSlot("called_at", step_s), **endings}


def time_extent(
    filters: Filters, is_all: bool, alike: GroupedCounts, now: datetime
) -> tuple[int, int]:
    """First and last second (Unix time): the period as far as it was counted, or the captures'."""
    first, last = min(row[-2] for row in alike), max(row[-1] for row in alike)
    start, end = first, last
    if filters.since and is_all:
        start = min(first, math.floor(filters.since.timestamp()))
    if filters.since or filters.until:
        end = max(last, math.floor(min(filters.until or now, now).timestamp()))
    return start, end


def step_seconds(seconds: int) -> int:
    """Return the shortest usual step that does not make too many bars."""
    longest = STEPS_SECONDS[-1]
    needed = math.ceil(seconds / (MAX_BARS - 1))
    return next((s for s in STEPS_SECONDS if s >= needed), math.ceil(needed / longest) * longest)


def bars_of(rows: QuerySet[Capture], start: int, end: int, step_s: int) -> Iterable[HistogramBar]:
    slots: dict[int, dict[Ending, int]] = {}
    grouped = count_groups(rows, ["of_slot", "of_verdict", "of_result"])
    for slot, verdict, result, number, *_ in grouped:
        slots.setdefault(slot, {})[verdict, result] = number
    for slot in range(start // step_s, end // step_s + 1):
        yield HistogramBar(
            _moment(slot * step_s), _moment((slot + 1) * step_s), slots.get(slot, {})
        )


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
