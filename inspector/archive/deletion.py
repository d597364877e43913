"""Deletes captures: all content in one transaction; a tombstone proves what, when and by whom."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import msgspec
from django.db import transaction
from django.db.models import F, Min, QuerySet
from django.db.models.functions import Now

from inspector.archive import events, readouts
from inspector.archive.member_types import Moment
from inspector.archive.models import (
    DELETED,
    BulkChange,
    Capture,
    ChoiceRow,
    Document,
    Evidence,
    EvidenceSegment,
    FindingRow,
    Inspection,
    RequestIdRow,
    RetentionClock,
    RetentionRule,
    State,
    TagRow,
    TokenTombstone,
    Tombstone,
)
from inspector.archive.readers import on_demand
from inspector.archive.storage import evidence
from inspector.core.readout import Readout, readout
from inspector.database.portability import overwrites_deleted_rows
from inspector.teams.access import DELETE, NOBODY, Principal
from inspector.teams.audit import Act, note
from inspector.teams.names import actor_name
from inspector.teams.secret import hash_of

CLEARED_COLUMNS: dict[str, Any] = {
    "started_at": None,
    "called_at": F("received_at"),
    "quarantine_reason": None,
    "content_type": None,
    "status_code": None,
    "dialect_hint": None,
    "request_method": None,
    "request_url": None,
    "upstream": None,
    "request_sha256": None,
    "retry_of": None,
    "body_deleted_at": None,
    "body_deleted_by": None,
    "note": "",
    "tags": [],
    "metadata": {},
}
"""Key, idempotency key and hashes stay: a late resend must not bring back what was deleted."""


DiskErasure = Literal["within_seconds", "after_vacuum"]
"""When what was deleted is gone from the files of the database: SQLite overwrites it, PostgreSQL
leaves it in its files until somebody vacuums and its log is written anew (docs/forgetting.md).
"""


class DeletionReceipt(msgspec.Struct, frozen=True, kw_only=True):
    id: UUID
    state: Literal["gone"] = "gone"
    received_at: Moment
    sha256: str
    byte_length: int
    deleted_at: Moment
    deleted_by: str
    feedback_tokens: int
    """Feedback tokens whose hash is kept, so that a later vote is answered with "deleted"."""
    feedback_votes: int
    """Number of votes deleted with the capture, superseded ones included."""
    exports: int = 0
    """Number of exports that held it and are withdrawn."""
    shares: int = 0
    """Number of links to it that led to its document, and lead nowhere now."""
    erased_from_disk: DiskErasure
    receipt_days: int | None
    """After how many days a retention rule deletes this receipt; None: it is kept for good."""


class DeletedCaptures(msgspec.Struct, frozen=True):
    """Counts of what deletions took away together. ``exports``: files that held a capture."""

    ids: tuple[UUID, ...] = ()
    byte_length: int = 0
    feedback_tokens: int = 0
    feedback_votes: int = 0
    exports: int = 0
    shares: int = 0


def delete(principal: Principal, capture_id: UUID) -> DeletionReceipt | None:
    """Delete a capture. None where it is gone, or the principal may delete no such capture."""
    theirs = Capture.objects.filter(id=capture_id, team__in=principal.team_ids(DELETE))
    return _delete(theirs, principal, deleted_by=actor_name(principal))


def delete_all(team_id: int, capture_ids: Collection[UUID], deleted_by: str) -> DeletedCaptures:
    """Delete captures of a team within the caller's transaction, for somebody who asked for it
    before and stands in the audit log with that. Those that are gone are left out.
    """
    theirs = Capture.objects.filter(id__in=capture_ids, team=team_id)
    _, gone = _delete_set(theirs, None, {"deleted_by": deleted_by[:200]})
    return gone


def delete_again(
    capture_id: UUID, sha256: str, deleted_at: datetime, deleted_by: str
) -> DeletionReceipt | None:
    """Delete again what a backup brought back. None where no capture has this id and hash."""
    # With the hash, so that a ledger of another archive deletes nothing here. A capture that was
    # recorded when the backup was made has none yet.
    same = Capture.objects.filter(id=capture_id, sha256__in=(sha256, ""))
    return _delete(same, NOBODY, deleted_at=deleted_at, deleted_by=deleted_by[:200])


def _delete(captures: QuerySet[Capture], by: Principal, **tombstone: Any) -> DeletionReceipt | None:
    with transaction.atomic():
        found, gone = _delete_set(captures, by, tombstone)
        return _receipt(found[0], gone) if found else None


def _delete_set(
    captures: QuerySet[Capture], by: Principal | None, tombstone: dict[str, Any]
) -> tuple[Sequence[Capture], DeletedCaptures]:
    # Locked first, so that from here on nobody else stores anything for these captures; of two
    # concurrent deletions the second waits here and then finds them gone.
    there = captures.exclude(state__in=DELETED).order_by("id")
    found = list(there.select_for_update(no_key=True))
    if not found:
        return (), DeletedCaptures()
    ids = [each.pk for each in found]
    # Hashes alone: they tell a later vote why it is refused, and nobody can vote with them.
    tokens = _keep_tokens(found)
    for rows in content_rows(ids):
        rows.delete()
    # Clearing the lease makes a worker's later write fail.
    gone = Capture.objects.filter(pk__in=ids)
    gone.update(state=State.GONE, lease_token=None, **CLEARED_COLUMNS)
    Tombstone.objects.bulk_create(_tombstones(found, **tombstone))
    if by is not None:
        for each in found:
            note(by, each.team_id, Act.CAPTURE_DELETED, str(each.pk))
    ended = events.deleted(found)
    return found, DeletedCaptures(
        ids=tuple(ids),
        byte_length=sum(each.byte_length for each in found),
        feedback_tokens=tokens,
        feedback_votes=ended.feedback_votes,
        exports=ended.exports,
        shares=ended.shares,
    )


def _tombstones(
    captures: Sequence[Capture], *, deleted_by: str, deleted_at: datetime | None = None
) -> Iterable[Tombstone]:
    # Asked for, not left to the column's default: SQLite would write that in another form than
    # the times that receipts are paged by.
    at = deleted_at or Capture.objects.filter(pk=captures[0].pk).values_list(Now(), flat=True).get()
    return [
        Tombstone(capture=each, team_id=each.team_id, deleted_at=at, deleted_by=deleted_by)
        for each in captures
    ]


def content_rows(capture_ids: Collection[UUID]) -> tuple[QuerySet[Any], ...]:
    """Return the rows that captures consist of, besides their own."""
    return (
        TagRow.objects.filter(capture__in=capture_ids),
        BulkChange.objects.filter(capture__in=capture_ids),
        FindingRow.objects.filter(capture__in=capture_ids),
        ChoiceRow.objects.filter(capture__in=capture_ids),
        RequestIdRow.objects.filter(capture__in=capture_ids),
        Inspection.objects.filter(capture__in=capture_ids),
        Document.objects.filter(capture__in=capture_ids),
        Evidence.objects.filter(capture__in=capture_ids),
        EvidenceSegment.objects.filter(capture__in=capture_ids),
    )


def _keep_tokens(captures: Sequence[Capture]) -> int:
    documents = Document.objects.in_bulk([each.pk for each in captures])
    stones = [
        TokenTombstone(capture=capture, sha256=hash_of(token))
        for capture in captures
        if (document := documents.get(capture.pk)) is not None
        for token in _tokens_in(capture, document)
    ]
    TokenTombstone.objects.bulk_create(stones)
    return len(stones)


def _tokens_in(capture: Capture, document: Document) -> Iterable[str]:
    found = readouts.load(bytes(document.readout)) or _read_again(capture)
    choices = found.analysis.choices if found else ()
    return dict.fromkeys(_texts(choice.feedback_token for choice in choices))


def _read_again(capture: Capture) -> Readout | None:
    """Read again what cannot be loaded. Raises ``ReadingError``."""
    stored = Evidence.objects.filter(pk=capture.pk).first()
    if stored is None:
        return None
    exchange = evidence.unpack(capture, stored)
    with on_demand.reserve_reader(exchange):
        return on_demand.read(readout, exchange, None)[0]


def _texts(values: Iterable[Any]) -> Iterable[str]:
    return (value for value in values if isinstance(value, str) and value)


def _receipt(capture: Capture, gone: DeletedCaptures) -> DeletionReceipt:
    stone = Tombstone.objects.get(pk=capture.pk)
    return DeletionReceipt(
        id=capture.id,
        received_at=capture.received_at,
        sha256=capture.sha256,
        byte_length=capture.byte_length,
        deleted_at=stone.deleted_at,
        deleted_by=stone.deleted_by,
        feedback_tokens=gone.feedback_tokens,
        feedback_votes=gone.feedback_votes,
        exports=gone.exports,
        shares=gone.shares,
        erased_from_disk=disk_erasure(),
        receipt_days=receipt_days(capture.team_id),
    )


def disk_erasure() -> DiskErasure:
    return "within_seconds" if overwrites_deleted_rows() else "after_vacuum"


def receipt_days(team_id: int) -> int | None:
    """After how many days a retention rule deletes receipts of the team; None: it has no such."""
    on = RetentionRule.objects.filter(team=team_id, clock=RetentionClock.TOMBSTONES, is_on=True)
    days: int | None = on.aggregate(least=Min("days"))["least"]
    return days
