"""Loads a team's histories: hour by hour, for each model of each vendor and each requested name.

Read from sums alone, so the cost grows with hours and series, not with captures; bounded, because
names come from payloads.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from django.db.models import Q, QuerySet
from django.db.models import Sum as SumOf

from inspector.core.analysis import Verdict
from inspector.database.portability import TimeSlot as SlotNumber
from inspector.usage.drift.histories import (
    HourlyCounts,
    ModelHistory,
    StreamedFieldPaths,
    TeamHistories,
    VendorModel,
)
from inspector.usage.measures import Measure
from inspector.usage.models import HOUR_SECONDS, FieldSet, UsageSeries, UsageSum
from inspector.usage.rollup.dimensions import EXACT
from inspector.usage.rollup.field_paths import OTHER_FIELDS

WATCHED_MEASURES = Q(measure=Measure.VERDICT, value=Verdict.COMPLETE) | Q(measure=Measure.FIELDS)
ROWS_AT_ONCE = 5_000
"""In memory at a time, of a month of sums."""
MAX_SERIES = 20_000
"""Names come from payloads: a sender may make up one for each call."""
MAX_MODELS = 1_000
"""As above; what is beyond is not watched."""
MAX_FIELD_SETS = 1_000
"""The most common of a scan."""

Item = TypeVar("Item")


class WatchedSeries(NamedTuple):
    """The columns of a series that drift detection uses."""

    vendor: str | None
    model: str | None
    request_model: str | None
    service_tier: str | None
    other_service_tier: str | None
    fingerprint: str | None


def load_histories(team_id: int, first: int, end: int) -> TeamHistories:
    """Load the hours from ``first`` to ``end`` (exclusive), counted from 1970.

    Some vendors send another fingerprint with every response: for a team with too many series
    fingerprints are left out, and the database adds up the rest.
    """
    hours = Q(
        team=team_id,
        by=EXACT,
        span_seconds=HOUR_SECONDS,
        start__gte=moment_of(first),
        start__lt=moment_of(end),
    )
    try:
        found = _read(hours, partial(_rows_by_series, UsageSeries.objects.filter(team=team_id)))
    except _TooMany:
        found = _read(hours, _summed_by_database)
    found.field_sets = _field_sets(team_id, found.answers.values())
    return found


def oldest_hour(team_id: int, since: int) -> int | None:
    """Return the first hour with sums, from a given hour on."""
    hours = UsageSum.objects.filter(team=team_id, by=EXACT, span_seconds=HOUR_SECONDS)
    sums = hours.filter(start__gte=moment_of(since))
    found = sums.order_by("start").values_list("start", flat=True).first()
    return hour_of(found) if found else None


def hour_of(moment: datetime) -> int:
    return int(moment.timestamp()) // HOUR_SECONDS


def moment_of(hour: int) -> datetime:
    return datetime.fromtimestamp(hour * HOUR_SECONDS, UTC)


# -- reading --------------------------------------------------------------------------------------


class _TooMany(Exception):
    pass


WatchedRows = Iterator[tuple[Any, ...]]
"""Rows of a series (``WatchedSeries``), an hour, ``COLUMNS`` and a number of captures."""
COLUMNS = ("measure", "value")


def _read(hours: Q, rows_of: Callable[[QuerySet[UsageSum]], WatchedRows]) -> TeamHistories:
    found = TeamHistories()
    # As a number: a moment made of each row takes longer than all the rest.
    hour = SlotNumber("start", HOUR_SECONDS)
    sums = UsageSum.objects.filter(hours, WATCHED_MEASURES).order_by().annotate(hour=hour)
    for row in rows_of(sums):
        _add_counts(found, *row)
    return found


def _rows_by_series(series: QuerySet[UsageSeries], sums: QuerySet[UsageSum]) -> WatchedRows:
    """Raise ``_TooMany``. A join would make a text of each name for each row."""
    seen: dict[int, WatchedSeries] = {}
    rows = sums.values_list("series", "hour", *COLUMNS, "captures").iterator(ROWS_AT_ONCE)
    while some := list(islice(rows, ROWS_AT_ONCE)):
        new = {series_id for series_id, *_ in some} - seen.keys()
        if len(seen) + len(new) > MAX_SERIES:
            raise _TooMany
        found = series.filter(pk__in=new).values_list("pk", *WatchedSeries._fields)
        seen |= {series_id: WatchedSeries._make(names) for series_id, *names in found}
        for series_id, *columns in some:
            yield seen[series_id], *columns


def _summed_by_database(sums: QuerySet[UsageSum]) -> WatchedRows:
    # Without fingerprints: there are too many series to fetch.
    columns = [f"series__{column}" for column in WatchedSeries._fields[:-1]]
    rows = sums.values_list(*columns, "hour", *COLUMNS)
    for row in rows.annotate(total=SumOf("captures")).iterator(ROWS_AT_ONCE):
        yield (
            WatchedSeries._make([*row[: len(columns)], None]),
            *row[len(columns) : -1],
            int(row[-1]),
        )


def _add_counts(
    found: TeamHistories, series: WatchedSeries, hour: int, measure: str, value: str, captures: int
) -> None:
    answers = _at(found.answers, (series.vendor, series.model), ModelHistory)
    if answers is None:
        return
    if measure == Measure.VERDICT:
        answers.fingerprints.add(hour, series.fingerprint, captures)
        if series.other_service_tier is None:
            answers.tiers.add(hour, series.service_tier, captures)
        _add_alias(found, series, hour, captures)
    elif value != OTHER_FIELDS:
        answers.field_sets.add(hour, value, captures)


def _add_alias(found: TeamHistories, series: WatchedSeries, hour: int, captures: int) -> None:
    if series.request_model is None:
        return
    answered = _at(found.aliases, (series.vendor, series.request_model), HourlyCounts)
    if answered is not None:
        answered.add(hour, series.model, captures)


def _at(
    models: dict[VendorModel, Item], model: VendorModel, new: Callable[[], Item]
) -> Item | None:
    """Return the model's item, made where new; None where there are ``MAX_MODELS`` already."""
    if model not in models and len(models) < MAX_MODELS:
        models[model] = new()
    return models.get(model)


def _field_sets(team_id: int, answers: Iterable[ModelHistory]) -> dict[str, StreamedFieldPaths]:
    captures: Counter[str] = Counter()
    for each in answers:
        captures.update(each.field_sets.captures_by_value)
    digests = [digest for digest, _ in captures.most_common(MAX_FIELD_SETS)]
    rows = FieldSet.objects.filter(team=team_id, digest__in=digests)
    columns = rows.values_list("digest", "streamed", "paths")
    return {
        digest: StreamedFieldPaths(streamed, frozenset(paths))
        for digest, streamed, paths in columns
    }
