"""What is watched of a team, hour by hour: for each model of each vendor, and each name asked for.

Read from the sums alone, so its cost is that of hours and series, not of captures; and bounded, for
names come from outside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any, TypeVar

from django.db.models import Q, QuerySet

from inspector.archive.database import Slot as SlotNumber
from inspector.usage.alike import EXACT
from inspector.usage.answered import Answers, Counted, Histories, KeysSeen, Place
from inspector.usage.histogram import TO_A_DOUBLING
from inspector.usage.keys import KEYS, OTHER_KEYS
from inspector.usage.models import BUCKETS, HOUR_SECONDS, KeySet, Octave, Series, Sum
from inspector.usage.share import FINISH, VERDICT

COMPLETE = f"{VERDICT}complete"
FIRST_TOKEN = "first_token_us"
NO_FINISH = f"{FINISH}none"
WATCHED = Q(measure=COMPLETE) | Q(measure__startswith=FINISH) | Q(measure__startswith=KEYS)
ROWS_AT_ONCE = 5_000
MOST_MODELS = 1_000
MOST_KEY_SETS = 1_000
"""The most common of a look."""

Kept = TypeVar("Kept")


def histories(team_id: int, first: int, end: int) -> Histories:
    """Of the hours from ``first`` up to ``end``, counted from 1970."""
    found, series = Histories(), _SeriesSeen(team_id)
    hours = Q(
        team=team_id,
        by=EXACT,
        span_seconds=HOUR_SECONDS,
        start__gte=moment_of(first),
        start__lt=moment_of(end),
    )
    sums = Sum.objects.filter(hours, WATCHED)
    for row in series.rows(sums, "measure", "captures"):
        _take(found, *row)
    octaves = Octave.objects.filter(hours, measure=FIRST_TOKEN)
    for row in series.rows(octaves, "octave", *BUCKETS):
        _take_times(found, *row)
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


class _SeriesSeen:
    """What is known of the series that rows name by number."""

    def __init__(self, team_id: int) -> None:
        self._all = Series.objects.filter(team=team_id)
        self._seen: dict[int, Series] = {}

    def rows(self, sums: QuerySet[Any], *columns: str) -> Iterator[tuple[Any, ...]]:
        """The series, the hour, and what else is asked for."""
        # As a number: a moment made of each row takes longer than all the rest.
        numbered = sums.order_by().annotate(hour=SlotNumber("start", HOUR_SECONDS))
        rows = numbered.values_list("series", "hour", *columns).iterator(ROWS_AT_ONCE)
        while some := list(islice(rows, ROWS_AT_ONCE)):
            new = {series_id for series_id, *_ in some} - self._seen.keys()
            self._seen |= self._all.in_bulk(list(new))
            for series_id, *told in some:
                yield self._seen[series_id], *told


def _take(found: Histories, series: Series, hour: int, measure: str, captures: int) -> None:
    answers = _at(found.answers, (series.vendor, series.model), Answers)
    if answers is None:
        return
    if measure == COMPLETE:
        answers.fingerprints.add(hour, series.fingerprint, captures)
        answers.tiers.add(hour, series.service_tier, captures)
        _take_alias(found, series, hour, captures)
    elif measure.startswith(FINISH):
        if measure != NO_FINISH:
            answers.finishes.add(hour, measure.removeprefix(FINISH), captures)
    elif measure != OTHER_KEYS:
        answers.key_sets.add(hour, measure.removeprefix(KEYS), captures)


def _take_times(found: Histories, series: Series, hour: int, octave: int, *told: int) -> None:
    answers = _at(found.answers, (series.vendor, series.model), Answers)
    for bucket, captures in enumerate(told, octave * TO_A_DOUBLING):
        if answers is not None and captures:
            answers.first_token.add(hour, bucket, captures)


def _take_alias(found: Histories, series: Series, hour: int, captures: int) -> None:
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
