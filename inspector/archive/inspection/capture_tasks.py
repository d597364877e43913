"""Rows of work on one capture: opened on request, claimed under leases, stored step by step.

As with captures, attempts are counted before the work, leases end by the database's clock, and a
process that lost its lease changes nothing more.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec
from django.db import transaction
from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet
from django.db.models.functions import Now

from inspector.archive.inspection import leases
from inspector.archive.models import DELETED, Capture, CaptureTask, TaskKind, TaskState
from inspector.archive.readers.errors import ReadingError
from inspector.archive.readers.messages import ReadingErrorCause
from inspector.archive.storage.compression import compressed, decompressed
from inspector.archive.visible_captures import ended_captures
from inspector.teams.access import INGEST, READ, Principal
from inspector.teams.names import actor_name

MAX_OPEN_TASKS = 100
"""Of one team: each takes its turn, so that more would only wait longer."""
RESULT_BYTES = 1_000_000
ERROR_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class TooManyTasks:
    """The team has as many open tasks as it may have; another one can be requested later."""

    limit: int = MAX_OPEN_TASKS


def request_task(
    principal: Principal,
    capture_id: UUID,
    kind: TaskKind,
    code: str = "",
    pointer: str | None = None,
) -> CaptureTask | TooManyTasks | None:
    """Opens a task, or returns the open one of this capture, kind and code. None where the
    principal may send nothing to the capture's team, or has no such capture that has ended. Raises
    ``ReadingError`` where its body is deleted.
    """
    theirs = ended_captures(principal.team_ids(INGEST)).filter(id=capture_id)
    capture = theirs.only("id", "team", "body_deleted_at").first()
    if capture is None:
        return None
    if capture.body_deleted_at is not None:
        raise ReadingError(ReadingErrorCause.DELETED)
    return open_task(capture, kind, code, pointer, actor_name(principal))


def open_task(
    capture: Capture,
    kind: TaskKind,
    code: str = "",
    pointer: str | None = None,
    requested_by: str | None = None,
) -> CaptureTask | TooManyTasks | None:
    """Opens a task, or returns the open one of this capture, kind and code. Ended ones of these are
    replaced, so that a capture has one task of each. None where the capture was deleted meanwhile.
    """
    # Whatever the pointer: a capture has one minimisation of each code at a time.
    same = CaptureTask.objects.filter(capture=capture, kind=kind, code=code)
    if found := same.filter(state=TaskState.OPEN).first():
        return found
    if CaptureTask.objects.filter(team=capture.team_id, state=TaskState.OPEN).count() >= (
        MAX_OPEN_TASKS
    ):
        return TooManyTasks()
    new = CaptureTask(
        capture=capture,
        team_id=capture.team_id,
        kind=kind,
        code=code,
        pointer=pointer,
        requested_by=requested_by,
    )
    with transaction.atomic():
        same.exclude(state=TaskState.OPEN).delete()
        # The constraint decides which of several requests opens the task.
        CaptureTask.objects.bulk_create([new], ignore_conflicts=True)
    # By now it may have ended.
    return same.order_by("pk").last()


def task_of(principal: Principal, capture_id: UUID, number: int) -> CaptureTask | None:
    """A task of a capture that the principal may see."""
    return tasks_of(principal, capture_id).filter(pk=number).first()


def tasks_of(principal: Principal, capture_id: UUID) -> QuerySet[CaptureTask]:
    """The tasks of a capture that the principal may see, without the bytes of their positions."""
    theirs = CaptureTask.objects.filter(capture=capture_id, team__in=principal.team_ids(READ))
    return theirs.exclude(capture__state__in=DELETED).defer("position").order_by("pk")


# -- carrying out ---------------------------------------------------------------------------------


def claim(kinds: Collection[str], *, requested_only: bool = False) -> CaptureTask | None:
    """Claims the task of these kinds that has waited longest, one that nobody requested after all
    others; its attempt is counted.
    """
    open_ones = CaptureTask.objects.filter(kind__in=kinds, state=TaskState.OPEN)
    if requested_only:
        open_ones = open_ones.filter(requested_by__isnull=False)
    due = open_ones.filter(due_at__lte=Now()).order_by(
        ExpressionWrapper(Q(requested_by__isnull=True), BooleanField()), "due_at"
    )
    return leases.take_first(CaptureTask.objects.all(), due, attempt=leases.counted_attempt())


def keep_position(
    task: CaptureTask,
    position: bytes,
    *,
    done: int,
    total: int | None = None,
    progress: dict[str, Any] | None = None,
) -> bool:
    """Stores how far the task is, and releases it for its next step. False where the lease was
    lost.
    """
    columns = {"position": compressed(position), "done": done, "total": total, "progress": progress}
    # A step that got somewhere is no failed attempt.
    return _release(task, attempt=0, **columns)


def position_of(task: CaptureTask) -> bytes | None:
    """Returns where the last step stopped; None before the first."""
    return None if task.position is None else decompressed(task.position)


def postpone(task: CaptureTask, wait: timedelta, *, is_counted: bool = True) -> None:
    """Releases the task after a failed attempt, which is not counted if it was no fault of the
    task.
    """
    attempt = task.attempt if is_counted else task.attempt - 1
    _release(task, attempt=attempt, due_at=Now() + wait)


def lock_task(task: CaptureTask) -> bool:
    """Locks the task's row until the transaction ends. False where the lease was lost."""
    return _leased(task).update(due_at=leases.lease_end()) == 1


def finish(task: CaptureTask, result: Any, **columns: Any) -> bool:
    """Ends the task with its result (anything that msgspec encodes). False where the lease was
    lost. Raises ``ValueError`` where the result is too large.
    """
    encoded = msgspec.json.encode(result)
    if len(encoded) > RESULT_BYTES:
        raise ValueError(f"a result of {len(encoded):,} bytes")
    return _end(task, state=TaskState.FINISHED, result=compressed(encoded), **columns)


def fail(task: CaptureTask, error: str) -> bool:
    """Ends the task without a result. ``error`` must not quote a payload."""
    return _end(task, state=TaskState.FAILED, error=error[:ERROR_CHARACTERS])


def result_of(task: CaptureTask) -> Any:
    """The result as plain values; None before the end."""
    return None if task.result is None else msgspec.json.decode(decompressed(task.result))


def _release(task: CaptureTask, **columns: Any) -> bool:
    # At once unless told otherwise. Not ``Now()`` and no time more: SQLite spells that longer, and
    # what it compares are texts.
    return _leased(task).update(**{"lease_token": None, "due_at": Now(), **columns}) == 1


def _end(task: CaptureTask, **columns: Any) -> bool:
    ended = {"position": None, "lease_token": None, "finished_at": Now(), **columns}
    return _leased(task).update(**ended) == 1


def _leased(task: CaptureTask) -> QuerySet[CaptureTask]:
    return CaptureTask.objects.filter(
        pk=task.pk, lease_token=task.lease_token, state=TaskState.OPEN
    )
