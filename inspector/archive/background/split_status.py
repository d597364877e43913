"""Every split of one capture as a person or a service sees it: requested, under way, or done."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import msgspec

from inspector.archive.inspection import capture_tasks
from inspector.archive.inspection.capture_tasks import TooManyTasks
from inspector.archive.member_types import Count, Moment
from inspector.archive.models import CaptureTask, TaskKind
from inspector.archive.visible_captures import ended_captures
from inspector.core.splits.every_split import SplitResult
from inspector.teams.access import READ, Principal

NOT_REQUESTED = "not-requested"


class SplitStatus(msgspec.Struct, frozen=True, kw_only=True):
    """How far reading a capture at every split is. ``state``: ``not-requested``, ``open``,
    ``finished`` or ``failed``. ``stage``: who reads now, ``own`` or a client.
    """

    state: str = NOT_REQUESTED
    done: Count = 0
    total: Count | None = None
    stage: str | None = None
    error: str | None = None
    requested_by: str | None = None
    """Null if nobody requested it, or it was not begun."""
    created_at: Moment | None = None
    finished_at: Moment | None = None
    result: SplitResult | None = None

    @property
    def is_open(self) -> bool:
        return self.state == "open"


def request_splits(principal: Principal, capture_id: UUID) -> SplitStatus | TooManyTasks | None:
    """Requests it, or returns the request that is open. None where the principal may not."""
    task = capture_tasks.request_task(principal, capture_id, TaskKind.SPLITTING)
    return _status(task) if isinstance(task, CaptureTask) else task


def split_status(principal: Principal, capture_id: UUID) -> SplitStatus | None:
    """Returns None for a capture that the principal may not see, or that is still recorded."""
    if not ended_captures(principal.team_ids(READ)).filter(id=capture_id).exists():
        return None
    task = capture_tasks.tasks_of(principal, capture_id).filter(kind=TaskKind.SPLITTING).last()
    return _status(task) if task else SplitStatus()


def _status(task: CaptureTask) -> SplitStatus:
    progress = task.progress or {}
    return SplitStatus(
        state=task.state,
        done=task.done,
        total=task.total,
        stage=progress.get("stage"),
        error=task.error,
        requested_by=task.requested_by,
        created_at=task.created_at,
        finished_at=task.finished_at,
        result=_result(capture_tasks.result_of(task)),
    )


def _result(stored: Any) -> SplitResult | None:
    try:
        return None if stored is None else msgspec.convert(stored, SplitResult)
    except msgspec.ValidationError:
        # Stored by a release with another form of it: to be requested again.
        return None
