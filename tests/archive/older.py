"""Inspections as a version before ours would have left them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import msgspec

from inspector.archive.inspection import reinspection
from inspector.archive.models import Document, Inspection, Job
from inspector.archive.storage import document

OLDER = 0


def grow_old(capture_id: UUID, **said: Any) -> None:
    """As if version 0 had read it, and had said something else."""
    stored = Document.objects.get(pk=capture_id)
    now = document.unpack(bytes(stored.analysis)).analysis
    then = msgspec.structs.replace(now, analysis_version=OLDER, **said)
    Document.objects.filter(pk=capture_id).update(analysis=document.pack(then), previous=None)
    Inspection.objects.filter(pk=capture_id).update(
        analysis_version=OLDER, tried_version=OLDER, verdict=then.verdict
    )


def read_everything_again() -> None:
    reinspection.open_jobs()
    while reinspection.step():
        pass


def the_job() -> Job:
    return Job.objects.get()
