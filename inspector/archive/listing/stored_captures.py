"""Whole captures as they are stored, to be carried elsewhere."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from django.db.models import QuerySet

from inspector.archive.models import Capture, State
from inspector.archive.storage import evidence
from inspector.archive.storage.evidence import CaptureOrigin
from inspector.core.wire.exchange import Exchange

IMPORTED = "export:"
"""How the idempotency key of a capture that was imported begins; its id elsewhere follows. So an
import that comes again finds it, even after it was deleted here.
"""


@dataclass(frozen=True, slots=True)
class StoredCapture:
    """A capture with its evidence. ``origin`` is where it was received first: ids and relations in
    it are those by which it is known in every archive that has it.
    """

    id: UUID
    sha256: str
    started_at: datetime | None
    tags: tuple[str, ...]
    note: str
    metadata: Mapping[str, Any]
    exchange: Exchange
    origin: CaptureOrigin


def imported_key(capture_id: UUID) -> str:
    return f"{IMPORTED}{capture_id}"


def stored_captures(
    captures: QuerySet[Capture], ids: Collection[UUID]
) -> Mapping[UUID, StoredCapture]:
    """Those of the captures that are complete, by id. Raises ``NewerEvidenceForm``."""
    rows = captures.filter(id__in=ids).exclude(state=State.RECORDING)
    found = list(rows.select_related("evidence", "key").order_by())
    known_as = _origin_ids(captures, found)
    return {row.pk: _stored(row, known_as) for row in found if hasattr(row, "evidence")}


def _stored(capture: Capture, known_as: Mapping[UUID, UUID]) -> StoredCapture:
    marks = evidence.marks_in(capture.evidence.surroundings)
    origin = marks.origin or CaptureOrigin(
        id=capture.pk,
        received_at=capture.received_at,
        sent_by=capture.key.name if capture.key else None,
        idempotency_key=capture.idempotency_key,
    )
    retried = capture.retry_of
    return StoredCapture(
        id=capture.pk,
        sha256=capture.sha256,
        started_at=capture.started_at,
        tags=tuple(capture.tags),
        note=capture.note,
        metadata=capture.metadata,
        exchange=evidence.unpack(capture, capture.evidence),
        origin=msgspec.structs.replace(
            origin,
            retry_of=known_as.get(retried, retried) if retried else origin.retry_of,
            # Those of the origin are among them.
            removal=marks.removal,
            redaction=marks.redaction,
        ),
    )


def _origin_ids(captures: QuerySet[Capture], found: Collection[Capture]) -> Mapping[UUID, UUID]:
    """For captures that others name and that were imported: their ids where they came from."""
    named = {row.retry_of for row in found if row.retry_of}
    related = captures.filter(id__in=named, idempotency_key__startswith=IMPORTED)
    keys = related.values_list("id", "idempotency_key") if named else ()
    pairs = ((capture_id, _id_in(key)) for capture_id, key in keys)
    return {capture_id: origin_id for capture_id, origin_id in pairs if origin_id}


def _id_in(key: str | None) -> UUID | None:
    try:
        return UUID((key or "").removeprefix(IMPORTED))
    except ValueError:
        return None
