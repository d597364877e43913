"""Stores the smaller form of a capture, which names its source."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from inspector.archive.inspection.doorbell import doorbell
from inspector.archive.intake import capture_insert, submission
from inspector.archive.intake.submission import Submission
from inspector.archive.models import Capture
from inspector.archive.storage import disk_space, evidence
from inspector.core.redaction.redaction import Redaction
from inspector.core.wire.exchange import Exchange

TAG = "minimised"


def store_minimised(source: Capture, code: str, exchange: Exchange) -> UUID:
    """Stores a capture that was minimised for a finding, inside the caller's transaction.

    It has no key and no tag of its source: nobody sent it, and a set of answers that is named by a
    tag must not answer with it.
    """
    cleaned = submission.without_credentials(
        Submission(
            exchange,
            tags=(TAG,),
            redaction=_redaction_of(source),
            minimised_from=source.pk,
            minimised_for=code,
        )
    )
    arrival = submission.redacted(source.team_id, cleaned)
    body = arrival.exchange.body
    capture = submission.new_capture(source.team_id, None, arrival, body)
    disk_space.require_space()
    stored = evidence.pack(
        capture, arrival.exchange, body, arrival.removal, redaction=arrival.redaction
    )
    capture_insert.insert_captures(source.team_id, [(capture, stored)])
    transaction.on_commit(doorbell.ring)
    capture_id: UUID = capture.pk
    return capture_id


def _redaction_of(source: Capture) -> Redaction | None:
    """What was overwritten in the source, is in its smaller form."""
    around = evidence.surroundings_of(source)
    return around.redaction if around else None
