"""The end of a recording: segments are replaced by the whole evidence, and the capture is due."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from inspector.archive.inspection.doorbell import doorbell
from inspector.archive.intake import submission
from inspector.archive.intake.limits import METHOD_CHARACTERS
from inspector.archive.intake.retries import request_digest
from inspector.archive.intake.submission import Submission
from inspector.archive.models import Capture, Evidence, EvidenceSegment, State
from inspector.archive.storage import evidence
from inspector.core.credentials.removal import Removal
from inspector.core.wire.exchange import Exchange, Request, TransportOutcome
from inspector.database.column_text import clean_text_or_none


@dataclass(frozen=True, slots=True)
class RecordingEnd:
    """The state of a capture whose recording ends."""

    id: UUID
    columns: Mapping[str, Any]
    evidence: Evidence

    @property
    def byte_length(self) -> int:
        return int(self.columns["byte_length"])

    @property
    def is_whole(self) -> bool:
        return bool(self.columns["outcome"] != TransportOutcome.RECORDER_STOPPED)


def of_exchange(
    capture_id: UUID, team_id: int, exchange: Exchange, removal: Removal | None
) -> RecordingEnd:
    arrival = submission.prepared(Submission(exchange, removal=removal), team_id)
    exchange, body = arrival.exchange, arrival.exchange.body
    capture = Capture(pk=capture_id)
    packed = evidence.pack(capture, exchange, body, arrival.marks)
    request = exchange.request or Request()
    columns = submission.columns_of_exchange(exchange, body, {})
    # Stored when the recording began.
    del columns["metadata"]
    columns |= {
        "evidence_form": capture.evidence_form,
        "redactions": capture.redactions,
        "status_code": exchange.status_code,
        "outcome": exchange.outcome,
        "request_method": clean_text_or_none(request.method, METHOD_CHARACTERS),
        "request_sha256": request_digest(request),
    }
    return RecordingEnd(capture_id, columns, packed)


def store(ends: Sequence[RecordingEnd]) -> None:
    for end in ends:
        # A worker that reads what the sweep had ended loses its lease with it.
        Capture.objects.filter(pk=end.id).update(
            state=State.RECEIVED,
            attempt=0,
            lease_token=None,
            quarantine_reason=None,
            due_at=Now(),
            finished_at=Now(),
            **end.columns,
        )
        evidence.replace(end.evidence)
    EvidenceSegment.objects.filter(capture__in=[end.id for end in ends]).delete()
    if ends:
        # A worker that looked before the commit would find nothing and wait for the next message.
        transaction.on_commit(doorbell.ring)
