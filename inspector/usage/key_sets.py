"""Which sets of keys a team's answers have had: told by a short name, made at first sight.

New ones are bounded by time: answers whose keys are never the same add so many rows a day, not one
with each capture.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta

from django.db.models.functions import Now

from inspector.usage.alike import EXACT
from inspector.usage.keys import OTHER_KEYS, Keys
from inspector.usage.measures import Measure, Measures
from inspector.usage.models import HOUR_SECONDS, KeySet, Sum
from inspector.usage.share import Told

MOST_NEW_A_DAY = 500

Name = tuple[int, str]
"""A team's number and a digest."""


def known(sent: Iterable[tuple[int, Keys | None]]) -> frozenset[Name]:
    """Those of these sets that are there now."""
    by_name = {(team_id, keys.digest): keys for team_id, keys in sent if keys and keys.paths}
    found = _there(by_name)
    new = {name: by_name[name] for name in sorted(by_name.keys() - found)}
    for team_id in sorted({team for team, _ in new}):
        _make(team_id, {digest: keys for (team, digest), keys in new.items() if team == team_id})
    return frozenset(found | _there(new))


def bounded(told: Told, team_id: int, sets: Collection[Name]) -> Measures:
    """What a capture gives: one whose set has no row is counted among the others."""
    keys = told.keys
    if keys is None or (team_id, keys.digest) in sets:
        return told.measures
    own, other = (Measure.KEYS, keys.name), (Measure.KEYS, OTHER_KEYS)
    return {(other if key == own else key): number for key, number in told.measures.items()}


def forget(less: Iterable[Name]) -> None:
    """Sets that no capture has any more: their paths may have been one capture's alone."""
    for team_id, digest in dict.fromkeys(less):
        if not _is_counted(team_id, digest):
            KeySet.objects.filter(team=team_id, digest=digest).delete()


def _is_counted(team_id: int, digest: str) -> bool:
    hours = Sum.objects.filter(team=team_id, by=EXACT, span_seconds=HOUR_SECONDS)
    return hours.filter(measure=Measure.KEYS, value=digest).exists()


def _there(names: Collection[Name]) -> set[Name]:
    if not names:
        return set()
    teams, digests = {team for team, _ in names}, {digest for _, digest in names}
    rows = KeySet.objects.filter(team__in=teams, digest__in=digests)
    return set(rows.values_list("team", "digest")) & set(names)


def _make(team_id: int, keys: Mapping[str, Keys]) -> None:
    today = KeySet.objects.filter(team=team_id, made_at__gt=Now() - timedelta(days=1))
    room = MOST_NEW_A_DAY - today.count()
    rows = (
        KeySet(team_id=team_id, digest=digest, streamed=each.streamed, paths=each.paths)
        for digest, each in list(keys.items())[: max(0, room)]
    )
    KeySet.objects.bulk_create(rows, ignore_conflicts=True)
