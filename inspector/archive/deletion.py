"""Deleting: content goes at once and altogether; what stays proves what it was and who did it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from inspector.archive import inspection, reading
from inspector.archive.inspection import Replaced
from inspector.archive.models import (
    DELETED,
    Capture,
    ChoiceRow,
    Document,
    Evidence,
    FindingRow,
    GoneToken,
    Inspection,
    State,
    TagRow,
    Tombstone,
)
from inspector.archive.projection import Rows
from inspector.teams.access import DELETE, NOBODY, Principal
from inspector.teams.audit import Act, note
from inspector.teams.naming import name_of
from inspector.teams.secret import hash_of

NOTHING: dict[str, Any] = {
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


@dataclass(frozen=True, slots=True)
class Receipt:
    id: UUID
    state: str
    received_at: datetime
    sha256: str
    byte_length: int
    deleted_at: datetime
    deleted_by: str
    feedback_tokens: int
    """Of how many a hash is kept, so that a later vote can be told that its subject is gone."""
    feedback_votes: int
    """How many went with it, those that were superseded among them."""


def delete(principal: Principal, id: UUID) -> Receipt | None:
    """None where there is no such capture for this asker, or no more."""
    theirs = Capture.objects.filter(id=id, team__in=principal.team_ids(DELETE))
    return _delete(theirs, id, principal, deleted_by=name_of(principal)[:200])


def delete_again(id: UUID, sha256: str, deleted_at: datetime, deleted_by: str) -> Receipt | None:
    """What was deleted before, and came back from a backup. None where these bytes are not here."""
    same = Capture.objects.filter(id=id, sha256=sha256)
    return _delete(same, id, NOBODY, deleted_at=deleted_at, deleted_by=deleted_by[:200])


def _delete(
    captures: QuerySet[Capture], id: UUID, by: Principal, **tombstone: Any
) -> Receipt | None:
    inspection.projections()
    with transaction.atomic():
        if not _begin(captures):
            return None
        capture = Capture.objects.get(pk=id)
        before = inspection.stored([id]).get(id)
        tokens = _keep_tokens(capture, before)
        for rows in content(id):
            rows.delete()
        Capture.objects.filter(pk=id).update(state=State.GONE, **NOTHING)
        stone = Tombstone.objects.create(capture=capture, **tombstone)
        note(by, capture.team_id, Act.CAPTURE_DELETED, str(id))
        told = inspection.tell_projections([Replaced(before, None)]) if before else {}
    stone.refresh_from_db()
    return _receipt(capture, stone, tokens, told.get("feedback_votes", 0))


def content(id: UUID) -> tuple[QuerySet[Any], ...]:
    return (
        TagRow.objects.filter(capture=id),
        FindingRow.objects.filter(capture=id),
        ChoiceRow.objects.filter(capture=id),
        Inspection.objects.filter(capture=id),
        Document.objects.filter(capture=id),
        Evidence.objects.filter(capture=id),
    )


def _begin(captures: QuerySet[Capture]) -> bool:
    """Of two at once the second waits here and finds nothing left; a worker's lease is void."""
    there = captures.exclude(state__in=DELETED)
    return there.update(state=State.DELETING, lease_token=None) == 1


def _keep_tokens(capture: Capture, before: Rows | None) -> int:
    if before is None:
        return 0
    choices = reading.document_of(capture, before.document).analysis.choices
    tokens = dict.fromkeys(_texts(choice.feedback_token for choice in choices))
    GoneToken.objects.bulk_create(
        GoneToken(capture=capture, sha256=hash_of(token)) for token in tokens
    )
    return len(tokens)


def _texts(values: Iterable[Any]) -> Iterable[str]:
    return (value for value in values if isinstance(value, str) and value)


def _receipt(capture: Capture, tombstone: Tombstone, tokens: int, votes: int) -> Receipt:
    return Receipt(
        id=capture.id,
        state=State.GONE,
        received_at=capture.received_at,
        sha256=capture.sha256,
        byte_length=capture.byte_length,
        deleted_at=tombstone.deleted_at,
        deleted_by=tombstone.deleted_by,
        feedback_tokens=tokens,
        feedback_votes=votes,
    )
