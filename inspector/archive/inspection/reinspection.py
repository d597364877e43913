"""Reads captures again that an older analysis version read, slowly and after all new captures.

A job holds no list: what it has to do are the inspections for which no version as new as ours was
tried, and everything that is done to one takes it out of them. So a step that is cut off anywhere
repeats one capture at most, and a second worker finds the rest.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from inspector.archive.inspection import added_findings, claims, jobs, projection_store
from inspector.archive.inspection.claims import PROCESS_ENDED_REASON, REASON_CHARACTERS
from inspector.archive.inspection.projection import ProjectionRows, project
from inspector.archive.models import Capture, Document, Inspection, Job, JobKind, JobState, State
from inspector.archive.readers.memory import limited_memory
from inspector.archive.storage import evidence, previous_analysis
from inspector.core.analysis import ANALYSIS_VERSION
from inspector.core.reading import analyze
from inspector.database import write_turn
from inspector.database.column_text import clean_text
from inspector.database.portability import UNAVAILABLE
from inspector.logs.json_log import fields
from inspector.teams import accounts

STEP_CAPTURES = 100
# No capture is begun after this time. Each is loaded, read and stored alone, so that a step needs
# the memory of one capture only.
STEP_SECONDS = 1.0
# Pause between two steps: reinspection takes at most half of one core.
REST_SECONDS = 1.0

_BEHIND = Q(tried_version__lt=ANALYSIS_VERSION)
_LOGGER = logging.getLogger(__name__)


def open_jobs() -> None:
    """Opens a job for each team that has outdated inspections and no job of this version."""
    behind = Inspection.objects.filter(_BEHIND, team=OuterRef("pk"))
    cared_for = Job.objects.filter(_as_new_as_ours(), team=OuterRef("pk"))
    for team_id in accounts.team_ids_where(Exists(behind) & ~Exists(cared_for)):
        total = _behind(team_id).count()
        jobs.open_job(JobKind.REINSPECTION, team_id, ANALYSIS_VERSION, total)


def step(stop: Callable[[], bool] = lambda: False) -> bool:
    """Works on one job for up to a second. Returns False where there is no job, or new captures
    wait.
    """
    job = None if claims.any_due() else jobs.claim(JobKind.REINSPECTION, ANALYSIS_VERSION)
    if job is None:
        return False
    end = time.monotonic() + STEP_SECONDS
    found = list(_behind(job.team_id).values_list("capture", flat=True)[:STEP_CAPTURES])
    for capture_id in found:
        if stop() or claims.any_due() or time.monotonic() > end:
            break
        if not _read_again(job, capture_id):
            return True
    if found:
        jobs.release(job)
    else:
        jobs.finish(job)
        _LOGGER.info("a reinspection is finished", extra=fields(team=job.team_id))
    return True


def _as_new_as_ours() -> Q:
    # Programs of two versions may run side by side: the older one then opens no job.
    ours = Q(state=JobState.OPEN, analysis_version=ANALYSIS_VERSION)
    newer = Q(analysis_version__gt=ANALYSIS_VERSION)
    return Q(ours | newer, kind=JobKind.REINSPECTION)


def _behind(team_id: int) -> QuerySet[Inspection]:
    """The outdated inspections of a team, in the order of their index."""
    return Inspection.objects.filter(_BEHIND, team=team_id).order_by("tried_version", "capture")


def _read_again(job: Job, capture_id: UUID) -> bool:
    """False where the job is another's by now, or was given back until a later attempt."""
    if not jobs.begin(job, capture_id):
        return False
    if job.attempt > settings.MAX_ATTEMPTS:
        return _skip(job, capture_id, PROCESS_ENDED_REASON.format(settings.MAX_ATTEMPTS))
    try:
        return _store(job, capture_id, _after(capture_id))
    except UNAVAILABLE:
        # No fault of the capture, and nothing can be noted now: repeated when the lease ends.
        raise
    except Exception as error:
        _LOGGER.exception("an attempt to inspect again failed", extra=_log_fields(job))
        return _failed(job, capture_id, error)


def _after(capture_id: UUID) -> ProjectionRows | None:
    """Returns None if the capture was deleted or claimed meanwhile, or its body is deleted."""
    inspected = Capture.objects.filter(
        pk=capture_id, state=State.INSPECTED, body_deleted_at__isnull=True
    )
    capture = inspected.select_related("evidence").first()
    if capture is None:
        return None
    exchange = evidence.unpack(capture, capture.evidence)
    with limited_memory(settings.WORK_MEMORY_BYTES):
        return project(capture, exchange, analyze(exchange))


def _store(job: Job, capture_id: UUID, after: ProjectionRows | None) -> bool:
    # Compared before the transaction: it takes long for large documents, and rows stay unlocked.
    changed = after is not None and _differs(capture_id, after)
    write_turn.give_way()
    with transaction.atomic():
        if not jobs.lock_job(job):
            return False
        replaced = projection_store.replace_rows([after], _may_replace) if after is not None else ()
        # Deleted or read meanwhile: it no longer counts as outdated, or the job would never end.
        if not replaced:
            _pass_over(capture_id)
        jobs.add_progress(job, changed=int(bool(replaced) and changed))
    return True


def _differs(capture_id: UUID, after: ProjectionRows) -> bool:
    found = Document.objects.filter(pk=capture_id).values_list("analysis", flat=True).first()
    return found is not None and previous_analysis.documents_differ(
        bytes(found), bytes(after.document.analysis)
    )


def _may_replace(captures: Sequence[Capture]) -> set[UUID]:
    # The lock makes a deletion wait; a reading by this version or a newer one is not replaced.
    there = added_findings.lock_inspected([capture.pk for capture in captures])
    # Asked after the lock: a body may have been deleted since it was read.
    behind = Inspection.objects.filter(_BEHIND, pk__in=there, capture__body_deleted_at__isnull=True)
    return set(behind.values_list("pk", flat=True))


def _failed(job: Job, capture_id: UUID, error: Exception) -> bool:
    jobs.note_error(job, type(error).__name__)
    if job.attempt >= settings.MAX_ATTEMPTS:
        return _skip(job, capture_id, f"{type(error).__name__}: {error}")
    jobs.postpone(job, timedelta(seconds=settings.RETRY_WAITS_SECONDS[job.attempt - 1]))
    return False


def _skip(job: Job, capture_id: UUID, reason: str) -> bool:
    # The existing inspection stays; the document records why it was not replaced.
    with transaction.atomic():
        if not jobs.lock_job(job):
            return False
        _pass_over(capture_id)
        Document.objects.filter(pk=capture_id).update(
            reinspection_error=clean_text(reason, REASON_CHARACTERS)
        )
        jobs.add_progress(job, failed=1)
    _LOGGER.warning("what was not read again keeps its inspection", extra=_log_fields(job))
    return True


def _pass_over(capture_id: UUID) -> None:
    behind = Inspection.objects.filter(_BEHIND, pk=capture_id)
    behind.update(tried_version=ANALYSIS_VERSION)


def _log_fields(job: Job) -> dict[str, Any]:
    return fields(capture=str(job.cursor), team=job.team_id, attempt=job.attempt)
