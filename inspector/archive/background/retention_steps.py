"""The kind of work that carries out retention rules: what is due, oldest first, once an hour."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from inspector.archive import body_deletion, deletion
from inspector.archive.background.deletion_pace import DeletionPace
from inspector.archive.background.retention_rules import (
    RETENTION,
    cutoff_of,
    due_filters,
    due_tombstones,
)
from inspector.archive.models import (
    Capture,
    RetentionClock,
    RetentionRule,
    State,
    TokenTombstone,
    Tombstone,
)
from inspector.archive.queries import Captures
from inspector.teams.audit import Act, note_rule
from inspector.work.leases import Leased
from inspector.work.models import WorkState
from inspector.work.run import Kind, reason_of

EVERY = timedelta(hours=1)
"""A rule counts days: what is due is gone within the hour."""
STOPPED_KEPT = timedelta(days=1)
"""A pass that was stopped, as by switching its rule off; what it deleted is in the audit log."""
UNKNOWN_QUERY = "query_not_understood"

_PACE = DeletionPace()


def step(work: Leased) -> bool:
    rule = _rules(work).first()
    if rule is None:
        return work.end(WorkState.STOPPED) and False
    cutoff = cutoff_of(rule)
    if rule.clock == RetentionClock.TOMBSTONES:
        return _forget_tombstones(work, rule, cutoff)
    return _delete_captures(work, rule, cutoff)


def give_up(work: Leased, error: Exception) -> None:
    if rule := _rules(work).first():
        _end_pass(work, rule, reason_of(error))


def _rules(work: Leased) -> QuerySet[RetentionRule]:
    return RetentionRule.objects.filter(pk=int(work.row.subject), team=work.team_id, is_on=True)


def _delete_captures(work: Leased, rule: RetentionRule, cutoff: datetime) -> bool:
    filters = due_filters(rule, cutoff)
    if filters is None:
        return _end_pass(work, rule, UNKNOWN_QUERY)
    found = Captures((rule.team_id,)).walk(work.row.cursor, _PACE.size(), filters)
    if not found:
        return _end_pass(work, rule)
    with _PACE.transaction(len(found)), transaction.atomic():
        if not work.renew():
            return False
        deleted = _delete(rule, [each.id for each in found])
        _advance(work, rule, found[-1].cursor, deleted)
    _PACE.rest()
    return True


def _delete(rule: RetentionRule, ids: Sequence[UUID]) -> int:
    if rule.clock == RetentionClock.BODIES:
        return body_deletion.delete_bodies(rule.team_id, ids, actor_of(rule))
    return len(deletion.delete_all(rule.team_id, ids, actor_of(rule)).ids)


def _forget_tombstones(work: Leased, rule: RetentionRule, cutoff: datetime) -> bool:
    """Return the same for tombstones: with them goes all that is known of the captures."""
    stones = due_tombstones(rule, cutoff).order_by("deleted_at", "pk")
    found = list(stones.values_list("pk", flat=True)[: _PACE.size()])
    if not found:
        return _end_pass(work, rule)
    with _PACE.transaction(len(found)), transaction.atomic():
        if not work.renew():
            return False
        TokenTombstone.objects.filter(capture__in=found).delete()
        Tombstone.objects.filter(capture__in=found).delete()
        Capture.objects.filter(pk__in=found, state=State.GONE).delete()
        _advance(work, rule, str(found[-1]), len(found))
    _PACE.rest()
    return True


def actor_of(rule: RetentionRule) -> str:
    """Return the name of who deleted, for receipts and the audit log."""
    return f"retention rule {rule.pk}"


def _advance(work: Leased, rule: RetentionRule, cursor: str, deleted: int) -> None:
    work.advance(deleted, cursor=cursor)
    RetentionRule.objects.filter(pk=rule.pk).update(deleted=F("deleted") + deleted)


def _end_pass(work: Leased, rule: RetentionRule, error: str | None = None) -> bool:
    """Return False always: nothing follows for an hour. ``done`` counts what a pass deleted."""
    with transaction.atomic():
        if not work.renew():
            return False
        if work.row.done:
            note_rule(
                rule.team_id, actor_of(rule), Act.RETENTION_DELETED, f"{work.row.done}: {rule}"
            )
        RetentionRule.objects.filter(pk=rule.pk).update(error=error, ended_at=Now())
        work.rest(EVERY, cursor=None, done=0)
    return False


KIND = Kind(RETENTION, step, give_up, kept=STOPPED_KEPT)
