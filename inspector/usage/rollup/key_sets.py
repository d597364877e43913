"""Stores the sets of key paths of a team's responses by digest.

New sets are limited by time: responses with ever new keys add a bounded number of rows a day.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta

from django.db.models.functions import Now

from inspector.usage.measures import Measure, Measures
from inspector.usage.models import HOUR_SECONDS, KeySet, UsageSum
from inspector.usage.rollup.contribution import Contribution
from inspector.usage.rollup.dimensions import EXACT
from inspector.usage.rollup.key_paths import OTHER_KEYS, KeyPaths

MAX_NEW_A_DAY = 500

KeySetDigest = tuple[int, str]
"""A team's number and a digest."""


def ensure_key_sets(sent: Iterable[tuple[int, KeyPaths | None]]) -> frozenset[KeySetDigest]:
    """Stores new sets up to the limit; returns the digests of those that have a row."""
    by_name = {(team_id, keys.digest): keys for team_id, keys in sent if keys and keys.paths}
    found = _stored(by_name)
    new = {name: by_name[name] for name in sorted(by_name.keys() - found)}
    for team_id in sorted({team for team, _ in new}):
        _make(team_id, {digest: keys for (team, digest), keys in new.items() if team == team_id})
    return frozenset(found | _stored(new))


def bounded_measures(
    contribution: Contribution, team_id: int, sets: Collection[KeySetDigest]
) -> Measures:
    """The measures of a capture; a set of keys without a row counts as "other"."""
    keys = contribution.keys
    if keys is None or (team_id, keys.digest) in sets:
        return contribution.measures
    own, other = (Measure.KEYS, keys.name), (Measure.KEYS, OTHER_KEYS)
    measures = contribution.measures.items()
    return {(other if key == own else key): number for key, number in measures}


def forget_unused_key_sets(less: Iterable[KeySetDigest]) -> None:
    """Deletes sets that no capture has any more: their paths may come from one capture alone."""
    for team_id, digest in dict.fromkeys(less):
        if not _is_counted(team_id, digest):
            KeySet.objects.filter(team=team_id, digest=digest).delete()


def _is_counted(team_id: int, digest: str) -> bool:
    hours = UsageSum.objects.filter(team=team_id, by=EXACT, span_seconds=HOUR_SECONDS)
    return hours.filter(measure=Measure.KEYS, value=digest).exists()


def _stored(names: Collection[KeySetDigest]) -> set[KeySetDigest]:
    if not names:
        return set()
    teams, digests = {team for team, _ in names}, {digest for _, digest in names}
    rows = KeySet.objects.filter(team__in=teams, digest__in=digests)
    return set(rows.values_list("team", "digest")) & set(names)


def _make(team_id: int, keys: Mapping[str, KeyPaths]) -> None:
    today = KeySet.objects.filter(team=team_id, made_at__gt=Now() - timedelta(days=1))
    room = MAX_NEW_A_DAY - today.count()
    rows = (
        KeySet(team_id=team_id, digest=digest, streamed=each.streamed, paths=each.paths)
        for digest, each in list(keys.items())[: max(0, room)]
    )
    # Another transaction may store the same sets now; counting before it, both may pass the bound.
    KeySet.objects.bulk_create(rows, ignore_conflicts=True)
