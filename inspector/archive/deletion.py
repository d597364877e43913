"""Deletes captures: all content in one transaction, with what was minimised from it; a tombstone
proves what was deleted, when and by whom.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import msgspec
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils.module_loading import import_string

from inspector.archive.inspection import projection_store
from inspector.archive.inspection.projection import ProjectionRows
from inspector.archive.inspection.projection_store import ProjectionChange
from inspector.archive.member_types import Moment
from inspector.archive.models import (
    DELETED,
    BulkChange,
    Capture,
    CaptureTask,
    ChoiceRow,
    Document,
    Evidence,
    EvidenceSegment,
    FindingRow,
    Inspection,
    RequestIdRow,
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
    "upstream": None,
    "request_sha256": None,
    "retry_of": None,
    "minimised_from": None,
    "minimised_for": None,
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
    exports: int = 0
    """Number of exports that held it and are withdrawn."""
    shares: int = 0
    """Number of links to it that led to its document, and lead nowhere now."""
    minimised: tuple[UUID, ...] = ()
    """Captures that were minimised from it and deleted with it. Each has a receipt of its own."""


def delete(principal: Principal, capture_id: UUID) -> DeletionReceipt | None:
    """Deletes a capture. Returns None where the principal may delete no such capture, or it is
    gone.
    """
    theirs = Capture.objects.filter(id=capture_id, team__in=principal.team_ids(DELETE))
    return _delete(theirs, capture_id, principal, deleted_by=actor_name(principal)[:200])


def delete_all(
    team_id: int, capture_ids: Iterable[UUID], deleted_by: str
) -> Iterator[DeletionReceipt]:
    """Deletes captures of a team within the caller's transaction, for somebody who asked for it
    before and stands in the audit log with that.
    """
    projection_store.import_projectors()
    for capture_id in capture_ids:
        theirs = Capture.objects.filter(id=capture_id, team=team_id)
        receipt = _delete_within(theirs, capture_id, None, {"deleted_by": deleted_by[:200]})
        if receipt is not None:
            yield receipt


def delete_again(
    capture_id: UUID, sha256: str, deleted_at: datetime, deleted_by: str
) -> DeletionReceipt | None:
    """Deletes a capture again that a restored backup brought back. Returns None where no capture
    has this id and hash.
    """
    # With the hash, so that a ledger of another archive deletes nothing here. A capture that was
    # recorded when the backup was made has none yet.
    same = Capture.objects.filter(id=capture_id, sha256__in=(sha256, ""))
    return _delete(same, capture_id, NOBODY, deleted_at=deleted_at, deleted_by=deleted_by[:200])


def _delete(
    captures: QuerySet[Capture], capture_id: UUID, by: Principal, **tombstone: Any
) -> DeletionReceipt | None:
    projection_store.import_projectors()
    with transaction.atomic():
        return _delete_within(captures, capture_id, by, tombstone)


def _delete_within(
    captures: QuerySet[Capture],
    capture_id: UUID,
    by: Principal | None,
    tombstone: dict[str, Any],
) -> DeletionReceipt | None:
    receipt = _delete_one(captures, capture_id, by, tombstone)
    if receipt is None:
        return None
    # After its tasks, one of which may have been about to store such a capture: the deletion of its
    # row waited for that.
    minimised = tuple(_delete_minimised(capture_id, by, tombstone))
    return msgspec.structs.replace(receipt, minimised=minimised)


def _delete_one(
    captures: QuerySet[Capture],
    capture_id: UUID,
    by: Principal | None,
    tombstone: dict[str, Any],
) -> DeletionReceipt | None:
    # First, so that from here on nobody else stores anything for this capture.
    if not _mark_deleting(captures):
        return None
    capture = Capture.objects.get(pk=capture_id)
    # Read before the rows go: projectors subtract what this capture had given to their sums.
    before = projection_store.stored_rows([capture_id]).get(capture_id)
    # Hashes alone: they tell a later vote why it is refused, and nobody can vote with them.
    tokens = _keep_tokens(capture, before)
    for rows in content_rows(capture_id):
        rows.delete()
    Capture.objects.filter(pk=capture_id).update(state=State.GONE, **CLEARED_COLUMNS)
    stone = Tombstone.objects.create(capture=capture, **tombstone)
    if by is not None:
        note(by, capture.team_id, Act.CAPTURE_DELETED, str(capture_id))
    counts = projection_store.run_projectors([ProjectionChange(before, None)]) if before else {}
    for path in settings.DELETION_PROJECTORS:
        counts = {**counts, **import_string(path)([capture_id])}
    stone.refresh_from_db()
    return _receipt(capture, stone, tokens, counts)


def _delete_minimised(
    source: UUID, by: Principal | None, tombstone: dict[str, Any]
) -> Iterator[UUID]:
    """Deletes what was minimised from a capture, and what was minimised from that: it is made of
    the same bytes.
    """
    team = Capture.objects.filter(pk=source).values("team")[:1]
    there = Capture.objects.filter(team=team, minimised_from=source).order_by("pk")
    for capture_id in list(there.values_list("pk", flat=True)):
        if _delete_one(Capture.objects.filter(pk=capture_id), capture_id, by, tombstone):
            yield capture_id
            yield from _delete_minimised(capture_id, by, tombstone)


def content_rows(capture_id: UUID) -> tuple[QuerySet[Any], ...]:
    return (
        TagRow.objects.filter(capture=capture_id),
        BulkChange.objects.filter(capture=capture_id),
        FindingRow.objects.filter(capture=capture_id),
        ChoiceRow.objects.filter(capture=capture_id),
        RequestIdRow.objects.filter(capture=capture_id),
        Inspection.objects.filter(capture=capture_id),
        Document.objects.filter(capture=capture_id),
        Evidence.objects.filter(capture=capture_id),
        EvidenceSegment.objects.filter(capture=capture_id),
        CaptureTask.objects.filter(capture=capture_id),
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


def _receipt(
    capture: Capture, tombstone: Tombstone, tokens: int, counts: Mapping[str, int]
) -> DeletionReceipt:
    return DeletionReceipt(
        id=capture.id,
        received_at=capture.received_at,
        sha256=capture.sha256,
        byte_length=capture.byte_length,
        deleted_at=tombstone.deleted_at,
        deleted_by=tombstone.deleted_by,
        feedback_tokens=tokens,
        feedback_votes=counts.get("feedback_votes", 0),
        exports=counts.get("exports", 0),
        shares=counts.get("shares", 0),
    )
