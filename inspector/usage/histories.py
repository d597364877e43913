"""What is watched of a team, hour by hour: for each model of each vendor, and each name asked for.

Read from the sums alone, so its cost is that of hours and series, not of captures; and bounded, for
names come from outside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from django.db.models import Q, QuerySet
from django.db.models import Sum as SumOf

from inspector.archive.database import Slot as SlotNumber
from inspector.archive.projection import NO_FINISH
from inspector.core.analysis import Verdict
from inspector.usage.alike import EXACT
from inspector.usage.answered import Answers, Counted, Histories, KeysSeen, Place
from inspector.usage.histogram import TO_A_DOUBLING
from inspector.usage.keys import OTHER_KEYS
from inspector.usage.measures import Measure
from inspector.usage.models import BUCKETS, HOUR_SECONDS, KeySet, Octave, Series, Sum

WATCHED = Q(measure=Measure.VERDICT, value=Verdict.COMPLETE) | Q(
    measure__in=(Measure.FINISH_REASON, Measure.KEYS)
)
ROWS_AT_ONCE = 5_000
MOST_SERIES = 20_000
MOST_MODELS = 1_000
MOST_KEY_SETS = 1_000
"""The most common of a look."""

Kept = TypeVar("Kept")


class Alike(NamedTuple):
    """What is watched of a series of captures that are alike in everything."""

    vendor: str | None
    model: str | None
    request_model: str | None
    service_tier: str | None
    fingerprint: str | None


def histories(team_id: int, first: int, end: int) -> Histories:
    """Of the hours from ``first`` up to ``end``, counted from 1970.

    Some vendors send a fingerprint of its own with every answer: of a team with too many series
    nothing is told of fingerprints, and the rest is added up by the database.
    """
    hours = Q(
        team=team_id,
        by=EXACT,
        span_seconds=HOUR_SECONDS,
        start__gte=moment_of(first),
        start__lt=moment_of(end),
    )
    try:
        found = _read(hours, partial(_one_by_one, Series.objects.filter(team=team_id)))
    except _TooMany:
        found = _read(hours, _added_up)
    found.key_sets = _key_sets(team_id, found.answers.values())
    return found


def oldest_hour(team_id: int, since: int) -> int | None:
    """The first hour, from one on, that has sums."""
    hours = Sum.objects.filter(team=team_id, by=EXACT, span_seconds=HOUR_SECONDS)
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


Rows = Iterator[tuple[Any, ...]]
"""A series (``Alike``), an hour, what else tells rows apart, and numbers."""
Columns = Sequence[str]


def _read(hours: Q, rows_of: Callable[[QuerySet[Any], Columns, Columns], Rows]) -> Histories:
    found = Histories()
    # As a number: a moment made of each row takes longer than all the rest.
    hour = SlotNumber("start", HOUR_SECONDS)
    sums = Sum.objects.filter(hours, WATCHED).order_by().annotate(hour=hour)
    for row in rows_of(sums, ("measure", "value"), ("captures",)):
        _take(found, *row)
    octaves = Octave.objects.filter(hours, measure=Measure.FIRST_TOKEN_US).order_by()
    for row in rows_of(octaves.annotate(hour=hour), ("octave",), BUCKETS):
        _take_times(found, *row)
    return found


def _one_by_one(
    series: QuerySet[Series], sums: QuerySet[Any], names: Columns, numbers: Columns
) -> Rows:
    """Raises ``_TooMany``. A join would make a text of each name for each row."""
    seen: dict[int, Alike] = {}
    rows = sums.values_list("series", "hour", *names, *numbers).iterator(ROWS_AT_ONCE)
    while some := list(islice(rows, ROWS_AT_ONCE)):
        new = {series_id for series_id, *_ in some} - seen.keys()
        if len(seen) + len(new) > MOST_SERIES:
            raise _TooMany
        found = series.filter(pk__in=new).values_list("pk", *Alike._fields)
        seen |= {series_id: Alike._make(told) for series_id, *told in found}
        for series_id, *told in some:
            yield seen[series_id], *told


def _added_up(sums: QuerySet[Any], names: Columns, numbers: Columns) -> Rows:
    """Without fingerprints."""
    alike = [f"series__{column}" for column in Alike._fields[:-1]]
    told = {f"{number}_sum": SumOf(number) for number in numbers}
    rows = sums.values_list(*alike, "hour", *names).annotate(**told).iterator(ROWS_AT_ONCE)
    for row in rows:
        one, which, sizes = row[: len(alike)], row[len(alike) : -len(told)], row[-len(told) :]
        yield Alike._make([*one, None]), *which, *map(int, sizes)


def _take(
    found: Histories, series: Alike, hour: int, measure: str, value: str, captures: int
) -> None:
    answers = _at(found.answers, (series.vendor, series.model), Answers)
    if answers is None:
        return
    if measure == Measure.VERDICT:
        answers.fingerprints.add(hour, series.fingerprint, captures)
        answers.tiers.add(hour, series.service_tier, captures)
        _take_alias(found, series, hour, captures)
    elif measure == Measure.FINISH_REASON:
        if value != NO_FINISH:
            answers.finishes.add(hour, value, captures)
    elif value != OTHER_KEYS:
        answers.key_sets.add(hour, value, captures)


def _take_times(found: Histories, series: Alike, hour: int, octave: int, *told: int) -> None:
    answers = _at(found.answers, (series.vendor, series.model), Answers)
    for bucket, captures in enumerate(told, octave * TO_A_DOUBLING):
        if answers is not None and captures:
            answers.first_token.add(hour, bucket, captures)


def _take_alias(found: Histories, series: Alike, hour: int, captures: int) -> None:
    if series.request_model is None:
        return
    answered = _at(found.aliases, (series.vendor, series.request_model), Counted)
    if answered is not None:
        answered.add(hour, series.model, captures)


def _at(models: dict[Place, Kept], place: Place, new: Callable[[], Kept]) -> Kept | None:
    """None for one too many."""
    if place not in models and len(models) < MOST_MODELS:
        models[place] = new()
    return models.get(place)


def _key_sets(team_id: int, answers: Iterable[Answers]) -> dict[str, KeysSeen]:
    told: Counter[str] = Counter()
    for each in answers:
        told.update(each.key_sets.captures_by_value)
    digests = [digest for digest, _ in told.most_common(MOST_KEY_SETS)]
    rows = KeySet.objects.filter(team=team_id, digest__in=digests)
    columns = rows.values_list("digest", "streamed", "paths")
    return {digest: KeysSeen(streamed, frozenset(paths)) for digest, streamed, paths in columns}
