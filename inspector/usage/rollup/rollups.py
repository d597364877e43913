"""Maintains the sums with every change that a transaction stores or deletes.

The measures that a capture added are stored beside it and subtracted before it adds new ones: a
capture that is read again, repeated or deleted counts correctly, and the work grows with the
changed captures alone.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from inspector.archive.events import ProjectionChange
from inspector.archive.inspection.projection import ProjectionRows
from inspector.core.analysis import Verdict
from inspector.database import bulk
from inspector.usage.cost import pricing
from inspector.usage.cost.pricing import PricedCapture
from inspector.usage.measures import (
    HISTOGRAMS,
    Measure,
    MeasureKey,
    Measures,
    decode_measures,
    encode_measures,
)
from inspector.usage.models import (
    BUCKETS,
    BUCKETS_PER_OCTAVE,
    DAY_SECONDS,
    SPANS,
    Octave,
    StoredContribution,
    UsageSum,
)
from inspector.usage.rollup import field_sets, late_calls, series
from inspector.usage.rollup.contribution import contribution_of
from inspector.usage.rollup.dimensions import EXACT, SeriesKey, TeamDigest, series_keys
from inspector.usage.rollup.field_paths import OTHER_FIELDS
from inspector.usage.rollup.finish_reasons import FinishReasonLimit
from inspector.usage.rollup.histogram import octave_of
from inspector.usage.rollup.series import SeriesIds

CELL_COLUMNS = "team_id, by, span_seconds, start, series_id, measure"
ADD = (
    f"ON CONFLICT ({CELL_COLUMNS}, value) DO UPDATE SET"
    " captures = usage_usagesum.captures + excluded.captures,"
    " total = usage_usagesum.total + excluded.total"
)
ADD_BUCKETS = f"ON CONFLICT ({CELL_COLUMNS}, octave) DO UPDATE SET " + ", ".join(
    f"{name} = usage_octave.{name} + excluded.{name}" for name in BUCKETS
)


class HourGroup(NamedTuple):
    """Captures of one hour that agree in all dimensions."""

    team_id: int
    series_key: SeriesKey
    start: datetime


KEY_COLUMNS = ("team_id", "by", "span_seconds", "start", "series_id", "measure")
SUM_COLUMNS = (*KEY_COLUMNS, "value", "captures", "total")
OCTAVE_COLUMNS = (*KEY_COLUMNS, "octave", *BUCKETS)

UsageCell = tuple[int, str, int, datetime, int, str, str]
"""The key of a sum: ``KEY_COLUMNS`` and its value, the order of locks against deadlocks."""
OctaveCell = tuple[int, str, int, datetime, int, str, int]
"""The same of a histogram's octave."""


class HourContribution(NamedTuple):
    """The measures that one capture adds, with the group it adds them to."""

    capture_id: UUID
    group: HourGroup
    measures: Measures


SumChanges = Mapping[HourGroup, Mapping[MeasureKey, tuple[int, int]]]
"""Captures and total by which each measure changes."""


def update_rollups(replaced: Sequence[ProjectionChange]) -> None:
    """Take old contributions of these captures out of the sums and add the new ones, inside the
    transaction that stores the inspections.

    That transaction holds the rows of its captures, and what is keyed by them (prices, stored
    contributions) changes under this lock alone. It may therefore be read and written before the
    locks of series or after them (``repricing``), and the series of what is read has a capture, so
    nobody forgets it.
    """
    befores = stored_contributions([_capture_id(each.before) for each in replaced if each.before])
    found = pricing.price_captures([each.after for each in replaced if _is_usage(each.after)])
    pricing.store_prices(found, [_capture_id(each.before) for each in replaced if each.before])
    afters = _new_contributions(each for each in found if not _is_sample(each.rows))
    replace_contributions(befores, afters)
    known = {each.capture_id for each in befores}
    new = (each.group for each in afters if each.capture_id not in known)
    late_calls.scan_again((group.team_id, group.start) for group in new)


def forget(captures: Collection[UUID]) -> None:
    """Take the contributions of captures out of the sums, and delete their prices."""
    befores = stored_contributions(captures)
    pricing.store_prices((), captures)
    replace_contributions(befores, ())


def replace_contributions(
    befores: Sequence[HourContribution], afters: Sequence[HourContribution]
) -> None:
    """Replace the contributions of captures and updates the sums, inside a transaction."""
    lock_series_of(befores, afters)
    if befores:
        StoredContribution.objects.filter(pk__in=[each.capture_id for each in befores]).delete()
    changes = _changes(befores, afters)
    keys = {(each.group.team_id, each.group.series_key) for each in afters}
    series_ids = series.series_ids_of(keys | set(_series_in(changes)))
    bulk.bulk_insert([_row(each, series_ids) for each in afters])
    _apply(changes, series_ids)


def apply_contributions(
    befores: Iterable[HourContribution], afters: Iterable[HourContribution]
) -> None:
    """Subtract former and add new contributions; the transaction holds the series' locks."""
    changes = _changes(befores, afters)
    _apply(changes, series.series_ids_of(set(_series_in(changes))))


def _apply(changes: SumChanges, series_ids: SeriesIds) -> None:
    _add(_cells(changes, series_ids))
    for group in shrinking_groups(changes):
        series.forget_unused(group.team_id, group.series_key, group.start, series_ids)


def lock_series_of(befores: Sequence[HourContribution], afters: Sequence[HourContribution]) -> None:
    teams = {each.group.team_id for each in (*befores, *afters)}
    shrinking = shrinking_groups(_changes(befores, afters)) if befores else ()
    series.lock_series(teams, shrinking_teams={group.team_id for group in shrinking})


def shrinking_groups(changes: SumChanges) -> list[HourGroup]:
    """Return the groups that lose captures, and so may have no more reason for a row."""
    captures = Measure.CAPTURES, ""
    return [group for group, sums in changes.items() if sums.get(captures, (0, 0))[0] < 0]


def hour_of(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def span_start(hour: datetime, span_seconds: int) -> datetime:
    return hour.replace(hour=0) if span_seconds == DAY_SECONDS else hour


def _is_usage(after: ProjectionRows) -> bool:
    """Tell whether it counts: sums are of completions, so other calls are not in them."""
    return after.inspection.verdict != Verdict.OTHER


def _is_sample(rows: ProjectionRows) -> bool:
    """Tell a sample by its mark: it has a cost like any other, which nobody paid."""
    return "sample" in rows.document.capture.metadata


def _capture_id(rows: ProjectionRows) -> UUID:
    capture_id: UUID = rows.inspection.capture_id
    return capture_id


# -- what captures contribute ---------------------------------------------------------------------


def stored_contributions(ids: Collection[UUID]) -> list[HourContribution]:
    if not ids:
        return []
    rows = StoredContribution.objects.filter(pk__in=ids).select_related("series")
    return [
        HourContribution(
            row.capture_id,
            HourGroup(row.series.team_id, series.key_of_series(row.series), row.start),
            decode_measures(bytes(row.measures)),
        )
        for row in rows
    ]


def _new_contributions(priced: Iterable[PricedCapture]) -> list[HourContribution]:
    found = []
    for each in priced:
        inspection = each.rows.inspection
        contribution = contribution_of(each.rows, each.billable, each.receipt)
        hour = hour_of(inspection.called_at)
        group = HourGroup(inspection.team_id, contribution.series_key, hour)
        found.append((inspection.capture_id, group, contribution))
    sets = field_sets.ensure_field_sets((group.team_id, new.fields) for _, group, new in found)
    finishes = FinishReasonLimit()
    contributions = []
    for capture_id, group, new in found:
        measures = field_sets.bounded_measures(new, group.team_id, sets)
        bounded = finishes.bounded(measures, group.team_id, group.start)
        contributions.append(HourContribution(capture_id, group, bounded))
    return contributions


def _changes(befores: Iterable[HourContribution], afters: Iterable[HourContribution]) -> SumChanges:
    found: dict[HourGroup, dict[MeasureKey, list[int]]] = defaultdict(
        lambda: defaultdict(lambda: [0, 0])
    )
    for sign, contributions in ((-1, befores), (1, afters)):
        for each in contributions:
            sums = found[each.group]
            for key, number in each.measures.items():
                sums[key][0] += sign
                sums[key][1] += sign * (number or 0)
    # A capture that is read again mostly adds what was taken out: such sums are not touched.
    changed = {
        group: {key: (n, total) for key, (n, total) in sums.items() if n or total}
        for group, sums in found.items()
    }
    return {group: sums for group, sums in changed.items() if sums}


def _row(each: HourContribution, series_ids: SeriesIds) -> StoredContribution:
    return StoredContribution(
        capture_id=each.capture_id,
        series_id=series_ids[each.group.team_id, each.group.series_key],
        start=each.group.start,
        measures=encode_measures(each.measures),
    )


# -- series ---------------------------------------------------------------------------------------


def _series_in(changes: SumChanges) -> Iterator[tuple[int, SeriesKey]]:
    for team_id, exact, _ in changes:
        for span_seconds in SPANS:
            for key in series_keys(exact, span_seconds):
                yield team_id, key


# -- sums -----------------------------------------------------------------------------------------


def is_counted(measure: str, key: SeriesKey) -> bool:
    """Return True if a series has sums of this measure; sets of fields only in exact series."""
    return key.by == EXACT or measure != Measure.FIELDS


def _cells(changes: SumChanges, series_ids: SeriesIds) -> dict[UsageCell, tuple[int, int]]:
    found: dict[UsageCell, tuple[int, int]] = {}
    for (team_id, exact, hour), sums in changes.items():
        # Plain texts, which SQLite's driver takes as they are (``bulk.PLAIN``).
        measures = [(str(measure), value, change) for (measure, value), change in sums.items()]
        for span_seconds in SPANS:
            start = span_start(hour, span_seconds)
            for key in series_keys(exact, span_seconds):
                columns = team_id, key.by, span_seconds, start, series_ids[team_id, key]
                for measure, value, change in measures:
                    if is_counted(measure, key):
                        cell = (*columns, measure, value)
                        captures, total = found.get(cell, (0, 0))
                        found[cell] = captures + change[0], total + change[1]
    return found


def _add(cells: Mapping[UsageCell, tuple[int, int]]) -> None:
    sums = {cell: change for cell, change in cells.items() if cell[-2] not in HISTOGRAMS}
    octaves = _octaves({cell: n for cell, (n, _) in cells.items() if cell[-2] in HISTOGRAMS})
    sum_rows = [(*cell, *sums[cell]) for cell in sorted(sums)]
    bulk.insert_values(UsageSum, SUM_COLUMNS, sum_rows, on_conflict=ADD)
    octave_rows = [(*cell, *octaves[cell]) for cell in sorted(octaves)]
    bulk.insert_values(Octave, OCTAVE_COLUMNS, octave_rows, on_conflict=ADD_BUCKETS)
    # A name that only a deleted capture had is not kept.
    shrinking_cells = [cell for cell, (captures, _) in sums.items() if captures < 0]
    _forget_empty(shrinking_cells)
    field_sets.forget_unused_field_sets(_field_sets(shrinking_cells))
    _forget_empty_octaves([cell for cell, buckets in octaves.items() if min(buckets) < 0])


def _forget_empty(cells: Collection[UsageCell]) -> None:
    # A sum of no captures is deleted: it must not be read as 0.
    if cells:
        UsageSum.objects.filter(captures=0, **_condition(cells, "value")).delete()


def _forget_empty_octaves(shrinking_cells: Collection[OctaveCell]) -> None:
    if shrinking_cells:
        empty = dict.fromkeys(BUCKETS, 0)
        Octave.objects.filter(**empty, **_condition(shrinking_cells, "octave")).delete()


def _condition(cells: Iterable[UsageCell | OctaveCell], last: str) -> dict[str, set[object]]:
    """Return a condition that all of these keys meet, and perhaps others."""
    # One statement for all of them. What else it may meet counts no captures, so it is as empty.
    columns = zip(*cells, strict=True)
    names = (*KEY_COLUMNS, last)
    return {f"{name}__in": set(column) for name, column in zip(names, columns, strict=True)}


def _field_sets(cells: Iterable[UsageCell]) -> Iterator[TeamDigest]:
    for team_id, *_, measure, value in cells:
        if measure == Measure.FIELDS and value != OTHER_FIELDS:
            yield team_id, value


def _octaves(buckets: Mapping[UsageCell, int]) -> Mapping[OctaveCell, list[int]]:
    """Sum the buckets by octave; the value of a cell is the number of its bucket."""
    found: dict[OctaveCell, list[int]] = defaultdict(lambda: [0] * BUCKETS_PER_OCTAVE)
    for (*key, value), captures in buckets.items():
        octave, at = octave_of(int(value))
        found[(*key, octave)][at] += captures  # type: ignore[index]
    return found
