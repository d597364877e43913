"""Carries out bulk jobs: claims one, changes captures for up to a second, stores how far it is.

What a job changed and its position are stored in one transaction with the change: a step that is
cut off is repeated, and changes nothing twice.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec
from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from inspector.archive import deletion, rewriting
from inspector.archive.annotation import change_tag
from inspector.archive.background import deletion_pace, redacting
from inspector.archive.background.bulk_jobs import BulkDeletionSums, filters_of, rules_of
from inspector.archive.background.deletion_pace import DeletionPace
from inspector.archive.background.redacting import RedactedCaptures
from inspector.archive.inspection import leases
from inspector.archive.inspection.claims import PROCESS_ENDED_REASON
from inspector.archive.models import BulkChange, BulkJob, BulkKind, BulkState, Capture
from inspector.archive.queries import Captures
from inspector.archive.rewriting import LeftAsItIs, Outcome
from inspector.archive.storage import disk_space
from inspector.database.portability import UNAVAILABLE
from inspector.logs.json_log import fields

STEP_CAPTURES = 200
"""Changed in one transaction, which keeps their rows locked."""
DELETED_CAPTURES = deletion_pace.MOST
"""Deleted in one transaction at most."""
STEP_SECONDS = 1.0
ERROR_CHARACTERS = 200
UNKNOWN_QUERY = "query_not_understood"

_PACE = DeletionPace()
_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BulkSlice:
    """The next captures of a job. ``cursor`` is behind the last of them."""

    ids: Sequence[UUID]
    cursor: str | None


def step(stop: Callable[[], bool] = lambda: False) -> bool:
    """Works on the job that has waited longest, for up to a second. False where none is due."""
    job = None if stop() else _claim()
    if job is None:
        return False
    if job.attempt > settings.MAX_ATTEMPTS:
        _end(job, BulkState.FAILED, PROCESS_ENDED_REASON.format(settings.MAX_ATTEMPTS))
        return True
    try:
        _work(job, stop)
    except UNAVAILABLE:
        # No fault of the job, and nothing can be noted now: repeated when the lease ends.
        raise
    except Exception as error:
        _LOGGER.exception("a step of a bulk job failed", extra=_log_fields(job))
        _failed(job, error)
    return True


def due() -> QuerySet[BulkJob]:
    open_now = BulkJob.objects.filter(state=BulkState.OPEN, due_at__lte=Now())
    return open_now.order_by("due_at", "id")


def _claim() -> BulkJob | None:
    return leases.take_first(BulkJob.objects.all(), due(), attempt=leases.counted_attempt())


def _work(job: BulkJob, stop: Callable[[], bool]) -> None:
    end = time.monotonic() + STEP_SECONDS
    while not stop() and time.monotonic() < end:
        found = _next_slice(job)
        if found is None:
            _end(job, BulkState.FAILED, UNKNOWN_QUERY)
            return
        if not found.ids:
            _end(job, BulkState.FINISHED)
            _LOGGER.info("a bulk job is finished", extra=_log_fields(job))
            return
        if not CHANGES[BulkKind(job.kind)](job, found):
            return
    _leased(job).update(lease_token=None, due_at=Now())


def _next_slice(job: BulkJob) -> BulkSlice | None:
    """Returns the next captures of the job; None if this release does not understand its query."""
    if job.undoes_id is not None:
        return _next_changes(job, job.undoes_id)
    filters = filters_of(job)
    if filters is None:
        return None
    found, cursor = Captures((job.team_id,)).ids_before(job.cursor, _most(job), filters)
    return BulkSlice(found, cursor)


def _most(job: BulkJob) -> int:
    if job.kind == BulkKind.REDACT:
        # Each is read anew, and stored with how far the job is.
        return 1
    if job.kind != BulkKind.DELETE:
        return STEP_CAPTURES
    # Never more than were confirmed, even if others have come to match since.
    return min(_PACE.size(DELETED_CAPTURES), (job.total or 0) - job.done)


def _next_changes(job: BulkJob, undone: int) -> BulkSlice:
    behind = int(job.cursor or 0)
    rows = BulkChange.objects.filter(job=undone, pk__gt=behind).order_by("pk")
    found = list(rows.values_list("pk", "capture")[:STEP_CAPTURES])
    return BulkSlice([each for _, each in found], str(found[-1][0]) if found else None)


def _change(job: BulkJob, found: BulkSlice) -> bool:
    """False where the job is another process's by now, or ended."""
    with transaction.atomic():
        if not _leased(job).update(due_at=leases.lease_end()):
            return False
        theirs = Capture.objects.filter(pk__in=_to_change(job, found.ids), team=job.team_id)
        result = change_tag(theirs, job.argument, add=job.kind == BulkKind.TAG)
        BulkChange.objects.bulk_create(
            BulkChange(job=job, capture_id=capture_id) for capture_id in result.changed
        )
        _advance(job, found, len(result.changed), full=F("full") + result.full)
    return True


def _delete(job: BulkJob, found: BulkSlice) -> bool:
    """False where the job is another process's by now, or was stopped."""
    with _PACE.transaction(len(found.ids)), transaction.atomic():
        if not _leased(job).update(due_at=leases.lease_end()):
            return False
        gone = deletion.delete_all(job.team_id, found.ids, job.requested_by)
        sums = msgspec.convert(job.receipt or {}, BulkDeletionSums).and_of(gone)
        _advance(job, found, len(gone.ids), receipt=msgspec.to_builtins(sums))
    job.receipt, job.done = msgspec.to_builtins(sums), job.done + len(found.ids)
    _PACE.rest()
    return True


def _redact(job: BulkJob, found: BulkSlice) -> bool:
    """False where the job is another process's by now, or was stopped."""
    [capture_id] = found.ids

    def noted(outcome: Outcome) -> bool:
        return _add_redacted(job, found, redacting.sums_of(outcome))

    theirs = Capture.objects.filter(team=job.team_id)
    try:
        outcome = rewriting.rewrite(theirs, capture_id, redacting.named_by(rules_of(job)), noted)
    except UNAVAILABLE:
        raise
    except Exception:
        # One that cannot be read is no reason to leave all others as they are.
        _LOGGER.exception("a capture could not be redacted", extra=_log_fields(job))
        return _add_redacted(job, found, RedactedCaptures(left=1))
    return outcome is not LeftAsItIs.REFUSED


def _add_redacted(job: BulkJob, found: BulkSlice, more: RedactedCaptures) -> bool:
    sums = msgspec.to_builtins(msgspec.convert(job.receipt or {}, RedactedCaptures).and_of(more))
    is_ours = _advance(job, found, more.captures, receipt=sums)
    if is_ours:
        job.receipt = sums
    return is_ours


def _to_change(job: BulkJob, ids: Sequence[UUID]) -> Sequence[UUID]:
    """Returns the captures to undo whose tag nobody has changed since."""
    if job.undoes_id is None:
        return ids
    # Locked first: whoever changes tags takes the notes of jobs away under this lock.
    list(Capture.objects.filter(pk__in=ids).order_by("id").only("id").select_for_update())
    rows = BulkChange.objects.filter(job=job.undoes_id, capture__in=ids)
    return list(rows.values_list("capture", flat=True))


def _advance(job: BulkJob, found: BulkSlice, changed: int, **columns: Any) -> bool:
    """False where the job is another process's by now, or was stopped."""
    job.cursor = found.cursor
    is_ours = _leased(job).update(
        cursor=found.cursor,
        due_at=leases.lease_end(),
        # A step that got somewhere is no failed attempt.
        attempt=0,
        done=F("done") + len(found.ids),
        changed=F("changed") + changed,
        **columns,
    )
    return bool(is_ours)


def _failed(job: BulkJob, error: Exception) -> None:
    if disk_space.is_disk_full(error):
        wait = timedelta(seconds=settings.RETRY_WAITS_SECONDS[-1])
        _leased(job).update(lease_token=None, due_at=Now() + wait, attempt=job.attempt - 1)
    elif job.attempt >= settings.MAX_ATTEMPTS:
        _end(job, BulkState.FAILED, type(error).__name__)
    else:
        wait = timedelta(seconds=settings.RETRY_WAITS_SECONDS[job.attempt - 1])
        _leased(job).update(lease_token=None, due_at=Now() + wait)


def _end(job: BulkJob, state: BulkState, error: str | None = None) -> None:
    _leased(job).update(
        state=state,
        error=error[:ERROR_CHARACTERS] if error else None,
        finished_at=Now(),
        lease_token=None,
    )


CHANGES: Mapping[BulkKind, Callable[[BulkJob, BulkSlice], bool]] = {
    BulkKind.TAG: _change,
    BulkKind.UNTAG: _change,
    BulkKind.DELETE: _delete,
    BulkKind.REDACT: _redact,
}


def _leased(job: BulkJob) -> QuerySet[BulkJob]:
    return BulkJob.objects.filter(pk=job.pk, lease_token=job.lease_token, state=BulkState.OPEN)


def _log_fields(job: BulkJob) -> dict[str, Any]:
    return fields(job=job.pk, team=job.team_id, attempt=job.attempt)
