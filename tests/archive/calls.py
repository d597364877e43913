"""Calls as the proxy's recorder hands them to the archive."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
import uuid6

from inspector.archive.intake.recording import Recording, RecordingLease, Segment, begin
from inspector.archive.models import Capture
from inspector.core.credentials.removal import VERSION, Removal
from inspector.core.wire.exchange import Exchange, MeasuredBy, Read, Request
from tests.archive.samples import SSE, STREAM
from tests.people import Person

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ASKED = Request(
    method="POST",
    url="https://upstream.example/v1/chat/completions",
    headers=(("content-type", "application/json"),),
    body=b'{"model":"gpt-4o","stream":true}',
)
FIRST, SECOND = Read(1_000, STREAM[:100]), Read(2_000, STREAM[100:300])
THIRD = Read(3_000, STREAM[300:])
READS = (FIRST, SECOND, THIRD)
WHOLE_CALL = Exchange(
    reads=READS,
    content_type=SSE,
    status_code=200,
    headers=(("content-type", SSE), ("x-request-id", "req_1")),
    request=ASKED,
    measured_by=MeasuredBy.PROXY,
    ended_at_us=4_000,
)


def call(
    person: Person,
    exchange: Exchange = WHOLE_CALL,
    after_seconds: float = 0,
    session: str = "",
) -> Recording:
    """A call of this person's key that began so long after noon."""
    key_id = person.service.key_id
    assert key_id is not None
    return Recording(
        id=uuid6.uuid7(),
        team_id=person.team.pk,
        key_id=key_id,
        upstream="openai",
        session=session,
        started_at=NOON + timedelta(seconds=after_seconds),
        exchange=exchange,
        removal=Removal(version=VERSION),
    )


def ending(recording: Recording, **changed: Any) -> Recording:
    """The same call, ended in another way."""
    return replace(recording, exchange=msgspec.structs.replace(recording.exchange, **changed))


def begun(recording: Recording) -> RecordingLease:
    return begin([recording])[recording.id]


def segment(lease: RecordingLease, number: int, *reads: Read, **known: Any) -> Segment:
    return Segment(lease, number, reads, **known)


def row(capture_id: UUID) -> Capture:
    return Capture.objects.select_related("evidence").get(pk=capture_id)
