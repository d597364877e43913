"""How many of what, over the newest captures that match: so that no archive is too large for it."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import BooleanField, ExpressionWrapper, F, Q, QuerySet, TextField
from django.db.models.functions import Cast

from inspector.archive.database import AT, Slot, tally, time_limit
from inspector.archive.filters import Filters
from inspector.archive.models import Capture
from inspector.core.findings import Severity

COUNTED_ROWS = 10_000
"""The newest that match. Of an archive with more, what is counted are these."""
LIMIT_MILLISECONDS = 2_000
MOST_BARS = 170
"""A week has 168 hours, and it may begin in the middle of one."""
FEWEST_BARS = 40
"""A few captures of one moment are not drawn as a wall."""
STEPS_SECONDS = (
    *(1, 2, 5, 10, 30),
    *(60, 120, 300, 600, 1800),
    *(3600, 2 * 3600, 3 * 3600, 6 * 3600, 12 * 3600),
    *(86_400, 2 * 86_400, 7 * 86_400, 30 * 86_400),
)

Value = str | None
"""None: the captures that have none."""
Narrowed = Callable[[Filters], QuerySet[Capture]]
Alike = list[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Facet:
    """``name`` is a filter's; each value with the captures that have it, most first."""

    name: str
    values: tuple[tuple[Value, int], ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """The captures of one stretch of time by their verdicts (None: not inspected)."""

    start: datetime
    end: datetime
    verdicts: Mapping[Value, int]


@dataclass(frozen=True, slots=True)
class Counts:
    number: int
    """How many were counted."""
    is_all: bool
    """There are no more that match."""
    facets: tuple[Facet, ...]
    bars: tuple[Bar, ...]
    """One after the other, also where nothing was received; none where nothing was counted."""
    step: timedelta


def counts_of(narrowed: Narrowed, filters: Filters, now: datetime) -> Counts:
    """``narrowed`` gives the captures that some filters mean. Raises ``TookTooLong``."""
    with time_limit(LIMIT_MILLISECONDS):
        return _counts_of(narrowed, filters, now)


def _counts_of(narrowed: Narrowed, filters: Filters, now: datetime) -> Counts:
    alike = tally(newest(narrowed, filters, CELLS), [*CELLS])
    number = sum(row[-3] for row in alike)
    facets = tuple(facet_of(name, alike, narrowed, filters) for name in FACETS)
    if not number:
        return Counts(0, True, facets, (), timedelta())
    is_all = number < COUNTED_ROWS
    start, end = extent(filters, is_all, alike, now)
    step_s = step_seconds(end - start)
    if is_all and not filters.since:
        start = min(start, end - (FEWEST_BARS - 1) * step_s)
    bars = bars_of(newest(narrowed, filters, bar_cells(step_s)), start, end, step_s)
    return Counts(number, is_all, facets, tuple(bars), timedelta(seconds=step_s))


def newest(narrowed: Narrowed, filters: Filters, cells: Mapping[str, Any]) -> QuerySet[Capture]:
    rows = narrowed(filters).annotate(**cells, **{AT: Slot("received_at", 1)})
    return rows.order_by(*filters.order.newest_first)[:COUNTED_ROWS]


# -- by value -------------------------------------------------------------------------------------


def _some(severity: str) -> Any:
    return ExpressionWrapper(Q(**{f"inspection__{severity}_count__gt": 0}), BooleanField())


def _json(column: str) -> Any:
    return Cast(column, TextField())


CELLS: dict[str, Any] = {
    "of_verdict": F("inspection__verdict"),
    **{f"of_{severity}": _some(severity) for severity in Severity},
    "of_model": F("inspection__model"),
    "of_finish_reason": _json("inspection__finish_reasons"),
    "of_dialect": F("inspection__dialect"),
    "of_tag": _json("tags"),
}
FACETS = {
    "verdict": ("of_verdict",),
    "finding": tuple(f"of_{severity}" for severity in Severity),
    "model": ("of_model",),
    "finish_reason": ("of_finish_reason",),
    "dialect": ("of_dialect",),
    "tag": ("of_tag",),
}
ALL_MEANT = "tag"
"""Several of the others mean any of them: what could be added is no part of what matches now."""


def facet_of(name: str, alike: Alike, narrowed: Narrowed, filters: Filters) -> Facet:
    cells = {cell: CELLS[cell] for cell in FACETS[name]}
    columns = list(CELLS)
    if getattr(filters, name) and name != ALL_MEANT:
        none: dict[str, Any] = {name: ()}
        alike = tally(newest(narrowed, replace(filters, **none), cells), [*cells])
        columns = list(cells)
    numbers: Counter[Value] = Counter()
    for row in alike:
        for value in values_of(name, [row[columns.index(cell)] for cell in cells]):
            numbers[value] += row[-3]
    return Facet(name, most_first(numbers))


def values_of(name: str, cells: list[Any]) -> Iterable[Value]:
    if name == "finding":
        return [severity for severity, some in zip(Severity, cells, strict=True) if some]
    if name in ("finish_reason", "tag"):
        return dict.fromkeys(json.loads(cells[0] or "[]"))
    return cells


def most_first(numbers: Counter[Value]) -> tuple[tuple[Value, int], ...]:
    return tuple(sorted(numbers.items(), key=lambda each: (-each[1], each[0] or "")))


# -- by time --------------------------------------------------------------------------------------


def bar_cells(step_s: int) -> dict[str, Any]:
    return {"of_slot": Slot("received_at", step_s), "of_verdict": F("inspection__verdict")}


def extent(filters: Filters, is_all: bool, alike: Alike, now: datetime) -> tuple[int, int]:
    """Seconds from 1970: what was asked for, as far as it was counted; else what there is."""
    first, last = min(row[-2] for row in alike), max(row[-1] for row in alike)
    start, end = first, last
    if filters.since and is_all:
        start = min(first, math.floor(filters.since.timestamp()))
    if filters.since or filters.until:
        end = max(last, math.floor(min(filters.until or now, now).timestamp()))
    return start, end


def step_seconds(seconds: int) -> int:
    """The shortest usual step that does not make too many bars."""
    longest = STEPS_SECONDS[-1]
    needed = math.ceil(seconds / (MOST_BARS - 1))
    return next((s for s in STEPS_SECONDS if s >= needed), math.ceil(needed / longest) * longest)


def bars_of(rows: QuerySet[Capture], start: int, end: int, step_s: int) -> Iterable[Bar]:
    slots: dict[int, dict[Value, int]] = {}
    for slot, verdict, number, *_ in tally(rows, ["of_slot", "of_verdict"]):
        slots.setdefault(slot, {})[verdict] = number
    for slot in range(start // step_s, end // step_s + 1):
        yield Bar(_moment(slot * step_s), _moment((slot + 1) * step_s), slots.get(slot, {}))


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
