"""Deletes captures: all content in one transaction; a tombstone proves what was deleted, when and
by whom.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import msgspec
from django.db import transaction
from django.db.models import QuerySet

from inspector.archive.inspection import projection_store
from inspector.archive.inspection.projection import ProjectionRows
from inspector.archive.inspection.projection_store import ProjectionChange
from inspector.archive.member_types import Moment
from inspector.archive.models import (
    DELETED,
    Capture,
    ChoiceRow,
    Document,
    Evidence,
    FindingRow,
    Inspection,
    State,
    TagRow,
    TokenTombstone,
    Tombstone,
)
from inspector.archive.readers import readout_cache
from inspector.teams.access import DELETE, NOBODY, Principal
from inspector.teams.audit import Act, note
from inspector.teams.names import actor_name
from inspector.teams.secret import hash_of

CLEARED_COLUMNS: dict[str, Any] = {
    "started_at": None,
    "quarantine_reason": None,
    "content_type": None,
    "status_code": None,
    "dialect_hint": None,
    "request_method": None,
    "request_url": None,
    "note": "",
    "tags": [],
    "metadata": {},
}
"""Key, idempotency key and hashes stay: a late resend must not bring back what was deleted."""


class DeletionReceipt(msgspec.Struct, frozen=True, kw_only=True):
    id: UUID
    state: Literal["gone"] = "gone"
    received_at: Moment
    sha256: str
    byte_length: int
    deleted_at: Moment
    deleted_by: str
    feedback_tokens: int
    """Number of feedback tokens whose hash is kept, so that a later vote is answered with
    "deleted".
    """
    feedback_votes: int
    """Number of votes deleted with the capture, superseded ones included."""


def delete(principal: Principal, capture_id: UUID) -> DeletionReceipt | None:
    """Deletes a capture. Returns None where the principal may delete no such capture, or it is
    gone.
    """
    theirs = Capture.objects.filter(id=capture_id, team__in=principal.team_ids(DELETE))
    return _delete(theirs, capture_id, principal, deleted_by=actor_name(principal)[:200])


def delete_again(
    capture_id: UUID, sha256: str, deleted_at: datetime, deleted_by: str
) -> DeletionReceipt | None:
    """Deletes a capture again that a restored backup brought back. Returns None where no capture
    has this id and hash.
    """
    # With the hash, so that a ledger of another archive deletes nothing here.
    same = Capture.objects.filter(id=capture_id, sha256=sha256)
    return _delete(same, capture_id, NOBODY, deleted_at=deleted_at, deleted_by=deleted_by[:200])


def _delete(
    captures: QuerySet[Capture], capture_id: UUID, by: Principal, **tombstone: Any
) -> DeletionReceipt | None:
    projection_store.projections()
    with transaction.atomic():
        # First, so that from here on nobody else stores anything for this capture.
        if not _mark_deleting(captures):
            return None
        capture = Capture.objects.get(pk=capture_id)
        # Read before the rows go: projections subtract what this capture had given to their sums.
        before = projection_store.stored_rows([capture_id]).get(capture_id)
        # Hashes alone: they tell a later vote why it is refused, and nobody can vote with them.
        tokens = _keep_tokens(capture, before)
        for rows in content_rows(capture_id):
            rows.delete()
        Capture.objects.filter(pk=capture_id).update(state=State.GONE, **CLEARED_COLUMNS)
        stone = Tombstone.objects.create(capture=capture, **tombstone)
        note(by, capture.team_id, Act.CAPTURE_DELETED, str(capture_id))
        counts = (
            projection_store.run_projections([ProjectionChange(before, None)]) if before else {}
        )
    stone.refresh_from_db()
    return _receipt(capture, stone, tokens, counts.get("feedback_votes", 0))


def content_rows(capture_id: UUID) -> tuple[QuerySet[Any], ...]:
    return (
        TagRow.objects.filter(capture=capture_id),
        FindingRow.objects.filter(capture=capture_id),
        ChoiceRow.objects.filter(capture=capture_id),
        Inspection.objects.filter(capture=capture_id),
        Document.objects.filter(capture=capture_id),
        Evidence.objects.filter(capture=capture_id),
    )


def _mark_deleting(captures: QuerySet[Capture]) -> bool:
    # Of two concurrent deletions the second waits here and updates no row; clearing the lease makes
    # a worker's later write fail.
    there = captures.exclude(state__in=DELETED)
    return there.update(state=State.DELETING, lease_token=None) == 1


def _keep_tokens(capture: Capture, before: ProjectionRows | None) -> int:
    if before is None:
        return 0
    choices = readout_cache.analysis_of(capture, before.document).analysis.choices
    tokens = dict.fromkeys(_texts(choice.feedback_token for choice in choices))
    TokenTombstone.objects.bulk_create(
        TokenTombstone(capture=capture, sha256=hash_of(token)) for token in tokens
    )
    return len(tokens)


def _texts(values: Iterable[Any]) -> Iterable[str]:
    return (value for value in values if isinstance(value, str) and value)


def _receipt(capture: Capture, tombstone: Tombstone, tokens: int, votes: int) -> DeletionReceipt:
    return DeletionReceipt(
        id=capture.id,
        received_at=capture.received_at,
        sha256=capture.sha256,
        byte_length=capture.byte_length,
        deleted_at=tombstone.deleted_at,
        deleted_by=tombstone.deleted_by,
        feedback_tokens=tokens,
        feedback_votes=votes,
    )
