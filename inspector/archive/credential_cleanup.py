"""Removes credentials from captures stored before the current version of the cleaner.

Captures are cleaned one by one in the order of their ids, each in a transaction of its own, and the
evidence records which version cleaned it: the command may be interrupted anywhere and run again.
Whoever works on the same capture meanwhile waits, or loses the lease.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from inspector.archive import credentials
from inspector.archive.inspection import projection_store
from inspector.archive.inspection.projection import ProjectionRows, project
from inspector.archive.intake.retries import request_digest
from inspector.archive.intake.submission import columns_of_exchange
from inspector.archive.models import DELETED, PENDING, Capture, Document, Evidence, State
from inspector.archive.readers.memory import limited_memory
from inspector.archive.storage import evidence
from inspector.archive.storage.compression import decompressed
from inspector.core.credentials import removal, repeated
from inspector.core.credentials.cleaning import CleanedExchange
from inspector.core.credentials.spans import remove_spans
from inspector.core.reading import analyze
from inspector.database.portability import UNAVAILABLE

ROWS_AT_ONCE = 200
# Attempts at one capture that others change at the same time.
MAX_TRIES = 5
CREDENTIAL_LOCATIONS = (
    "request_headers",
    "response_headers",
    "address",
    "metadata",
    "request_body",
    "response_body",
)


@dataclass(slots=True)
class CleanupReport:
    """Counts of a cleanup. ``found``: places by where they are; ``failed``: captures left
    unchanged.
    """

    looked_at: int = 0
    done_before: int = 0
    cleaned: int = 0
    read_again: int = 0
    found: Counter[str] = field(default_factory=Counter)
    failed: list[tuple[UUID, str]] = field(default_factory=list)


def clean_stored(
    team_id: int | None, *, is_tried: bool, report: CleanupReport
) -> Iterator[CleanupReport]:
    """Cleans the captures of one team (None: of all), yielding the report after each. With
    ``is_tried`` nothing is changed.
    """
    with _pages_overwritten():
        for capture_id in _ids(team_id):
            report.looked_at += 1
            try:
                _clean(capture_id, is_tried, report)
            except UNAVAILABLE:
                raise
            except Exception as error:
                # What it says may quote the capture.
                report.failed.append((capture_id, type(error).__name__))
            yield report


def _ids(team_id: int | None) -> Iterator[UUID]:
    # Up to the greatest id at the start: later captures are cleaned as they arrive.
    captures = _cleanable() if team_id is None else _cleanable().filter(team=team_id)
    last = captures.order_by("-pk").values_list("pk", flat=True).first()
    after: UUID | None = None
    while last is not None:
        rows = captures.filter(pk__lte=last)
        rows = rows if after is None else rows.filter(pk__gt=after)
        found = list(rows.order_by("pk").values_list("pk", flat=True)[:ROWS_AT_ONCE])
        yield from found
        if not found:
            return
        after = found[-1]


def _cleanable() -> QuerySet[Capture]:
    # Captures still being recorded are cleaned by their recorder.
    ended = Capture.objects.exclude(state__in=(*DELETED, State.RECORDING))
    return ended.filter(evidence_form__lte=evidence.FORM, body_deleted_at__isnull=True)


def _clean(capture_id: UUID, is_tried: bool, report: CleanupReport) -> None:
    for _ in range(MAX_TRIES):
        capture = _cleanable().select_related("evidence").filter(pk=capture_id).first()
        if capture is None:
            return
        before = evidence.removal_in(capture.evidence.surroundings)
        if before is not None and before.version >= removal.VERSION:
            report.done_before += 1
            return
        exchange = evidence.unpack(capture, capture.evidence)
        cleaned = credentials.clean(exchange, capture.metadata)
        rows = None if is_tried else _rows(capture, cleaned)
        if is_tried or _store(capture, cleaned, rows):
            _count(report, cleaned, rows)
            return
    raise RuntimeError("others changed it again and again")


def _count(report: CleanupReport, cleaned: CleanedExchange, rows: ProjectionRows | None) -> None:
    report.cleaned += cleaned.removal.total > 0
    report.read_again += rows is not None
    for name in CREDENTIAL_LOCATIONS:
        report.found[name] += getattr(cleaned.removal, name)


def _rows(capture: Capture, cleaned: CleanedExchange) -> ProjectionRows | None:
    """A new projection, where the bodies changed or the stored one shows a credential; else
    None.
    """
    if capture.state != State.INSPECTED:
        return None
    if not _has_other_bodies(cleaned) and not _is_shown(capture, cleaned.carried):
        return None
    with limited_memory(settings.WORK_MEMORY_BYTES):
        return project(capture, cleaned.exchange, analyze(cleaned.exchange))


def _has_other_bodies(cleaned: CleanedExchange) -> bool:
    return bool(cleaned.removal.request_body or cleaned.removal.response_body)


def _is_shown(capture: Capture, carried: tuple[str, ...]) -> bool:
    stored = Document.objects.filter(pk=capture.pk).first() if carried else None
    if stored is None:
        return False
    packed = [stored.analysis] if stored.previous is None else [stored.analysis, stored.previous]
    texts = (repeated.as_text(decompressed(each)) for each in packed)
    return any(next(repeated.in_body(text, carried), None) for text in texts)


def _store(capture: Capture, cleaned: CleanedExchange, rows: ProjectionRows | None) -> bool:
    """Stores a cleaned capture. Returns False where the capture changed since it was loaded."""
    projection_store.import_projectors()
    body = cleaned.exchange.body
    with transaction.atomic():
        locked = _cleanable().select_for_update().filter(pk=capture.pk).first()
        if locked is None or (locked.state, locked.sha256) != (capture.state, capture.sha256):
            return False
        origin = evidence.origin_in(capture.evidence.surroundings)
        packed = evidence.pack(locked, cleaned.exchange, body, cleaned.removal, origin)
        Evidence.objects.filter(pk=locked.pk).update(
            body=packed.body, reads=packed.reads, surroundings=packed.surroundings
        )
        if cleaned.removal.total:
            _update(locked, cleaned, body)
        if _has_other_bodies(cleaned) and locked.state in PENDING:
            _begin_again(locked)
        if rows is not None:
            projection_store.replace_rows([rows], lambda captures: {one.pk for one in captures})
            Document.objects.filter(pk=locked.pk).update(previous=None)
    return True


def _update(locked: Capture, cleaned: CleanedExchange, body: bytes) -> None:
    posted, reason = locked.posted_sha256, locked.quarantine_reason
    Capture.objects.filter(pk=locked.pk).update(
        **columns_of_exchange(cleaned.exchange, body, cleaned.metadata),
        request_sha256=locked.request_sha256 and request_digest(cleaned.exchange.request),
        posted_sha256=posted and credentials.keyed(posted),
        quarantine_reason=reason
        and remove_spans(reason, repeated.in_value(reason, cleaned.carried)),
    )


def _begin_again(locked: Capture) -> None:
    # A worker that reads it now reads the old bytes: its result is refused.
    was_begun = int(locked.state == State.PROCESSING)
    Capture.objects.filter(pk=locked.pk).update(
        state=State.RECEIVED, lease_token=None, due_at=Now(), attempt=F("attempt") - was_begun
    )


@contextmanager
def _pages_overwritten() -> Iterator[None]:
    # SQLite would leave replaced content in free pages and in its log (WAL).
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA secure_delete = ON")
    try:
        yield
    finally:
        if not connection.in_atomic_block:
            with connection.cursor() as cursor:
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
