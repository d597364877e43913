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

import msgspec
from django.db.models import Q

from inspector.archive import bulk
from inspector.archive.inspection import Replaced
from inspector.usage import key_sets, pricing, series
from inspector.usage.alike import EXACT, Kind, within
from inspector.usage.finishes import Finishes
from inspector.usage.histogram import TO_A_DOUBLING, octave_of
from inspector.usage.keys import KEYS
from inspector.usage.models import BUCKETS, DAY_SECONDS, SPANS, Octave, Share, Sum
from inspector.usage.pricing import Priced
from inspector.usage.series import Numbers
from inspector.usage.share import CAPTURES, HISTOGRAMS, Measures, told

PLACE = "team_id, by, span_seconds, start, series_id, measure"
ADD = (
    f"ON CONFLICT ({PLACE}) DO UPDATE SET"
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


class Cell(NamedTuple):
    """The place of one sum. Transactions take them in this order: none waits in a circle."""

    team_id: int
    by: str
    span_seconds: int
    start: datetime
    series_id: int
    measure: str


class Given(NamedTuple):
    """By one capture."""

    capture_id: UUID
    alike: Alike
    measures: Measures


Changes = Mapping[Alike, Mapping[str, tuple[int, int]]]
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
    return [alike for alike, sums in changes.items() if sums.get(CAPTURES, (0, 0))[0] < 0]


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
            msgspec.json.decode(bytes(share.measures), type=dict[str, int | None]),
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
    found: dict[Alike, dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for sign, givens in ((-1, befores), (1, afters)):
        for given in givens:
            sums = found[given.alike]
            for measure, value in given.measures.items():
                sums[measure][0] += sign
                sums[measure][1] += sign * (value or 0)
    changed = {
        alike: {name: (n, total) for name, (n, total) in sums.items() if n or total}
        for alike, sums in found.items()
    }
    return {alike: sums for alike, sums in changed.items() if sums}


def _share(given: Given, numbers: Numbers) -> Share:
    return Share(
        capture_id=given.capture_id,
        series_id=numbers[given.alike.team_id, given.alike.kind],
        start=given.alike.start,
        measures=msgspec.json.encode(given.measures),
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
    return kind.by == EXACT or not measure.startswith(KEYS)


def _cells(changes: Changes, numbers: Numbers) -> dict[Cell, tuple[int, int]]:
    found: dict[Cell, list[int]] = defaultdict(lambda: [0, 0])
    for (team_id, exact, hour), sums in changes.items():
        for span_seconds in SPANS:
            start = start_of(hour, span_seconds)
            for kind in within(exact, span_seconds):
                place = (team_id, kind.by, span_seconds, start, numbers[team_id, kind])
                for measure, (captures, total) in sums.items():
                    if not is_counted(measure, kind):
                        continue
                    cell = found[Cell(*place, measure)]
                    cell[0] += captures
                    cell[1] += total
    return {cell: (captures, total) for cell, (captures, total) in found.items()}


def _add(cells: Mapping[Cell, tuple[int, int]]) -> None:
    sums = {cell: change for cell, change in cells.items() if not _is_bucket(cell)}
    octaves = _octaves({cell: n for cell, (n, _) in cells.items() if cell not in sums})
    bulk.insert([_sum(cell, *sums[cell]) for cell in sorted(sums)], on_conflict=ADD)
    bulk.insert([_octave(*key, octaves[key]) for key in sorted(octaves)], on_conflict=ADD_BUCKETS)
    # A name that only a deleted capture had is not kept.
    _forget_empty([cell for cell, (captures, _) in sums.items() if captures < 0])
    key_sets.forget((cell.team_id, cell.measure) for cell, (n, _) in sums.items() if n < 0)
    empty = dict.fromkeys(BUCKETS, 0)
    for (cell, octave), buckets in octaves.items():
        if min(buckets) < 0:
            Octave.objects.filter(Q(**cell._asdict()), octave=octave, **empty).delete()


def _forget_empty(cells: Collection[Cell]) -> None:
    """By one statement: wherever a sum is of no captures, it is none."""
    if cells:
        columns = {f"{name}__in": {getattr(cell, name) for cell in cells} for name in Cell._fields}
        Sum.objects.filter(captures=0, **columns).delete()


def _is_bucket(cell: Cell) -> bool:
    return cell.measure.partition(" ")[0] in HISTOGRAMS


def _octaves(buckets: Mapping[Cell, int]) -> Mapping[tuple[Cell, int], list[int]]:
    """``cell`` of a bucket is that of its histogram here."""
    found: dict[tuple[Cell, int], list[int]] = defaultdict(lambda: [0] * TO_A_DOUBLING)
    for cell, captures in buckets.items():
        name, _, bucket = cell.measure.partition(" ")
        octave, at = octave_of(int(bucket))
        found[cell._replace(measure=name), octave][at] += captures
    return found


def _sum(cell: Cell, captures: int, total: int) -> Sum:
    return Sum(**cell._asdict(), captures=captures, total=total)


def _octave(cell: Cell, octave: int, buckets: Sequence[int]) -> Octave:
    return Octave(**cell._asdict(), octave=octave, **dict(zip(BUCKETS, buckets, strict=True)))
