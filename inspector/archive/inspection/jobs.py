"""Claims background jobs. As with captures, attempts are counted before the work, leases end by the
database's clock, and a process that lost its lease changes nothing more.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from inspector.archive.inspection import leases
from inspector.archive.models import Job, JobKind, JobState

ERROR_CHARACTERS = 200


def open_job(kind: JobKind, team_id: int, analysis_version: int, total: int) -> None:
    """Opens a job and closes those of older versions; of several concurrent calls one opens it."""
    job = Job(kind=kind, team_id=team_id, analysis_version=analysis_version, total=total)
    older = Job.objects.filter(
        kind=kind, team=team_id, analysis_version__lt=analysis_version, state=JobState.OPEN
    )
    with transaction.atomic():
        # The constraint decides which of several processes opens the job; the others go on without.
        Job.objects.bulk_create([job], ignore_conflicts=True)
        older.update(state=JobState.SUPERSEDED, finished_at=Now(), lease_token=None)


def open_requested_job(
    kind: JobKind, team_id: int, analysis_version: int, total: int
) -> Job | None:
    """Opens a job that somebody requested. Returns None while another of its kind is open in the
    team.
    """
    if Job.objects.filter(kind=kind, team=team_id, state=JobState.OPEN).exists():
        return None
    job = Job(kind=kind, team_id=team_id, analysis_version=analysis_version, total=total)
    try:
        with transaction.atomic():
            job.save()
    except IntegrityError:
        # A unique constraint allows one open job of a kind in a team; the other request was first.
        return None
    return job


def due(analysis_version: int) -> QuerySet[Job]:
    """Jobs of any kind, of this version or an older one."""
    return Job.objects.filter(
        analysis_version__lte=analysis_version, state=JobState.OPEN, due_at__lte=Now()
    )


def claim(kind: JobKind, analysis_version: int) -> Job | None:
    """Claims the job that has waited longest, of this version or an older one."""
    waiting = due(analysis_version).filter(kind=kind).order_by("due_at")
    return leases.take_first(Job.objects.all(), waiting)


def begin(job: Job, capture_id: UUID) -> bool:
    """Counted before the work, so that a capture that ends its process is counted, too."""
    job.attempt = job.attempt + 1 if job.cursor == capture_id else 1
    job.cursor = capture_id
    return _renewed(job, cursor=job.cursor, attempt=job.attempt)


def lock_job(job: Job) -> bool:
    """Locks the job's row until the transaction ends. Returns False where the lease was lost."""
    return _renewed(job)


def add_progress(job: Job, *, done: int = 1, changed: int = 0, failed: int = 0) -> None:
    """Counts captures done, in the transaction that stores their results."""
    _leased_job(job).update(
        done=F("done") + done, changed=F("changed") + changed, failed=F("failed") + failed
    )


def note_error(job: Job, error: str) -> None:
    _leased_job(job).update(last_error=error[:ERROR_CHARACTERS])


def release(job: Job) -> None:
    """Releases the job for its next step. ``cursor`` and ``attempt`` stay, so that they count how
    often that step was begun.
    """
    _leased_job(job).update(lease_token=None, due_at=Now())


def postpone(job: Job, wait: timedelta) -> None:
    _leased_job(job).update(lease_token=None, due_at=Now() + wait)


def finish(job: Job) -> None:
    _leased_job(job).update(state=JobState.FINISHED, finished_at=Now(), lease_token=None)


def _renewed(job: Job, **columns: Any) -> bool:
    return _leased_job(job).update(due_at=leases.lease_end(), **columns) == 1


def _leased_job(job: Job) -> QuerySet[Job]:
    return Job.objects.filter(pk=job.pk, lease_token=job.lease_token, state=JobState.OPEN)
