"""Applies redaction rules to one stored capture: evidence, row, projection, and what was made of
its old bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import msgspec
from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now
from django.utils.module_loading import import_string

from inspector.archive import credentials
from inspector.archive.inspection import projection_store
from inspector.archive.inspection.projection import ProjectionRows, project
from inspector.archive.intake.retries import request_digest
from inspector.archive.intake.submission import columns_of_exchange
from inspector.archive.models import (
    DELETED,
    PENDING,
    Capture,
    Document,
    Evidence,
    State,
)
from inspector.archive.readers.memory import limited_memory
from inspector.archive.storage import evidence
from inspector.core.reading import analyze
from inspector.core.redaction.exchange_redaction import (
    RedactedExchange,
    masked_text,
    redact_exchange,
)
from inspector.core.redaction.mask_rules import RuleSet
from inspector.core.redaction.redaction import combined_redaction

MAX_TRIES = 5
"""Attempts at one capture that others change at the same time."""

MayStore = Callable[[], bool]
"""Asked first in each transaction: False where the caller may not go on."""


class RedactedCaptures(msgspec.Struct, frozen=True):
    """What a redaction changed. ``exports`` and ``shares``: files and links that held old bytes,
    and are gone.
    """

    captures: int = 0
    passages: int = 0
    exports: int = 0
    shares: int = 0
    left: int = 0
    """Left as they are: still being recorded, or stored by a later release."""

    def and_of(self, other: RedactedCaptures) -> RedactedCaptures:
        names = self.__struct_fields__
        return RedactedCaptures(*(getattr(self, each) + getattr(other, each) for each in names))


NOTHING = RedactedCaptures()


def redact_stored(
    team_id: int, capture_id: UUID, rules: RuleSet, may_store: MayStore
) -> RedactedCaptures | None:
    """Redacts a capture. None where ``may_store`` refused."""
    for _ in range(MAX_TRIES):
        capture = _there(team_id).select_related("evidence").filter(pk=capture_id).first()
        if capture is None or not hasattr(capture, "evidence"):
            # Gone, or without a body: what stays of that has no texts.
            return NOTHING
        if capture.state == State.RECORDING or capture.evidence_form > evidence.FORM:
            return RedactedCaptures(left=1)
        if capture.body_deleted_at is not None:
            return NOTHING
        exchange = evidence.unpack(capture, capture.evidence)
        redacted = redact_exchange(exchange, capture.metadata, rules, credentials.keyed)
        if redacted.redaction is None:
            return NOTHING
        # Parsed outside of the transaction, which keeps others waiting.
        rows = _rows(capture, redacted)
        with transaction.atomic():
            if not may_store():
                return None
            stored = _store(capture, redacted, rules, rows)
        if stored is not None:
            return stored
    raise RuntimeError("others changed it again and again")


def _there(team_id: int) -> QuerySet[Capture]:
    return Capture.objects.filter(team=team_id).exclude(state__in=DELETED)


def _rows(capture: Capture, redacted: RedactedExchange) -> ProjectionRows | None:
    """A new projection; None where there is none."""
    if capture.state != State.INSPECTED:
        return None
    capture.metadata = redacted.metadata
    with limited_memory(settings.WORK_MEMORY_BYTES):
        return project(capture, redacted.exchange, analyze(redacted.exchange))


def _store(
    capture: Capture, redacted: RedactedExchange, rules: RuleSet, rows: ProjectionRows | None
) -> RedactedCaptures | None:
    """None where the capture changed since it was loaded."""
    projection_store.import_projectors()
    locked = _there(capture.team_id).select_for_update(no_key=True).filter(pk=capture.pk).first()
    if locked is None or _version(locked) != _version(capture):
        return None
    _store_evidence(locked, capture.evidence, redacted, rules)
    if locked.state in PENDING:
        _begin_again(locked)
    if rows is not None:
        projection_store.replace_rows([rows], lambda captures: {one.pk for one in captures})
        Document.objects.filter(pk=locked.pk).update(previous=None)
    gone: dict[str, int] = {}
    for path in settings.DELETION_PROJECTORS:
        gone |= import_string(path)([locked.pk])
    return RedactedCaptures(
        captures=1,
        passages=redacted.redaction.total if redacted.redaction else 0,
        exports=gone.get("exports", 0),
        shares=gone.get("shares", 0),
    )


def _version(capture: Capture) -> tuple[Any, ...]:
    """Differs once the capture was read, cleaned or redacted by somebody else."""
    return capture.state, capture.sha256, capture.redactions, capture.body_deleted_at


def _store_evidence(
    locked: Capture, before: Evidence, redacted: RedactedExchange, rules: RuleSet
) -> None:
    around = evidence.unpack_surroundings(before.surroundings)
    body = redacted.exchange.body
    was_keyed = bool(around.removal and around.removal.total) or around.redaction is not None
    packed = evidence.pack(
        locked,
        redacted.exchange,
        body,
        around.removal,
        around.origin,
        combined_redaction(around.redaction, redacted.redaction),
    )
    Evidence.objects.filter(pk=locked.pk).update(
        body=packed.body, reads=packed.reads, surroundings=packed.surroundings
    )
    posted, reason = locked.posted_sha256, locked.quarantine_reason
    Capture.objects.filter(pk=locked.pk).update(
        **columns_of_exchange(redacted.exchange, body, redacted.metadata),
        redactions=locked.redactions,
        request_sha256=locked.request_sha256 and request_digest(redacted.exchange.request),
        posted_sha256=posted if was_keyed else posted and credentials.keyed(posted),
        quarantine_reason=reason and masked_text(reason, rules),
    )


def _begin_again(locked: Capture) -> None:
    # A worker that reads it now reads the old bytes: its result is refused.
    was_begun = int(locked.state == State.PROCESSING)
    Capture.objects.filter(pk=locked.pk).update(
        state=State.RECEIVED, lease_token=None, due_at=Now(), attempt=F("attempt") - was_begun
    )
