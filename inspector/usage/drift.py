"""Which changes there are in what models answered, by subject. Pure: histories in, drifts out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from inspector.usage.answered import Answers, Counted, Histories, Place
from inspector.usage.changes import Change, History, Slot
from inspector.usage.presence import comings_and_goings, switches
from inspector.usage.shifts import mix, times

MOST_DRIFTS = 200
"""Of one look: the least likely to be chance."""
USAGE = "/usage"


class Subject(StrEnum):
    FINGERPRINT = "fingerprint"
    ALIAS = "alias"
    TIER = "tier"
    KEYS = "keys"
    USAGE = "usage"
    FINISH = "finish"
    FIRST_TOKEN = "first_token"


@dataclass(frozen=True, slots=True)
class Drift:
    """``model`` is the one that answered, of an alias the one that was asked for."""

    subject: Subject
    vendor: str | None
    model: str | None
    change: Change[Any]
    streamed: bool | None = None
    """Of keys: only streamed answers, or only whole ones, were held against each other."""


def drifts(histories: Histories, hours: range) -> list[Drift]:
    """That began in these hours, in the order of time."""
    found = [
        drift
        for place, answers in histories.answers.items()
        for drift in _of_model(place, answers, histories, hours)
    ]
    for place, answered in histories.aliases.items():
        found += _drifts(Subject.ALIAS, place, _switched(answered, hours))
    found.sort(key=lambda each: each.change.chance)
    return sorted(found[:MOST_DRIFTS], key=lambda each: (each.change.hour, each.change.chance))


def _of_model(
    place: Place, answers: Answers, histories: Histories, hours: range
) -> Iterator[Drift]:
    yield from _drifts(Subject.FINGERPRINT, place, _switched(answers.fingerprints, hours))
    yield from _drifts(Subject.TIER, place, _switched(answers.tiers, hours))
    yield from _drifts(Subject.FINISH, place, mix(answers.finishes.history, hours))
    yield from _drifts(Subject.FIRST_TOKEN, place, times(answers.first_token.history, hours))
    for streamed in (False, True):
        sets = {
            digest: keys.paths
            for digest, keys in histories.key_sets.items()
            if keys.streamed is streamed and digest in answers.key_sets.values
        }
        for change in comings_and_goings(_by_path(answers.key_sets.history, sets), hours):
            is_usage = f"{change.what}/".startswith(f"{USAGE}/")
            yield Drift(Subject.USAGE if is_usage else Subject.KEYS, *place, change, streamed)


def _drifts(subject: Subject, place: Place, found: Iterable[Change[Any]]) -> Iterator[Drift]:
    return (Drift(subject, *place, change) for change in found)


def _switched(counted: Counted[Any], hours: range) -> list[Change[Any]]:
    return switches(counted.history, hours) if len(counted.values) > 1 else []


def _by_path(history: History[str], sets: dict[str, frozenset[str]]) -> list[Slot[str]]:
    """Counts by path; what all of the sets have can neither have come nor gone."""
    always = frozenset.intersection(*sets.values()) if sets else frozenset()
    some = {digest: paths - always for digest, paths in sets.items()}
    found = []
    for slot in history:
        counts: dict[str, int] = {}
        captures = 0
        for digest, told in slot.counts.items():
            if digest in some:
                captures += told
                for path in some[digest]:
                    counts[path] = counts.get(path, 0) + told
        if captures:
            found.append(Slot(slot.hour, captures, counts))
    return found
