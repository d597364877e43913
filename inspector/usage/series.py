"""The series that sums are of: found by what they have in common, and made where they are new.

The names of a series go with the last capture that had them. Its row stays and is empty: a row
that tables as large as those of sums refer to is not removed without reading them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial

import msgspec
from django.db.models import CharField, F, QuerySet, Value
from django.db.models.functions import Cast, Concat

from inspector.archive.database import share_turns, take_turns
from inspector.usage.alike import ALL, Kind, column_of, within
from inspector.usage.alike import BY as NAMED
from inspector.usage.measures import Measure
from inspector.usage.models import DAY_SECONDS, HOUR_SECONDS, Series, Sum

TURNS = 4
"""Tells this use of PostgreSQL's advisory locks from others."""
GONE = "gone "
"""How the digest of a series begins whose names are forgotten. None of a kind does."""
DAYS_AT_ONCE = 30
"""Whose hours one statement asks about."""
NAMELESS = dict.fromkeys(map(column_of, NAMED))

Name = tuple[int, str]
"""A team's number and a digest."""
Numbers = Mapping[tuple[int, Kind], int]
"""Of the series of a team."""


def hold(team_ids: Collection[int], fewer: Collection[int]) -> None:
    """Until the transaction ends no series of these teams is forgotten by another, and those of
    ``fewer`` are this caller's alone: before any is looked for, and in one order.
    """
    if not fewer:
        share_turns(TURNS, team_ids)
        return
    for team_id in sorted({*team_ids, *fewer}):
        if team_id in fewer:
            take_turns(TURNS, team_id)
        else:
            share_turns(TURNS, [team_id])


def numbers_of(kinds: Collection[tuple[int, Kind]]) -> Numbers:
    """Of series, which are made where they are new."""
    names = {(team_id, kind.digest): kind for team_id, kind in kinds}
    found = _stored(names)
    new = sorted(names.keys() - found.keys())
    if new:
        Series.objects.bulk_create(
            (_row(*name, names[name]) for name in new), ignore_conflicts=True
        )
        found |= _stored(new)
    return {(name[0], kind): found[name] for name, kind in names.items()}


def kind_of(series: Series) -> Kind:
    return Kind(**{name: getattr(series, name) for name in Kind.__struct_fields__})


def forget_unused(team_id: int, exact: Kind, hour: datetime, numbers: Numbers) -> None:
    """After captures of this kind were taken from the sums of an hour, inside a turn taken alone.

    Where others of that day or hour have the name it is asked no further.
    """
    unused = [numbers[team_id, kind] for kind in _unused(team_id, exact, hour, numbers)]
    if unused:
        number = Cast(F("pk"), CharField())
        gone = Concat(Value(GONE), number)
        Series.objects.filter(pk__in=unused).update(digest=gone, **NAMELESS)


def _unused(team_id: int, exact: Kind, hour: datetime, numbers: Numbers) -> Iterator[Kind]:
    named = [kind for kind in within(exact, DAY_SECONDS) if kind.by != ALL]
    left = _left(team_id, named, hour.replace(hour=0), numbers)
    unused = [
        kind
        for kind in named
        if kind not in left and not _is_used(team_id, kind, _days(team_id), numbers)
    ]
    yield from unused
    if unused or not _is_used_by_the_hour(team_id, exact, hour, named, numbers):
        yield exact


def _left(team_id: int, named: Sequence[Kind], day: datetime, numbers: Numbers) -> Collection[Kind]:
    """Those that captures of the same day still have: nearly always all of them."""
    ids = {numbers[team_id, kind]: kind for kind in named}
    of_day = Sum.objects.filter(
        team=team_id,
        by__in=NAMED,
        span_seconds=DAY_SECONDS,
        start=day,
        series__in=ids,
        measure=Measure.CAPTURES,
    )
    return {ids[id] for id in of_day.values_list("series", flat=True)}


def _is_used_by_the_hour(
    team_id: int, exact: Kind, hour: datetime, named: Sequence[Kind], numbers: Numbers
) -> bool:
    """Where it was used lately that is soon found. Before, only days that have each of its names
    are asked about: these are few where one of them is rare.
    """
    days = _days(team_id)
    is_used = partial(_is_used, team_id, exact, numbers=numbers)
    if is_used(starts=[hour]) or is_used(starts=_hours(days[-DAYS_AT_ONCE:])):
        return True
    days = days[:-DAYS_AT_ONCE]
    for kind in named:
        found = _sums(team_id, kind, days, numbers) if days else Sum.objects.none()
        days = list(found.values_list("start", flat=True))
    parts = (days[at : at + DAYS_AT_ONCE] for at in range(0, len(days), DAYS_AT_ONCE))
    return any(is_used(starts=_hours(part)) for part in parts)


def _hours(days: Sequence[datetime]) -> list[datetime]:
    return [day + timedelta(hours=number) for day in days for number in range(24)]


def _is_used(team_id: int, kind: Kind, starts: Sequence[datetime], numbers: Numbers) -> bool:
    return _sums(team_id, kind, starts, numbers).exists()


def _sums(team_id: int, kind: Kind, starts: Sequence[datetime], numbers: Numbers) -> QuerySet[Sum]:
    """Each is found by the whole of its index."""
    return Sum.objects.filter(
        team=team_id,
        by=kind.by,
        span_seconds=DAY_SECONDS if kind.by in NAMED else HOUR_SECONDS,
        start__in=starts,
        series=numbers[team_id, kind],
        measure=Measure.CAPTURES,
    )


def _days(team_id: int) -> list[datetime]:
    """From the first that has sums to the last."""
    starts = Sum.objects.filter(team=team_id, by=ALL, span_seconds=DAY_SECONDS)
    ordered = starts.order_by("start").values_list("start", flat=True)
    first, last = ordered.first(), ordered.last()
    if first is None or last is None:
        return []
    return [first + timedelta(days=number) for number in range((last - first).days + 1)]


def _stored(names: Collection[Name]) -> dict[Name, int]:
    teams, digests = {team for team, _ in names}, {digest for _, digest in names}
    rows = Series.objects.filter(team__in=teams, digest__in=digests)
    return {(team, digest): id for id, team, digest in rows.values_list("id", "team", "digest")}


def _row(team_id: int, digest: str, kind: Kind) -> Series:
    return Series(team_id=team_id, digest=digest, **msgspec.structs.asdict(kind))
