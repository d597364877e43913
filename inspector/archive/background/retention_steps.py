"""Carries out retention rules: claims one that is due, deletes for up to a second, stores how far
the pass is. A pass goes over all that is due, oldest first; the next one begins an hour later.

What was deleted and the position are stored in one transaction: a step that is cut off is repeated,
and counts nothing twice.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from inspector.archive import body_deletion, deletion
from inspector.archive.background.deletion_pace import DeletionPace
from inspector.archive.background.retention_rules import cutoff_of, due_filters, due_tombstones
from inspector.archive.inspection import leases
from inspector.archive.inspection.claims import PROCESS_ENDED_REASON
from inspector.archive.models import (
    Capture,
    RetentionClock,
    RetentionRule,
    State,
    TokenTombstone,
    Tombstone,
)
from inspector.archive.queries import Captures
from inspector.database.portability import UNAVAILABLE
from inspector.logs.json_log import fields
from inspector.teams.audit import Act, note_rule

EVERY = timedelta(hours=1)
STEP_SECONDS = 1.0
UNKNOWN_QUERY = "query_not_understood"

_PACE = DeletionPace()
_LOGGER = logging.getLogger(__name__)


def step(stop: Callable[[], bool] = lambda: False) -> bool:
    """Works on the rule that has waited longest, for up to a second. False where none is due."""
    rule = None if stop() else _claim()
    if rule is None:
        return False
    if rule.attempt > settings.MAX_ATTEMPTS:
        _end_pass(rule, PROCESS_ENDED_REASON.format(settings.MAX_ATTEMPTS))
        return True
    try:
        _work(rule, stop)
    except UNAVAILABLE:
        # No fault of the rule, and nothing can be noted now: repeated when the lease ends.
        raise
    except Exception as error:
        _LOGGER.exception("a step of a retention rule failed", extra=_log_fields(rule))
        _end_pass(rule, type(error).__name__)
    return True


def _claim() -> RetentionRule | None:
    due = RetentionRule.objects.filter(is_on=True, due_at__lte=Now()).order_by("due_at", "id")
    return leases.take_first(RetentionRule.objects.all(), due, attempt=leases.counted_attempt())


def _work(rule: RetentionRule, stop: Callable[[], bool]) -> None:
    end, cutoff = time.monotonic() + STEP_SECONDS, cutoff_of(rule)
    go_on = _forget_tombstones if rule.clock == RetentionClock.TOMBSTONES else _delete_captures
    while not stop() and time.monotonic() < end:
        if not go_on(rule, cutoff):
            return
        _PACE.rest()
    _leased(rule).update(lease_token=None, due_at=Now())


def _delete_captures(rule: RetentionRule, cutoff: datetime) -> bool:
    """Deletes the next captures, or their bodies. False where the pass is over, or the rule another
    process's.
    """
    filters = due_filters(rule, cutoff)
    if filters is None:
        _end_pass(rule, UNKNOWN_QUERY)
        return False
    found = Captures((rule.team_id,)).walk(rule.cursor, _PACE.size(), filters)
    if not found:
        _end_pass(rule)
        return False
    with _PACE.transaction(len(found)), transaction.atomic():
        if not _leased(rule).update(due_at=leases.lease_end()):
            return False
        deleted = _delete(rule, [each.id for each in found])
        _advance(rule, found[-1].cursor, deleted)
    return True


def _delete(rule: RetentionRule, ids: Sequence[UUID]) -> int:
    """Returns how many captures, or bodies, went."""
    if rule.clock == RetentionClock.BODIES:
        return body_deletion.delete_bodies(rule.team_id, ids, actor_of(rule))
    return len(deletion.delete_all(rule.team_id, ids, actor_of(rule)).ids)


def _forget_tombstones(rule: RetentionRule, cutoff: datetime) -> bool:
    """The same for tombstones: with them goes all that is known of the captures."""
    stones = due_tombstones(rule, cutoff).order_by("deleted_at", "pk")
    found = list(stones.values_list("pk", flat=True)[: _PACE.size()])
    if not found:
        _end_pass(rule)
        return False
    with _PACE.transaction(len(found)), transaction.atomic():
        if not _leased(rule).update(due_at=leases.lease_end()):
            return False
        TokenTombstone.objects.filter(capture__in=found).delete()
        Tombstone.objects.filter(capture__in=found).delete()
        Capture.objects.filter(pk__in=found, state=State.GONE).delete()
        _advance(rule, str(found[-1]), len(found))
    return True


def actor_of(rule: RetentionRule) -> str:
    """Who deleted, for receipts and the audit log."""
    return f"retention rule {rule.pk}"


def _advance(rule: RetentionRule, cursor: str, deleted: int) -> None:
    rule.cursor = cursor
    _leased(rule).update(
        cursor=cursor,
        # A step that got somewhere is no failed attempt.
        attempt=0,
        deleted=F("deleted") + deleted,
        deleted_in_pass=F("deleted_in_pass") + deleted,
    )


def _end_pass(rule: RetentionRule, error: str | None = None) -> None:
    with transaction.atomic():
        theirs = _leased(rule).select_for_update().first()
        if theirs is None:
            return
        if theirs.deleted_in_pass:
            did = f"{theirs.deleted_in_pass}: {theirs}"
            note_rule(theirs.team_id, actor_of(rule), Act.RETENTION_DELETED, did)
        _leased(rule).update(
            cursor=None,
            deleted_in_pass=0,
            attempt=0,
            error=error,
            ended_at=Now(),
            due_at=Now() + EVERY,
            lease_token=None,
        )


def _leased(rule: RetentionRule) -> QuerySet[RetentionRule]:
    return RetentionRule.objects.filter(pk=rule.pk, lease_token=rule.lease_token, is_on=True)


def _log_fields(rule: RetentionRule) -> dict[str, Any]:
    return fields(rule=rule.pk, team=rule.team_id, attempt=rule.attempt)
