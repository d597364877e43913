"""Cleaning what is stored: what came before there was a cleaner, or came past an older one.

Captures go one by one, in the order of their ids, each in a transaction of its own; the evidence
says which version cleaned it. So it may be interrupted anywhere, and goes on where it was. Whoever
works on the same capture meanwhile waits, or finds that it is no longer theirs.
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

from inspector.archive import credentials, evidence, inspection
from inspector.archive.compression import decompressed
from inspector.archive.database import UNAVAILABLE
from inspector.archive.intake import columns_of_exchange
from inspector.archive.memory import bounded
from inspector.archive.models import DELETED, PENDING, Capture, Document, Evidence, State
from inspector.archive.projection import Rows, project
from inspector.core.credentials import removal, repeated
from inspector.core.credentials.cleaning import Cleaned
from inspector.core.credentials.spans import removed
from inspector.core.reading import analyze

ROWS_AT_ONCE = 200
TRIES = 5
"""At one capture that others change at the same time."""
COUNTED = (
    "request_headers",
    "response_headers",
    "address",
    "metadata",
    "request_body",
    "response_body",
)


@dataclass(slots=True)
class Report:
    """``found`` counts places by where they are; ``failed`` are captures that stay as they were."""

    looked_at: int = 0
    done_before: int = 0
    cleaned: int = 0
    read_again: int = 0
    found: Counter[str] = field(default_factory=Counter)
    failed: list[tuple[UUID, str]] = field(default_factory=list)


def clean_stored(team_id: int | None, *, is_tried: bool, report: Report) -> Iterator[Report]:
    """One step for each capture; ``is_tried``: nothing is changed. ``team_id``: None for all."""
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
    """What arrives meanwhile is clean."""
    captures = _there() if team_id is None else _there().filter(team=team_id)
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


def _there() -> QuerySet[Capture]:
    """What is recording is cleaned by whoever records it."""
    ended = Capture.objects.exclude(state__in=(*DELETED, State.RECORDING))
    return ended.filter(evidence_form__lte=evidence.FORM)


def _clean(capture_id: UUID, is_tried: bool, report: Report) -> None:
    for _ in range(TRIES):
        capture = _there().select_related("evidence").filter(pk=capture_id).first()
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


def _count(report: Report, cleaned: Cleaned, rows: Rows | None) -> None:
    report.cleaned += cleaned.removal.total > 0
    report.read_again += rows is not None
    for name in COUNTED:
        report.found[name] += getattr(cleaned.removal, name)


def _rows(capture: Capture, cleaned: Cleaned) -> Rows | None:
    """A new projection, where the bodies are others now, or the stored one shows a credential."""
    if capture.state != State.INSPECTED:
        return None
    if not _has_other_bodies(cleaned) and not _is_shown(capture, cleaned.carried):
        return None
    with bounded(settings.WORK_MEMORY_BYTES):
        return project(capture, cleaned.exchange, analyze(cleaned.exchange))


def _has_other_bodies(cleaned: Cleaned) -> bool:
    return bool(cleaned.removal.request_body or cleaned.removal.response_body)


def _is_shown(capture: Capture, carried: tuple[str, ...]) -> bool:
    stored = Document.objects.filter(pk=capture.pk).first() if carried else None
    if stored is None:
        return False
    packed = [stored.analysis] if stored.previous is None else [stored.analysis, stored.previous]
    texts = (repeated.as_text(decompressed(each)) for each in packed)
    return any(next(repeated.in_body(text, carried), None) for text in texts)


def _store(capture: Capture, cleaned: Cleaned, rows: Rows | None) -> bool:
    """False where it is not any more what was looked at."""
    inspection.projections()
    body = cleaned.exchange.body
    with transaction.atomic():
        held = Capture.objects.select_for_update().filter(pk=capture.pk).first()
        if held is None or (held.state, held.sha256) != (capture.state, capture.sha256):
            return False
        packed = evidence.pack(held, cleaned.exchange, body, cleaned.removal)
        Evidence.objects.filter(pk=held.pk).update(
            body=packed.body, reads=packed.reads, surroundings=packed.surroundings
        )
        if cleaned.removal.total:
            _update(held, cleaned, body)
        if _has_other_bodies(cleaned) and held.state in PENDING:
            _begin_again(held)
        if rows is not None:
            inspection.replace([rows], lambda captures: {one.pk for one in captures})
            Document.objects.filter(pk=held.pk).update(previous=None)
    return True


def _update(held: Capture, cleaned: Cleaned, body: bytes) -> None:
    posted, reason = held.posted_sha256, held.quarantine_reason
    Capture.objects.filter(pk=held.pk).update(
        **columns_of_exchange(cleaned.exchange, body, cleaned.metadata),
        posted_sha256=posted and credentials.keyed(posted),
        quarantine_reason=reason and removed(reason, repeated.in_value(reason, cleaned.carried)),
    )


def _begin_again(held: Capture) -> None:
    """Whoever reads it now reads what was there before; what they find is refused."""
    was_begun = int(held.state == State.PROCESSING)
    Capture.objects.filter(pk=held.pk).update(
        state=State.RECEIVED, lease_token=None, due_at=Now(), attempt=F("attempt") - was_begun
    )


@contextmanager
def _pages_overwritten() -> Iterator[None]:
    """SQLite would leave what was replaced in pages that are free, and in its log."""
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
