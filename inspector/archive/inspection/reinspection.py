"""Reads captures again that an older analysis version read, slowly and after all new captures.

A job holds no list: what it has to do are the inspections for which no version as new as ours was
tried, and everything that is done to one takes it out of them. So a step that is cut off anywhere
repeats one capture at most, and a second worker finds the rest.
"""

import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from uuid import UUID

import msgspec
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from inspector.archive.inspection import added_findings, claims, projection_store
from inspector.archive.inspection.claims import REASON_CHARACTERS
from inspector.archive.inspection.projection import ProjectionRows, project
from inspector.archive.models import Capture, Document, Inspection, State
from inspector.archive.readers.extract import extract_of
from inspector.archive.readers.memory import limited_memory
from inspector.archive.storage import evidence, previous_analysis
from inspector.core.analysis import ANALYSIS_VERSION
from inspector.core.decoded_types import built
from inspector.core.readout import readout
from inspector.database import write_turn
from inspector.database.column_text import clean_text
from inspector.database.portability import UNAVAILABLE
from inspector.logs.json_log import fields
from inspector.teams import accounts
from inspector.work import queries as work
from inspector.work.leases import Leased
from inspector.work.models import WorkState
from inspector.work.queries import WorkOfKind
from inspector.work.run import Kind, ProcessEnded, reason_of

REINSPECTION = "reinspection"
"""The kind of work, for one version and team. Each capture is loaded, read and stored alone, so
that it needs the memory of one only.
"""
# Pause between two steps: reinspection takes at most half of one core.
REST_SECONDS = 1.0

_BEHIND = Q(tried_version__lt=ANALYSIS_VERSION)
_LOGGER = logging.getLogger(__name__)


class ReinspectionResult(msgspec.Struct, frozen=True):
    """Captures done so far: of which the analysis changed, and of which it stays an older one."""

    changed: int = 0
    failed: int = 0
    last_error: str | None = None


def open_jobs() -> None:
    """Open a job for each team that has outdated inspections and no job of this version."""
    behind = Inspection.objects.filter(_BEHIND, team=OuterRef("pk"))
    rows = WorkOfKind(REINSPECTION, None).rows()
    cared_for = rows.filter(_as_new_as_ours(), team=OuterRef("pk"))
    for team_id in accounts.team_ids_where(Exists(behind) & ~Exists(cared_for)):
        open_job(team_id, ANALYSIS_VERSION, _behind(team_id).count())


def open_job(team_id: int, version: int, total: int) -> None:
    """Open a job and close those of older versions; of several concurrent calls one opens it."""
    theirs = WorkOfKind(REINSPECTION, (team_id,))
    with transaction.atomic():
        work.open_once(
            REINSPECTION,
            team_id,
            str(version),
            subject=str(version),
            request={"version": version},
            total=total,
        )
        older = theirs.rows().filter(request__version__lt=version)
        theirs.end(older.values_list("pk", flat=True), WorkState.SUPERSEDED)


def read_again(capture_id: UUID) -> None:
    """Mark a capture as outdated whose readout cannot be loaded, unless reading it again failed. A
    busy database may lose the mark: whoever looks next makes it.
    """
    unloadable = Inspection.objects.filter(
        pk=capture_id,
        analysis_version=ANALYSIS_VERSION,
        tried_version=ANALYSIS_VERSION,
        capture__body_deleted_at__isnull=True,
        capture__document__reinspection_error__isnull=True,
    )
    with suppress(*UNAVAILABLE):
        unloadable.update(tried_version=0)


def step(job: Leased) -> bool:
    capture_id = _behind(job.team_id).values_list("capture", flat=True).first()
    if capture_id is None:
        job.end()
        _LOGGER.info("a reinspection is finished", extra=fields(team=job.team_id))
        return False
    return _store(job, capture_id, _after(capture_id))


def give_up(job: Leased, error: Exception) -> None:
    """Keep the existing inspection; the document records why it was not replaced."""
    capture_id = _behind(job.team_id).values_list("capture", flat=True).first()
    if capture_id is None:
        return
    reason = str(error) if isinstance(error, ProcessEnded) else f"{type(error).__name__}: {error}"
    with transaction.atomic():
        if not job.renew():
            return
        _pass_over(capture_id)
        Document.objects.filter(pk=capture_id).update(
            reinspection_error=clean_text(reason, REASON_CHARACTERS)
        )
        _advance(job, failed=1, last_error=reason_of(error))
    extra = fields(capture=str(capture_id), team=job.team_id)
    _LOGGER.warning("what was not read again keeps its inspection", extra=extra)


def result_of(stored: Any) -> ReinspectionResult:
    return msgspec.convert(stored, built(ReinspectionResult))


def _as_new_as_ours() -> Q:
    # Programs of two versions may run side by side: the older one then opens no job.
    ours = Q(state=WorkState.OPEN, request__version=ANALYSIS_VERSION)
    return Q(ours | Q(request__version__gt=ANALYSIS_VERSION))


def _behind(team_id: int) -> QuerySet[Inspection]:
    return Inspection.objects.filter(_BEHIND, team=team_id).order_by("tried_version", "capture")


def _after(capture_id: UUID) -> ProjectionRows | None:
    """Return None if the capture was deleted or claimed meanwhile, or its body is deleted."""
    inspected = Capture.objects.filter(
        pk=capture_id, state=State.INSPECTED, body_deleted_at__isnull=True
    )
    capture = inspected.select_related("evidence").first()
    if capture is None:
        return None
    exchange = evidence.unpack(capture, capture.evidence)
    with limited_memory(settings.WORK_MEMORY_BYTES):
        return project(capture, extract_of(exchange, readout(exchange)))


def _store(job: Leased, capture_id: UUID, after: ProjectionRows | None) -> bool:
    # Compared before the transaction: it takes long for large documents, and rows stay unlocked.
    changed = after is not None and _differs(capture_id, after)
    write_turn.give_way()
    with transaction.atomic():
        if not job.renew():
            return False
        replaced = projection_store.replace_rows([after], _may_replace) if after is not None else ()
        # Deleted or read meanwhile: it no longer counts as outdated, or the job would never end.
        if not replaced:
            _pass_over(capture_id)
        return _advance(job, changed=int(bool(replaced) and changed))


def _advance(job: Leased, changed: int = 0, failed: int = 0, last_error: str | None = None) -> bool:
    before = result_of(job.row.result)
    result = ReinspectionResult(
        before.changed + changed, before.failed + failed, last_error or before.last_error
    )
    return job.advance(1, result=msgspec.to_builtins(result))


def _differs(capture_id: UUID, after: ProjectionRows) -> bool:
    found = Document.objects.filter(pk=capture_id).values_list("readout", flat=True).first()
    return found is not None and previous_analysis.readouts_differ(
        bytes(found), bytes(after.document.readout)
    )


def _may_replace(captures: Sequence[Capture]) -> set[UUID]:
    # The lock makes a deletion wait; a reading by this version or a newer one is not replaced.
    there = added_findings.lock_inspected([capture.pk for capture in captures])
    # Asked after the lock: a body may have been deleted since it was read.
    behind = Inspection.objects.filter(_BEHIND, pk__in=there, capture__body_deleted_at__isnull=True)
    return set(behind.values_list("pk", flat=True))


def _pass_over(capture_id: UUID) -> None:
    behind = Inspection.objects.filter(_BEHIND, pk=capture_id)
    behind.update(tried_version=ANALYSIS_VERSION)


KIND = Kind(
    REINSPECTION,
    step,
    give_up,
    open_due=open_jobs,
    mine=Q(request__version__lte=ANALYSIS_VERSION),
    gives_way=claims.any_due,
)
