"""The series that sums are of: found by what they have in common, and made where they are new.

The names of a series go with the last capture that had them. Its row stays and is empty: a row
that tables as large as those of sums refer to is not removed without reading them.

By the hour captures that are alike in everything are one series; by the day there is one for each
value of each single thing. Days by what is alike in everything would make a month's page grow with
the captures, because some vendors send a fingerprint of its own in every answer.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial

import msgspec
from django.db.models import CharField, F, QuerySet, Value
from django.db.models.functions import Cast, Concat

from inspector.database.fixed_query import FixedQuery, Given
from inspector.database.portability import advisory_lock, shared_advisory_locks
from inspector.usage.measures import Measure
from inspector.usage.models import DAY_SECONDS, HOUR_SECONDS, UsageSeries, UsageSum
from inspector.usage.rollup.dimensions import ALL, DIMENSIONS, SeriesKey, TeamDigest, series_keys

SERIES_LOCK = 4
"""Tells this use of PostgreSQL's advisory locks from others."""
# Prefix of the digest of a series whose names were deleted; no real digest begins so.
FORGOTTEN = "gone "
# Days whose hours one statement looks up.
DAYS_AT_ONCE = 30
NO_NAMES = dict.fromkeys(name for name in SeriesKey.__struct_fields__ if name != "by")

SeriesIds = Mapping[tuple[int, SeriesKey], int]
"""Row ids of series, by team and key."""


def lock_series(team_ids: Collection[int], shrinking_teams: Collection[int]) -> None:
    """Lock series until the transaction ends: none of these teams' is forgotten by another
    transaction, and those of ``shrinking_teams``, which lose captures, are reserved for this one.
    Called before any series is looked up; teams are locked in the order of their ids, so that
    transactions cannot deadlock.
    """
    if not shrinking_teams:
        shared_advisory_locks(SERIES_LOCK, team_ids)
        return
    for team_id in sorted({*team_ids, *shrinking_teams}):
        if team_id in shrinking_teams:
            advisory_lock(SERIES_LOCK, team_id)
        else:
            shared_advisory_locks(SERIES_LOCK, [team_id])


def series_ids_of(keys: Collection[tuple[int, SeriesKey]]) -> SeriesIds:
    """Look up the rows of series, and make those that are new."""
    by_digest = {(team_id, key.digest): key for team_id, key in keys}
    found = _stored(by_digest)
    # Sorted: two transactions that insert the same digests in another order would deadlock.
    new = sorted(by_digest.keys() - found.keys())
    if new:
        UsageSeries.objects.bulk_create(
            (_row(*digest, by_digest[digest]) for digest in new), ignore_conflicts=True
        )
        # Looked up, not taken from the insert: rows that another transaction made have its ids.
        found |= _stored(new)
    return {(digest[0], key): found[digest] for digest, key in by_digest.items()}


def key_of_series(series: UsageSeries) -> SeriesKey:
    return SeriesKey(**{name: getattr(series, name) for name in SeriesKey.__struct_fields__})


def forget_unused(team_id: int, exact: SeriesKey, hour: datetime, series_ids: SeriesIds) -> None:
    """Delete the names of series without captures left.

    Called after captures with this exact key were subtracted from an hour, under the exclusive lock
    of the team.
    """
    unused = [series_ids[team_id, key] for key in _unused(team_id, exact, hour, series_ids)]
    if unused:
        number = Cast(F("pk"), CharField())
        gone = Concat(Value(FORGOTTEN), number)
        UsageSeries.objects.filter(pk__in=unused).update(digest=gone, **NO_NAMES)


def _unused(
    team_id: int, exact: SeriesKey, hour: datetime, series_ids: SeriesIds
) -> Iterator[SeriesKey]:
    daily = [key for key in series_keys(exact, DAY_SECONDS) if key.by != ALL]
    counted = _still_counted_on(team_id, daily, hour.replace(hour=0), series_ids)
    searched = [key for key in daily if key not in counted]
    days = _days(team_id) if searched else []
    unused = [key for key in searched if not _is_used(team_id, key, days, series_ids)]
    yield from unused
    # A capture of the exact series would count in each of the others: one that is unused says that
    # there is none, without a search.
    if unused or not _is_used_by_the_hour(team_id, exact, hour, daily, series_ids):
        yield exact


def _still_counted_on(
    team_id: int, daily: Sequence[SeriesKey], day: datetime, series_ids: SeriesIds
) -> Collection[SeriesKey]:
    # Nearly always all of them, so this saves the slow searches below.
    ids = {series_ids[team_id, key]: key for key in daily}
    of_day = UsageSum.objects.filter(
        team=team_id,
        by__in=DIMENSIONS,
        span_seconds=DAY_SECONDS,
        start=day,
        series__in=ids,
        measure=Measure.CAPTURES,
    )
    return {ids[series_id] for series_id in of_day.values_list("series", flat=True)}


def _is_used_by_the_hour(
    team_id: int,
    exact: SeriesKey,
    hour: datetime,
    daily: Sequence[SeriesKey],
    series_ids: SeriesIds,
) -> bool:
    # Recent days are searched first, which nearly always ends it. Of earlier days only those are
    # searched that have every one of the names: few, where one of them is rare.
    days = _days(team_id)
    is_used = partial(_is_used, team_id, exact, series_ids=series_ids)
    if is_used(starts=[hour]) or is_used(starts=_hours(days[-DAYS_AT_ONCE:])):
        return True
    days = days[:-DAYS_AT_ONCE]
    for key in daily:
        found = _sums(team_id, key, days, series_ids) if days else UsageSum.objects.none()
        days = list(found.values_list("start", flat=True))
    parts = (days[at : at + DAYS_AT_ONCE] for at in range(0, len(days), DAYS_AT_ONCE))
    return any(is_used(starts=_hours(part)) for part in parts)


def _hours(days: Sequence[datetime]) -> list[datetime]:
    return [day + timedelta(hours=number) for day in days for number in range(24)]


def _is_used(
    team_id: int, key: SeriesKey, starts: Sequence[datetime], series_ids: SeriesIds
) -> bool:
    return _sums(team_id, key, starts, series_ids).exists()


def _sums(
    team_id: int, key: SeriesKey, starts: Sequence[datetime], series_ids: SeriesIds
) -> QuerySet[UsageSum]:
    # All columns of the index are given.
    return UsageSum.objects.filter(
        team=team_id,
        by=key.by,
        span_seconds=DAY_SECONDS if key.by in DIMENSIONS else HOUR_SECONDS,
        start__in=starts,
        series=series_ids[team_id, key],
        measure=Measure.CAPTURES,
    )


def _days(team_id: int) -> list[datetime]:
    starts = UsageSum.objects.filter(team=team_id, by=ALL, span_seconds=DAY_SECONDS)
    ordered = starts.order_by("start").values_list("start", flat=True)
    first, last = ordered.first(), ordered.last()
    if first is None or last is None:
        return []
    return [first + timedelta(days=number) for number in range((last - first).days + 1)]


def _stored(wanted: Collection[TeamDigest]) -> dict[TeamDigest, int]:
    if not wanted:
        return {}
    teams, digests = {team for team, _ in wanted}, {digest for _, digest in wanted}
    rows = _STORED.rows(teams=teams, digests=digests)
    return {(team, digest): series_id for series_id, team, digest in rows}


_STORED = FixedQuery(
    lambda: UsageSeries.objects.filter(
        team__among=Given("teams"), digest__among=Given("digests")
    ).values_list("id", "team", "digest")
)


def _row(team_id: int, digest: str, key: SeriesKey) -> UsageSeries:
    return UsageSeries(team_id=team_id, digest=digest, **msgspec.structs.asdict(key))
