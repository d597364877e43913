"""Keeping what was found: a change that is found again is the same mark."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec

from inspector.archive import arrived
from inspector.archive.arrived import Arrived
from inspector.usage.answered import Histories
from inspector.usage.changes import DAY, WEEK, Direction
from inspector.usage.drift import Drift, Subject
from inspector.usage.histories import moment_of
from inspector.usage.measures import Measure, MeasureKey, unpacked
from inspector.usage.models import Mark, Share

FIRST_CAPTURES = 3
MOST_LOOKED_AT, MOST_IN_ALL = 10_000, 200_000
"""Captures, to find the first that show a change; for all changes of one look."""
SAME = timedelta(hours=WEEK)
"""Found again so near, a change is the one that is marked: for so long what was before it is part
of what later hours are held against."""


def digest_of(drift: Drift) -> str:
    change = drift.change
    which = (drift.vendor, drift.model, drift.subject, change.direction, change.what)
    return hashlib.sha256(msgspec.json.encode((*which, drift.streamed))).hexdigest()


def marks_of(team_id: int, drifts: Sequence[Drift], histories: Histories) -> list[Mark]:
    """Unsaved, with the first captures that show each."""
    most = min(MOST_LOOKED_AT, MOST_IN_ALL // max(1, len(drifts)))
    return [_mark(team_id, each, list(_first(team_id, each, histories, most))) for each in drifts]


def _mark(team_id: int, drift: Drift, shown: Sequence[Arrived]) -> Mark:
    change = drift.change
    start = moment_of(change.hour)
    is_told = change.direction is Direction.APPEARED and shown
    return Mark(
        team_id=team_id,
        digest=digest_of(drift),
        vendor=drift.vendor,
        model=drift.model,
        subject=drift.subject,
        direction=change.direction,
        what=change.what,
        is_switch=change.is_switch,
        replaces=change.replaces,
        streamed=drift.streamed,
        start=start,
        at=shown[0].at if is_told else start,
        captures=[str(each.capture_id) for each in shown],
        **_numbers(drift),
    )


def known(team_id: int, drifts: Iterable[Drift]) -> dict[str, list[Mark]]:
    """Marks that are there, by digest."""
    found: dict[str, list[Mark]] = {}
    digests = {digest_of(drift) for drift in drifts}
    for mark in Mark.objects.filter(team=team_id, digest__in=digests):
        found.setdefault(mark.digest, []).append(mark)
    return found


def same(drift: Drift, marks: Mapping[str, Sequence[Mark]]) -> Mark | None:
    start = moment_of(drift.change.hour)
    near = [each for each in marks.get(digest_of(drift), ()) if abs(each.start - start) <= SAME]
    return min(near, key=lambda each: abs(each.start - start), default=None)


def renew(mark: Mark, drift: Drift) -> None:
    """Its numbers grow with what came since. Found from another hour on, they would be others."""
    if mark.start != moment_of(drift.change.hour):
        return
    change = drift.change
    numbers = {**_numbers(drift), "is_switch": change.is_switch, "replaces": change.replaces}
    if any(getattr(mark, name) != value for name, value in numbers.items()):
        Mark.objects.filter(pk=mark.pk).update(**numbers)


def _numbers(drift: Drift) -> dict[str, Any]:
    change = drift.change
    return {
        "before_captures": change.before.captures,
        "before_value": change.before.value,
        "since_captures": change.since.captures,
        "since_value": change.since.value,
        "test": change.test,
    }


# -- the first captures ---------------------------------------------------------------------------


def _first(team_id: int, drift: Drift, histories: Histories, most: int) -> Iterator[Arrived]:
    found = 0
    for some in _near(team_id, drift, most):
        shows = _showing(drift, some, histories)
        for each in some:
            if each.capture_id in shows:
                yield each
                found += 1
                if found == FIRST_CAPTURES:
                    return


def _near(team_id: int, drift: Drift, most: int) -> Iterator[list[Arrived]]:
    """Of the model, a day from the change on; of what vanished, back from the last hour."""
    change, column = drift.change, "request_model" if drift.subject is Subject.ALIAS else "model"
    is_gone = change.last_hour is not None
    first = change.hour if change.last_hour is None else change.last_hour + 1 - DAY
    hours = moment_of(first), moment_of(first + DAY)
    of = {"vendor": drift.vendor, column: drift.model}
    return arrived.between(team_id, hours, of, most, last_first=is_gone)


def _showing(drift: Drift, some: Sequence[Arrived], histories: Histories) -> Collection[UUID]:
    """Their shares say what each of them told."""
    change, ids = drift.change, [each.capture_id for each in some]
    if drift.subject is Subject.FIRST_TOKEN:
        return {each.capture_id for each in some if _is_beyond(each, drift)}
    shares = Share.objects.filter(pk__in=ids)
    column = COLUMNS.get(drift.subject)
    if column is not None:
        told = shares.filter(**{f"series__{column}": change.what})
        return set(told.values_list("pk", flat=True))
    meant = _measures(drift, histories)
    rows = shares.values_list("pk", "measures")
    return {id for id, told in rows if not meant.isdisjoint(unpacked(bytes(told)))}


COLUMNS = {
    Subject.FINGERPRINT: "fingerprint",
    Subject.TIER: "service_tier",
    Subject.ALIAS: "model",
}


def _measures(drift: Drift, histories: Histories) -> set[MeasureKey]:
    """Those of which a capture told at least one."""
    if drift.subject is Subject.FINISH:
        return {(Measure.FINISH_REASON, drift.change.what or "")}
    return {
        (Measure.KEYS, digest)
        for digest, keys in histories.key_sets.items()
        if keys.streamed is drift.streamed and drift.change.what in keys.paths
    }


def _is_beyond(each: Arrived, drift: Drift) -> bool:
    """On the side of the change of the median before it."""
    if each.first_token_us is None:
        return False
    is_slower = drift.change.direction is Direction.SLOWER
    return (each.first_token_us > drift.change.before.value) is is_slower
