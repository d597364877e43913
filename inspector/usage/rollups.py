"""Keeping the sums: a projection, told of everything that one transaction stores or deletes.

What a capture gave is kept beside it and taken back before it gives anew, so whatever is read
again, repeated or deleted counts once, and a sum changes by the captures at hand alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from django.db.models import Q

from inspector.archive import bulk
from inspector.archive.inspection import Replaced
from inspector.usage import key_sets, pricing, series
from inspector.usage.alike import EXACT, Kind, within
from inspector.usage.finishes import Finishes
from inspector.usage.histogram import TO_A_DOUBLING, octave_of
from inspector.usage.keys import OTHER_KEYS
from inspector.usage.measures import (
    HISTOGRAMS,
    Measure,
    MeasureKey,
    Measures,
    packed,
    unpacked,
)
from inspector.usage.models import BUCKETS, DAY_SECONDS, SPANS, Octave, Share, Sum
from inspector.usage.pricing import Priced
from inspector.usage.series import Numbers
from inspector.usage.share import told

PLACE = "team_id, by, span_seconds, start, series_id, measure"
ADD = (
    f"ON CONFLICT ({PLACE}, value) DO UPDATE SET"
    " captures = usage_sum.captures + excluded.captures, total = usage_sum.total + excluded.total"
)
ADD_BUCKETS = f"ON CONFLICT ({PLACE}, octave) DO UPDATE SET " + ", ".join(
    f"{name} = usage_octave.{name} + excluded.{name}" for name in BUCKETS
)


class Alike(NamedTuple):
    """Captures of one hour that are alike in everything."""

    team_id: int
    kind: Kind
    start: datetime


class Place(NamedTuple):
    """Of the sums of one measure, or of a histogram. Transactions take them in this order: none
    waits in a circle.
    """

    team_id: int
    by: str
    span_seconds: int
    start: datetime
    series_id: int
    measure: str


Cell = tuple[Place, str]
"""One sum: its place and its value."""


class Given(NamedTuple):
    """By one capture."""

    capture_id: UUID
    alike: Alike
    measures: Measures


Changes = Mapping[Alike, Mapping[MeasureKey, tuple[int, int]]]
"""Captures and total by which each measure changes."""


def count(replaced: Sequence[Replaced]) -> None:
    """The projection (``settings.PROJECTIONS``)."""
    befores = given_before([_capture_id(each) for each in replaced])
    found = pricing.priced([each.after for each in replaced if each.after is not None])
    pricing.store(found, [_capture_id(each) for each in replaced if each.before is not None])
    replace(befores, _given_now(found))


def replace(befores: Sequence[Given], afters: Sequence[Given]) -> None:
    """What captures gave by what they give now, inside a transaction."""
    hold_series(befores, afters)
    if befores:
        Share.objects.filter(pk__in=[given.capture_id for given in befores]).delete()
    kinds = {(given.alike.team_id, given.alike.kind) for given in afters}
    numbers = series.numbers_of(kinds)
    bulk.insert([_share(given, numbers) for given in afters])
    change(befores, afters)


def change(befores: Iterable[Given], afters: Iterable[Given]) -> None:
    """Take back what was given before and add what is given now, inside a transaction that holds
    the series.
    """
    changes = _changes(befores, afters)
    numbers = series.numbers_of(set(_series_in(changes)))
    _add(_cells(changes, numbers))
    for alike in fewer(changes):
        series.forget_unused(alike.team_id, alike.kind, alike.start, numbers)


def hold_series(befores: Sequence[Given], afters: Sequence[Given]) -> None:
    teams = {given.alike.team_id for given in (*befores, *afters)}
    shrinking = fewer(_changes(befores, afters)) if befores else ()
    series.hold(teams, {alike.team_id for alike in shrinking})


def fewer(changes: Changes) -> list[Alike]:
    """Of which there are fewer captures than before."""
    captures = Measure.CAPTURES, ""
    return [alike for alike, sums in changes.items() if sums.get(captures, (0, 0))[0] < 0]


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


def given_before(ids: Collection[UUID]) -> list[Given]:
    shares = Share.objects.filter(pk__in=ids).select_related("series")
    return [
        Given(
            share.capture_id,
            Alike(share.series.team_id, series.kind_of(share.series), share.start),
            unpacked(bytes(share.measures)),
        )
        for share in shares
    ]


def _given_now(priced: Iterable[Priced]) -> list[Given]:
    found = []
    for each in priced:
        one, inspection = told(each.rows, each.bill, each.receipt), each.rows.inspection
        alike = Alike(inspection.team_id, one.kind, hour_of(inspection.received_at))
        found.append((inspection.capture_id, alike, one))
    sets = key_sets.known((alike.team_id, one.keys) for _, alike, one in found)
    finishes = Finishes()
    given = []
    for id, alike, one in found:
        measures = key_sets.bounded(one, alike.team_id, sets)
        bounded = finishes.bounded(measures, alike.team_id, alike.start)
        given.append(Given(id, alike, bounded))
    return given


def _changes(befores: Iterable[Given], afters: Iterable[Given]) -> Changes:
    """Without what stays as it is."""
    found: dict[Alike, dict[MeasureKey, list[int]]] = defaultdict(
        lambda: defaultdict(lambda: [0, 0])
    )
    for sign, givens in ((-1, befores), (1, afters)):
        for given in givens:
            sums = found[given.alike]
            for key, number in given.measures.items():
                sums[key][0] += sign
                sums[key][1] += sign * (number or 0)
    changed = {
        alike: {key: (n, total) for key, (n, total) in sums.items() if n or total}
        for alike, sums in found.items()
    }
    return {alike: sums for alike, sums in changed.items() if sums}


def _share(given: Given, numbers: Numbers) -> Share:
    return Share(
        capture_id=given.capture_id,
        series_id=numbers[given.alike.team_id, given.alike.kind],
        start=given.alike.start,
        measures=packed(given.measures),
    )


# -- series ---------------------------------------------------------------------------------------


def _series_in(changes: Changes) -> Iterator[tuple[int, Kind]]:
    for team_id, exact, _ in changes:
        for span_seconds in SPANS:
            for kind in within(exact, span_seconds):
                yield team_id, kind


# -- sums -----------------------------------------------------------------------------------------


def is_counted(measure: str, kind: Kind) -> bool:
    """Pages ask for no keys: these are told apart where captures are alike in everything."""
    return kind.by == EXACT or measure != Measure.KEYS


def _cells(changes: Changes, numbers: Numbers) -> dict[Cell, tuple[int, int]]:
    found: dict[Cell, list[int]] = defaultdict(lambda: [0, 0])
    for (team_id, exact, hour), sums in changes.items():
        for span_seconds in SPANS:
            start = start_of(hour, span_seconds)
            for kind in within(exact, span_seconds):
                place = (team_id, kind.by, span_seconds, start, numbers[team_id, kind])
                for (measure, value), (captures, total) in sums.items():
                    if not is_counted(measure, kind):
                        continue
                    # A plain text, which SQLite's driver takes as it is (``bulk.PLAIN``).
                    cell = found[Place(*place, str(measure)), value]
                    cell[0] += captures
                    cell[1] += total
    return {cell: (captures, total) for cell, (captures, total) in found.items()}


def _add(cells: Mapping[Cell, tuple[int, int]]) -> None:
    sums = {cell: change for cell, change in cells.items() if cell[0].measure not in HISTOGRAMS}
    octaves = _octaves({cell: n for cell, (n, _) in cells.items() if cell not in sums})
    bulk.insert([_sum(*cell, *sums[cell]) for cell in sorted(sums)], on_conflict=ADD)
    bulk.insert([_octave(*key, octaves[key]) for key in sorted(octaves)], on_conflict=ADD_BUCKETS)
    # A name that only a deleted capture had is not kept.
    fewer = [cell for cell, (captures, _) in sums.items() if captures < 0]
    _forget_empty(fewer)
    key_sets.forget(_key_sets(fewer))
    empty = dict.fromkeys(BUCKETS, 0)
    for (place, octave), buckets in octaves.items():
        if min(buckets) < 0:
            Octave.objects.filter(Q(**place._asdict()), octave=octave, **empty).delete()


def _forget_empty(cells: Collection[Cell]) -> None:
    """By one statement: wherever a sum is of no captures, it is none."""
    if cells:
        places = [place for place, _ in cells]
        columns = {f"{n}__in": {getattr(place, n) for place in places} for n in Place._fields}
        values = {value for _, value in cells}
        Sum.objects.filter(captures=0, **columns, value__in=values).delete()


def _key_sets(cells: Iterable[Cell]) -> Iterator[tuple[int, str]]:
    for place, value in cells:
        if place.measure == Measure.KEYS and value != OTHER_KEYS:
            yield place.team_id, value


def _octaves(buckets: Mapping[Cell, int]) -> Mapping[tuple[Place, int], list[int]]:
    """The value of a cell is the number of its bucket."""
    found: dict[tuple[Place, int], list[int]] = defaultdict(lambda: [0] * TO_A_DOUBLING)
    for (place, value), captures in buckets.items():
        octave, at = octave_of(int(value))
        found[place, octave][at] += captures
    return found


def _sum(place: Place, value: str, captures: int, total: int) -> Sum:
    return Sum(**place._asdict(), value=value, captures=captures, total=total)


def _octave(place: Place, octave: int, buckets: Sequence[int]) -> Octave:
    return Octave(**place._asdict(), octave=octave, **dict(zip(BUCKETS, buckets, strict=True)))
