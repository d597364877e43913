"""Captures as if they had arrived earlier."""

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import msgspec
from django.db.models import F
from django.utils import timezone

from inspector.archive.intake.submission import Submission
from inspector.archive.models import Capture
from inspector.core.wire.exchange import Exchange, Request
from inspector.usage.drift import scan
from inspector.usage.models import DriftScanState
from inspector.work.models import Work
from inspector.work.run import run_one
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
        Capture.objects.filter(pk=capture_id).update(called_at=first + timedelta(seconds=at))
    inspect_all()
    return ids


STRETCH = replace(scan.KIND, seconds=0.0)


def ten_minutes_pass() -> None:
    Work.objects.filter(kind="drift").update(
        due_at=timezone.now() - timedelta(seconds=1),
        finished_at=F("finished_at") - timedelta(minutes=10),
    )


def look() -> int:
    """All that is due; how many looks it took."""
    looks = 0
    while run_one(STRETCH):
        looks += 1
    return looks


def look_again() -> None:
    """As if the time had come."""
    DriftScanState.objects.update(newest_call=None)
    ten_minutes_pass()
    assert look()
