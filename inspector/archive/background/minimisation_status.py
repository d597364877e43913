"""Minimisations of one capture as a person or a service sees them: under way, or done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import msgspec
from django.db.models import QuerySet

from inspector.archive.background.minimising import MinimisationResult
from inspector.archive.inspection import capture_tasks
from inspector.archive.inspection.capture_tasks import TooManyTasks
from inspector.archive.inspection.projection import FINDING_ROWS, READING
from inspector.archive.member_types import Count, Moment
from inspector.archive.models import DELETED, Capture, CaptureTask, FindingRow, TaskKind
from inspector.archive.visible_captures import ended_captures
from inspector.core.minimisation.target import can_minimise
from inspector.teams.access import INGEST, READ, Principal


class MinimisationStatus(msgspec.Struct, frozen=True, kw_only=True):
    """How far minimising a capture for one finding is. ``state``: ``open``, ``finished`` or
    ``failed``. ``stage``: what is removed now; null before it was begun, as the lengths are.
    """

    code: str
    pointer: str | None
    state: str
    stage: str | None = None
    tries: Count = 0
    bytes_before: Count | None = None
    bytes_now: Count | None = None
    error: str | None = None
    requested_by: str | None = None
    created_at: Moment | None = None
    finished_at: Moment | None = None
    result: MinimisationResult | None = None

    @property
    def is_open(self) -> bool:
        return self.state == "open"


@dataclass(frozen=True, slots=True)
class NothingToMinimise:
    """The capture has no such finding, or no body can be an example of it."""

    code: str
    has_finding: bool


MinimisationAnswer = MinimisationStatus | NothingToMinimise | TooManyTasks


def request_minimisation(
    principal: Principal, capture_id: UUID, code: str, pointer: str | None = None
) -> MinimisationAnswer | None:
    """Requests it, or returns the one that is open, or that has ended with a capture which still
    exists. None where the principal may not.
    """
    if not ended_captures(principal.team_ids(INGEST)).filter(id=capture_id).exists():
        return None
    has_finding = _has_finding(capture_id, code, pointer)
    if not has_finding or not can_minimise(code):
        return NothingToMinimise(code, has_finding)
    known = _statuses(_tasks(principal, capture_id).filter(code=code, pointer=pointer))
    if any(each.result is not None and each.result.capture is not None for each in known):
        return known[-1]
    task = capture_tasks.request_task(
        principal, capture_id, TaskKind.MINIMISATION, code=code, pointer=pointer
    )
    return _status(task, ()) if isinstance(task, CaptureTask) else task


def minimisation_statuses(
    principal: Principal, capture_id: UUID
) -> tuple[MinimisationStatus, ...] | None:
    """The latest of each finding that one was requested for. None for a capture that the principal
    may not see, or that is still recorded.
    """
    if not ended_captures(principal.team_ids(READ)).filter(id=capture_id).exists():
        return None
    return _statuses(_tasks(principal, capture_id))


def _tasks(principal: Principal, capture_id: UUID) -> QuerySet[CaptureTask]:
    return capture_tasks.tasks_of(principal, capture_id).filter(kind=TaskKind.MINIMISATION)


def _has_finding(capture_id: UUID, code: str, pointer: str | None) -> bool:
    of_reading = FindingRow.objects.filter(capture=capture_id, source=READING)
    same = of_reading.filter(code=code)
    if pointer is not None:
        same = same.filter(pointer=pointer)
    # Where rows are full, the task looks for it among all findings.
    return same.exists() or of_reading.count() >= FINDING_ROWS


def _statuses(tasks: QuerySet[CaptureTask]) -> tuple[MinimisationStatus, ...]:
    found = list(tasks)
    results = {task.pk: _result(capture_tasks.result_of(task)) for task in found}
    made = [result.capture for result in results.values() if result and result.capture]
    there = set(_existing(made)) if made else set()
    return tuple(_status(task, there) for task in found)


def _existing(ids: Sequence[UUID]) -> QuerySet[Capture, UUID]:
    return (
        Capture.objects.filter(pk__in=ids).exclude(state__in=DELETED).values_list("pk", flat=True)
    )


def _status(task: CaptureTask, there: Sequence[UUID] | set[UUID]) -> MinimisationStatus:
    progress, result = task.progress or {}, _result(capture_tasks.result_of(task))
    if result is not None and result.capture not in there:
        result = msgspec.structs.replace(result, capture=None)
    return MinimisationStatus(
        code=task.code,
        pointer=task.pointer,
        state=task.state,
        stage=progress.get("stage"),
        tries=task.done,
        bytes_before=progress.get("bytes_before"),
        bytes_now=progress.get("bytes_now"),
        error=task.error,
        requested_by=task.requested_by,
        created_at=task.created_at,
        finished_at=task.finished_at,
        result=result,
    )


def _result(stored: Any) -> MinimisationResult | None:
    try:
        return None if stored is None else msgspec.convert(stored, MinimisationResult)
    except msgspec.ValidationError:
        # Stored by a release with another form of it: to be requested again.
        return None
