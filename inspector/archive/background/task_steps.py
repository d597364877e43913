"""Carries out tasks of captures, one bounded step at a time: claims one, hands the evidence and the
position of its last step to the function of its kind, stores what that returns.

What reads bytes does so in a reader process (``inspector.archive.readers``), which has limits of
memory and time and may be killed by what it reads.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.db import transaction

from inspector.archive.inspection import capture_tasks, claims
from inspector.archive.inspection.claims import PROCESS_ENDED_REASON
from inspector.archive.models import DELETED, Capture, CaptureTask, State
from inspector.archive.readers.errors import ReadingError
from inspector.archive.readers.messages import ReadingErrorCause
from inspector.archive.readers.pool import pool
from inspector.archive.storage import disk_space, evidence
from inspector.core.wire.exchange import Exchange
from inspector.database import portability
from inspector.logs.json_log import fields

STEP_SECONDS = 1.0
"""What a function of a kind is to take for one step, about."""

Given = TypeVar("Given")

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StepGoesOn:
    """The step stopped before the end. ``position``: whatever the next step is to get."""

    position: bytes
    done: int
    total: int | None = None
    progress: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class StepFinished:
    """The task is at its end. ``result``: anything that msgspec encodes; ``store`` runs in the
    transaction that ends the task, and returns a result that is to be kept instead.
    """

    result: Any
    done: int
    progress: dict[str, Any] | None = None
    store: Callable[[], Any] | None = None


@dataclass(frozen=True, slots=True)
class StepFailed:
    """The task cannot be carried out. ``error``: a code; must not quote the payload."""

    error: str


@dataclass(frozen=True, slots=True)
class TaskStep:
    """The arguments of a step: the task, its capture, the stored exchange, and the position of the
    last step (None in the first).
    """

    task: CaptureTask
    capture: Capture
    exchange: Exchange
    position: bytes | None


StepOutcome = StepGoesOn | StepFinished | StepFailed
StepFunction = Callable[[TaskStep], StepOutcome]

# A kind without a function is one of a later release, which waits for it.
STEPS: dict[str, StepFunction] = {}


def step(stop: Callable[[], bool] = lambda: False) -> bool:
    """Carries out one step of the task that has waited longest. Returns False where none is due."""
    # What nobody requested gives way to new captures.
    task = None if stop() else capture_tasks.claim(tuple(STEPS), requested_only=claims.any_due())
    if task is None:
        return False
    if task.attempt > settings.MAX_ATTEMPTS:
        capture_tasks.fail(task, PROCESS_ENDED_REASON.format(settings.MAX_ATTEMPTS))
        return True
    try:
        _store(task, _carried_out(task))
    except portability.UNAVAILABLE:
        # No fault of the task, and nothing can be noted now: repeated when the lease ends.
        raise
    except Exception as error:
        _LOGGER.exception("a step of a task failed", extra=_log_fields(task))
        _failed(task, error)
    return True


def read_in_process(operation: Callable[[Given], Any], given: Given) -> Any:
    """Runs one of ``readers.operations`` in a reader process. Raises ``ReadingError``."""
    with pool().place():
        value, _ = pool().read(
            operation.__name__, given, settings.READING_SECONDS, settings.READING_RESULT_BYTES
        )
    return value


def _carried_out(task: CaptureTask) -> StepOutcome:
    stored = Capture.objects.filter(pk=task.capture_id, evidence_form__lte=evidence.FORM)
    ended = stored.exclude(state__in=(State.RECORDING, *DELETED))
    capture = ended.filter(body_deleted_at__isnull=True).select_related("evidence").first()
    if capture is None:
        return StepFailed("not_found")
    exchange = evidence.unpack(capture, capture.evidence)
    return STEPS[task.kind](TaskStep(task, capture, exchange, capture_tasks.position_of(task)))


def _store(task: CaptureTask, outcome: StepOutcome) -> None:
    if isinstance(outcome, StepGoesOn):
        capture_tasks.keep_position(
            task,
            outcome.position,
            done=outcome.done,
            total=outcome.total,
            progress=outcome.progress,
        )
    elif isinstance(outcome, StepFailed):
        capture_tasks.fail(task, outcome.error)
    else:
        _finish(task, outcome)


def _finish(task: CaptureTask, outcome: StepFinished) -> None:
    columns = {"done": outcome.done, "total": outcome.done, "progress": outcome.progress}
    with transaction.atomic():
        # First: nothing is stored for a task that was deleted, or is another process's by now.
        if not capture_tasks.lock_task(task):
            return
        result = outcome.store() if outcome.store else outcome.result
        capture_tasks.finish(task, result, **columns)
    _LOGGER.info("a task is finished", extra=_log_fields(task))


def _failed(task: CaptureTask, error: Exception) -> None:
    cause = error.cause if isinstance(error, ReadingError) else None
    if cause is ReadingErrorCause.BUSY or disk_space.is_disk_full(error):
        wait = timedelta(seconds=settings.RETRY_WAITS_SECONDS[-1])
        capture_tasks.postpone(task, wait, is_counted=False)
    elif cause is ReadingErrorCause.TOO_LARGE or task.attempt >= settings.MAX_ATTEMPTS:
        capture_tasks.fail(task, str(cause or type(error).__name__))
    else:
        wait = timedelta(seconds=settings.RETRY_WAITS_SECONDS[task.attempt - 1])
        capture_tasks.postpone(task, wait)


def _log_fields(task: CaptureTask) -> dict[str, Any]:
    return fields(
        task=task.pk, capture=str(task.capture_id), team=task.team_id, attempt=task.attempt
    )
