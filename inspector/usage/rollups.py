"""Keeping the sums: a projection, told of everything that one transaction stores or deletes.

What a capture gave is kept beside it and taken back before it gives anew, so whatever is read
again, repeated or deleted counts once, and a sum changes by the captures at hand alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

import msgspec
from django.db.models import Q

from inspector.archive import bulk
from inspector.archive.inspection import Replaced
from inspector.usage.models import DAY_SECONDS, SPANS, Series, Share, Sum
from inspector.usage.share import Kind, Measures, told

ADD = (
    "ON CONFLICT (team_id, span_seconds, start, series_id, measure) DO UPDATE SET"
    " captures = usage_sum.captures + excluded.captures, total = usage_sum.total + excluded.total"
)


class Cell(NamedTuple):
    """The place of one sum. Transactions take them in this order: none waits in a circle."""

    team_id: int
    span_seconds: int
    start: datetime
    series_id: int
    measure: str


class Given(NamedTuple):
    """By one capture, in the hour of its arrival."""

    capture_id: UUID
    team_id: int
    series_id: int
    start: datetime
    measures: Measures


def count(replaced: Sequence[Replaced]) -> None:
    """The projection (``settings.PROJECTIONS``)."""
    befores = _given_before([_capture_id(each) for each in replaced])
    afters = _given_now(replaced)
    if befores:
        Share.objects.filter(pk__in=[given.capture_id for given in befores]).delete()
    bulk.insert([_share(given) for given in afters])
    changes = _changes(befores, afters)
    bulk.insert([_sum(cell, *changes[cell]) for cell in sorted(changes)], on_conflict=ADD)
    if befores:
        _forget_empty(cell for cell, (captures, _) in changes.items() if captures < 0)


def hour_of(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def start_of(hour: datetime, span_seconds: int) -> datetime:
    return hour.replace(hour=0) if span_seconds == DAY_SECONDS else hour


def _capture_id(each: Replaced) -> UUID:
    rows = each.after or each.before
    assert rows is not None, "nothing was replaced by nothing"
    id: UUID = rows.inspection.capture_id
    return id


# -- what captures give ---------------------------------------------------------------------------


def _given_before(ids: Collection[UUID]) -> list[Given]:
    shares = Share.objects.filter(pk__in=ids).select_related("series")
    return [
        Given(
            share.capture_id,
            share.series.team_id,
            share.series_id,
            share.start,
            msgspec.json.decode(bytes(share.measures), type=dict[str, int | None]),
        )
        for share in shares
    ]


def _given_now(replaced: Sequence[Replaced]) -> list[Given]:
    afters = [each.after for each in replaced if each.after is not None]
    said = [told(rows, rows.analysis) for rows in afters if rows.analysis is not None]
    assert len(said) == len(afters), "what is stored now was read now"
    captures = [rows.inspection.capture for rows in afters]
    numbers = _series([(c.team_id, one.kind) for c, one in zip(captures, said, strict=True)])
    return [
        Given(
            capture.pk,
            capture.team_id,
            numbers[capture.team_id, one.kind.digest],
            hour_of(capture.received_at),
            one.measures,
        )
        for capture, one in zip(captures, said, strict=True)
    ]


def _series(kinds: Iterable[tuple[int, Kind]]) -> dict[tuple[int, str], int]:
    """The numbers of the series, made where they are new."""
    by_digest = {(team_id, kind.digest): kind for team_id, kind in kinds}
    found = _numbers_of(by_digest)
    new = sorted(by_digest.keys() - found.keys())
    if new:
        Series.objects.bulk_create(
            (_row(team_id, digest, by_digest[team_id, digest]) for team_id, digest in new),
            ignore_conflicts=True,
        )
        found |= _numbers_of(new)
    return found


def _numbers_of(names: Collection[tuple[int, str]]) -> dict[tuple[int, str], int]:
    teams, digests = {team for team, _ in names}, {digest for _, digest in names}
    rows = Series.objects.filter(team__in=teams, digest__in=digests)
    return {(team, digest): id for id, team, digest in rows.values_list("id", "team", "digest")}


def _row(team_id: int, digest: str, kind: Kind) -> Series:
    return Series(team_id=team_id, digest=digest, **msgspec.structs.asdict(kind))


# -- sums -----------------------------------------------------------------------------------------


def _changes(befores: Sequence[Given], afters: Sequence[Given]) -> Mapping[Cell, tuple[int, int]]:
    """Captures and total by which each sum changes; without those that stay as they are."""
    found: dict[Cell, list[int]] = defaultdict(lambda: [0, 0])
    for sign, givens in ((-1, befores), (1, afters)):
        for given in givens:
            for measure, value in given.measures.items():
                for span_seconds in SPANS:
                    start = start_of(given.start, span_seconds)
                    cell = Cell(given.team_id, span_seconds, start, given.series_id, measure)
                    found[cell][0] += sign
                    found[cell][1] += sign * (value or 0)
    return {
        cell: (captures, total) for cell, (captures, total) in found.items() if captures or total
    }


def _sum(cell: Cell, captures: int, total: int) -> Sum:
    return Sum(**cell._asdict(), captures=captures, total=total)


def _share(given: Given) -> Share:
    return Share(
        capture_id=given.capture_id,
        series_id=given.series_id,
        start=given.start,
        measures=msgspec.json.encode(given.measures),
    )


def _forget_empty(cells: Iterable[Cell]) -> None:
    """A name that only a deleted capture had is not kept."""
    for cell in cells:
        Sum.objects.filter(Q(**cell._asdict()), captures=0).delete()
