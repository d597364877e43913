"""Detects changes in the responses of models, by subject. Pure: histories in, drifts out.

What appears was in none of at least 30 captures and is in at least 5, and a twentieth, of those
since; what vanishes, the reverse. A chance counts below 1 in 10,000,000: one in a thousand over the
ten thousand comparisons of a look. Shares and times are not compared: they differ by what callers
ask for.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from inspector.usage.drift.changes import DriftChange, History, HourSlot
from inspector.usage.drift.histories import HourlyCounts, ModelHistory, TeamHistories, VendorModel
from inspector.usage.drift.presence import presence_changes, replacement_changes

MAX_DRIFTS = 200
"""Most drifts of one scan; those least likely to be chance are kept."""
USAGE = "/usage"


class DriftSubject(StrEnum):
    FINGERPRINT = "fingerprint"
    ALIAS = "alias"
    TIER = "tier"
    FIELDS = "fields"
    USAGE = "usage"


@dataclass(frozen=True, slots=True)
class DetectedDrift:
    """One detected change. ``model`` answered; for the subject alias, it was requested."""

    subject: DriftSubject
    vendor: str | None
    model: str | None
    change: DriftChange[Any]
    streamed: bool | None = None
    """Streamed and whole responses, compared apart for the subjects fields and usage only."""


def detect_drifts(histories: TeamHistories, hours: range) -> list[DetectedDrift]:
    """Return the drifts that began within ``hours``, in order of time."""
    found = [
        drift
        for model, answers in histories.answers.items()
        for drift in _of_model(model, answers, histories, hours)
    ]
    for model, answered in histories.aliases.items():
        found += _drifts(DriftSubject.ALIAS, model, _presence_changes(answered, hours))
    found.sort(key=lambda each: each.change.test.p_value)
    return sorted(found[:MAX_DRIFTS], key=lambda each: (each.change.hour, each.change.test.p_value))


def _of_model(
    model: VendorModel, answers: ModelHistory, histories: TeamHistories, hours: range
) -> Iterator[DetectedDrift]:
    yield from _drifts(
        DriftSubject.FINGERPRINT, model, _presence_changes(answers.fingerprints, hours)
    )
    yield from _drifts(DriftSubject.TIER, model, _presence_changes(answers.tiers, hours))
    for streamed in (False, True):
        sets = {
            digest: fields.paths
            for digest, fields in histories.field_sets.items()
            if fields.streamed is streamed and digest in answers.field_sets.values
        }
        for change in presence_changes(_by_path(answers.field_sets.history, sets), hours):
            is_usage = f"{change.value}/".startswith(f"{USAGE}/")
            yield DetectedDrift(
                DriftSubject.USAGE if is_usage else DriftSubject.FIELDS, *model, change, streamed
            )


def _drifts(
    subject: DriftSubject, model: VendorModel, found: Iterable[DriftChange[Any]]
) -> Iterator[DetectedDrift]:
    return (DetectedDrift(subject, *model, change) for change in found)


def _presence_changes(counted: HourlyCounts[Any], hours: range) -> list[DriftChange[Any]]:
    return replacement_changes(counted.history, hours) if len(counted.values) > 1 else []


def _by_path(history: History[str], sets: dict[str, frozenset[str]]) -> list[HourSlot[str]]:
    """Return counts by path; what all of the sets have can neither have come nor gone."""
    always = frozenset.intersection(*sets.values()) if sets else frozenset()
    some = {digest: paths - always for digest, paths in sets.items()}
    found = []
    for slot in history:
        counts: dict[str, int] = {}
        captures = 0
        for digest, number in slot.counts.items():
            if digest in some:
                captures += number
                for path in some[digest]:
                    counts[path] = counts.get(path, 0) + number
        if captures:
            found.append(HourSlot(slot.hour, captures, counts))
    return found
