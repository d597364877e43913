"""Inspections as a version before ours would have left them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from inspector.archive import readouts
from inspector.archive.inspection import reinspection
from inspector.archive.models import Document, Inspection
from inspector.work.models import Work
from inspector.work.run import run_one

OLDER = 0


def grow_old(capture_id: UUID, **said: Any) -> None:
    """As if version 0 had read it, and had said something else."""
    stored = Document.objects.get(pk=capture_id)
    now = readouts.load(bytes(stored.readout))
    assert now is not None
    then = msgspec.structs.replace(now.analysis, analysis_version=OLDER, **said)
    packed = readouts.pack_stored(msgspec.structs.replace(now, analysis=then))
    Document.objects.filter(pk=capture_id).update(readout=packed, previous=None)
    Inspection.objects.filter(pk=capture_id).update(
        analysis_version=OLDER, tried_version=OLDER, verdict=then.verdict
    )


def read_everything_again() -> None:
    while run_one(reinspection.KIND):
        pass


@dataclass(frozen=True)
class StoredJob:
    state: str
    total: int | None
    done: int
    changed: int
    failed: int
    attempt: int
    lease_token: UUID | None
    last_error: str | None
    started_at: datetime | None
    finished_at: datetime | None


def the_job() -> StoredJob:
    row = Work.objects.get()
    result = reinspection.result_of(row.result)
    return StoredJob(
        row.state,
        row.total,
        row.done,
        result.changed,
        result.failed,
        row.attempt,
        row.lease_token,
        row.error or result.last_error,
        row.started_at,
        row.finished_at,
    )
