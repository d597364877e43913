"""Captures as if they had arrived earlier."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import msgspec
from django.utils import timezone

from inspector.archive.intake.submission import Submission
from inspector.archive.models import Capture
from inspector.core.wire.exchange import Exchange, Request
from inspector.usage.drift import scan
from inspector.usage.models import DriftScanState
from tests.archive.samples import JSON, WHOLE, accept_arrival, inspect_all
from tests.people import Person

WITH_REASONING = WHOLE.replace(b'"content":"Hello"', b'"content":"Hello","reasoning_content":"Hm"')


def arrived(
    person: Person,
    number: int,
    hours_ago: float,
    body: bytes = WHOLE,
    request: Request | None = None,
) -> list[UUID]:
    """One second after the other."""
    exchange = msgspec.structs.replace(Exchange.of_body(body, JSON), request=request)
    ids = [accept_arrival(person, Submission(exchange)).id for _ in range(number)]
    first = timezone.now() - timedelta(hours=hours_ago)
    for at, capture_id in enumerate(ids):
        Capture.objects.filter(pk=capture_id).update(received_at=first + timedelta(seconds=at))
    inspect_all()
    return ids


def look() -> int:
    """All that is due; how many looks it took."""
    looks = 0
    while scan.scan_step():
        looks += 1
    return looks


def look_again() -> None:
    """As if the time had come."""
    DriftScanState.objects.update(due_at=timezone.now() - timedelta(seconds=1), newest_arrival=None)
    assert look()
