"""Stores the sets of field paths of a team's responses by digest.

New sets are limited by time: responses with ever new fields add a bounded number of rows a day.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta

from django.db.models.functions import Now

from inspector.database.fixed_query import FixedQuery, Given
from inspector.usage.measures import Measure, Measures
from inspector.usage.models import HOUR_SECONDS, FieldSet, UsageSum
from inspector.usage.rollup.contribution import Contribution
from inspector.usage.rollup.dimensions import EXACT, TeamDigest
from inspector.usage.rollup.field_paths import OTHER_FIELDS, FieldPaths

MAX_NEW_A_DAY = 500
"""A format has dozens; what is beyond is counted as other fields."""


def ensure_field_sets(sent: Iterable[tuple[int, FieldPaths | None]]) -> frozenset[TeamDigest]:
    """Store new sets up to the limit; returns the digests of those that have a row."""
    by_digest = {
        (team_id, fields.digest): fields for team_id, fields in sent if fields and fields.paths
    }
    found = _stored(by_digest)
    new = sorted(by_digest.keys() - found)
    for team_id in sorted({team for team, _ in new}):
        _make(team_id, {it[1]: by_digest[it] for it in new if it[0] == team_id})
    return frozenset(found | _stored(new))


def bounded_measures(
    contribution: Contribution, team_id: int, sets: Collection[TeamDigest]
) -> Measures:
    """Return the measures of a capture; a set of fields without a row counts as "other"."""
    fields = contribution.fields
    if fields is None or (team_id, fields.digest) in sets:
        return contribution.measures
    own, other = (Measure.FIELDS, fields.name), (Measure.FIELDS, OTHER_FIELDS)
    measures = contribution.measures.items()
    return {(other if key == own else key): number for key, number in measures}


def forget_unused_field_sets(shrinking_sets: Iterable[TeamDigest]) -> None:
    """Delete sets that no capture has any more: their paths may come from one capture alone."""
    for team_id, digest in dict.fromkeys(shrinking_sets):
        if not _is_counted(team_id, digest):
            FieldSet.objects.filter(team=team_id, digest=digest).delete()


def _is_counted(team_id: int, digest: str) -> bool:
    hours = UsageSum.objects.filter(team=team_id, by=EXACT, span_seconds=HOUR_SECONDS)
    return hours.filter(measure=Measure.FIELDS, value=digest).exists()


def _stored(wanted: Collection[TeamDigest]) -> set[TeamDigest]:
    if not wanted:
        return set()
    teams, digests = {team for team, _ in wanted}, {digest for _, digest in wanted}
    return {*map(tuple, _STORED.rows(teams=teams, digests=digests))} & set(wanted)


_STORED = FixedQuery(
    lambda: FieldSet.objects.filter(
        team__among=Given("teams"), digest__among=Given("digests")
    ).values_list("team", "digest")
)


def _make(team_id: int, by_digest: Mapping[str, FieldPaths]) -> None:
    today = FieldSet.objects.filter(team=team_id, made_at__gt=Now() - timedelta(days=1))
    room = MAX_NEW_A_DAY - today.count()
    rows = (
        FieldSet(team_id=team_id, digest=digest, streamed=each.streamed, paths=each.paths)
        for digest, each in list(by_digest.items())[: max(0, room)]
    )
    # Another transaction may store the same sets now; counting before it, both may pass the bound.
    FieldSet.objects.bulk_create(rows, ignore_conflicts=True)
