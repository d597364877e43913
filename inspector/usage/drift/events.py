"""Stores drift events; a change that is detected again updates its event."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec

from inspector.archive.inspection import by_call
from inspector.archive.inspection.by_call import InspectedCall
from inspector.usage.drift.changes import DAY_HOURS, WEEK_HOURS, DriftDirection
from inspector.usage.drift.detection import DetectedDrift, DriftSubject
from inspector.usage.drift.histories import TeamHistories
from inspector.usage.drift.history_queries import moment_of
from inspector.usage.measures import Measure, decode_measures
from inspector.usage.models import DriftEvent, StoredContribution

FIRST_CAPTURES = 3
"""Examples of a change, to open and to compare."""
MAX_CAPTURES_PER_EVENT, MAX_CAPTURES_PER_SCAN = 10_000, 200_000
"""Captures read to find the first that show a change, and those for all changes of one scan."""
SAME_EVENT_WITHIN = timedelta(hours=WEEK_HOURS)
"""Found again so near, a change is the stored one: till then the hours before are baseline."""
COLUMNS = {
    DriftSubject.FINGERPRINT: "fingerprint",
    DriftSubject.TIER: "service_tier",
    DriftSubject.ALIAS: "model",
}
"""Columns of a series with the value of a drift."""


def digest_of(drift: DetectedDrift) -> str:
    change = drift.change
    which = (drift.vendor, drift.model, drift.subject, change.direction, change.value)
    return hashlib.sha256(msgspec.json.encode((*which, drift.streamed))).hexdigest()


def new_events(
    team_id: int, drifts: Sequence[DetectedDrift], histories: TeamHistories
) -> list[DriftEvent]:
    """Unsaved, with the first captures that show each."""
    limit = min(MAX_CAPTURES_PER_EVENT, MAX_CAPTURES_PER_SCAN // max(1, len(drifts)))
    return [
        _event(team_id, each, list(_first_captures(team_id, each, histories, limit)))
        for each in drifts
    ]


def _event(team_id: int, drift: DetectedDrift, shown: Sequence[InspectedCall]) -> DriftEvent:
    change = drift.change
    start = moment_of(change.hour)
    has_first = change.direction is DriftDirection.APPEARED and shown
    return DriftEvent(
        team_id=team_id,
        digest=digest_of(drift),
        vendor=drift.vendor,
        model=drift.model,
        subject=drift.subject,
        direction=change.direction,
        value=change.value,
        streamed=drift.streamed,
        start=start,
        at=shown[0].at if has_first else start,
        captures=[str(each.capture_id) for each in shown],
        **_numbers(drift),
    )


def stored_events(team_id: int, drifts: Iterable[DetectedDrift]) -> dict[str, list[DriftEvent]]:
    """Events that are stored already, by digest."""
    found: dict[str, list[DriftEvent]] = {}
    digests = {digest_of(drift) for drift in drifts}
    for event in DriftEvent.objects.filter(team=team_id, digest__in=digests):
        found.setdefault(event.digest, []).append(event)
    return found


def matching_event(
    drift: DetectedDrift, events: Mapping[str, Sequence[DriftEvent]]
) -> DriftEvent | None:
    start = moment_of(drift.change.hour)
    near = [
        each
        for each in events.get(digest_of(drift), ())
        if abs(each.start - start) <= SAME_EVENT_WITHIN
    ]
    return min(near, key=lambda each: abs(each.start - start), default=None)


def update_event(event: DriftEvent, drift: DetectedDrift) -> None:
    """Add later captures to an event, whose hour stays: others would not be comparable."""
    if event.start != moment_of(drift.change.hour):
        return
    numbers = _numbers(drift)
    if any(getattr(event, name) != value for name, value in numbers.items()):
        DriftEvent.objects.filter(pk=event.pk).update(**numbers)


def _numbers(drift: DetectedDrift) -> dict[str, Any]:
    change = drift.change
    return {
        "replaces_value": change.replaces_value,
        "replaced_value": change.replaced_value,
        "test": msgspec.to_builtins(change.test),
        "replaced_test": msgspec.to_builtins(change.replaced_test),
    }


# -- the first captures ---------------------------------------------------------------------------


def _first_captures(
    team_id: int, drift: DetectedDrift, histories: TeamHistories, limit: int
) -> Iterator[InspectedCall]:
    found = 0
    for some in _captures_near(team_id, drift, limit):
        shows = _captures_showing(drift, some, histories)
        for each in some:
            if each.capture_id in shows:
                yield each
                found += 1
                if found == FIRST_CAPTURES:
                    return


def _captures_near(team_id: int, drift: DetectedDrift, limit: int) -> Iterator[list[InspectedCall]]:
    # Captures of the day from the change on; for a value that vanished, of the day before its last
    # hour.
    change, column = (
        drift.change,
        "request_model" if drift.subject is DriftSubject.ALIAS else "model",
    )
    is_gone = change.last_hour is not None
    first = change.hour if change.last_hour is None else change.last_hour + 1 - DAY_HOURS
    hours = moment_of(first), moment_of(first + DAY_HOURS)
    of = {"vendor": drift.vendor, column: drift.model}
    return by_call.inspected_between(team_id, hours, of, limit, last_first=is_gone)


def _captures_showing(
    drift: DetectedDrift, some: Sequence[InspectedCall], histories: TeamHistories
) -> Collection[UUID]:
    # Which captures show the change is read from their stored contributions.
    change, ids = drift.change, [each.capture_id for each in some]
    contributions = StoredContribution.objects.filter(pk__in=ids)
    column = COLUMNS.get(drift.subject)
    if column is not None:
        showing = contributions.filter(**{f"series__{column}": change.value})
        if drift.subject is DriftSubject.TIER:
            showing = showing.filter(series__other_service_tier__isnull=True)
        return set(showing.values_list("pk", flat=True))
    showing_any = {
        (Measure.FIELDS, digest)
        for digest, fields in histories.field_sets.items()
        if fields.streamed is drift.streamed and drift.change.value in fields.paths
    }
    rows = contributions.values_list("pk", "measures")
    return {
        capture_id
        for capture_id, measures in rows
        if not showing_any.isdisjoint(decode_measures(bytes(measures)))
    }
