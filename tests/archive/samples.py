"""Bytes to archive, and the shortest ways to do it."""

import time
from uuid import UUID

from django.utils import timezone

from inspector.archive.inspection.slow_reader import slow_reader
from inspector.archive.inspection.tasks import inspect_due, store_slow
from inspector.archive.intake import submission
from inspector.archive.intake.submission import Accepted, Submission
from inspector.archive.listing.filter_params import FilterParams, parse_filter_params
from inspector.archive.models import Capture, State
from inspector.archive.storage import evidence
from inspector.core.wire.exchange import Exchange
from tests.people import Person

WHOLE = (
    b'{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"gpt-4o",'
    b'"choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},'
    b'"finish_reason":"stop"}],'
    b'"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5,'
    b'"prompt_tokens_details":{"cached_tokens":1}}}'
)
STREAM = (
    b'data: {"id":"c","object":"chat.completion.chunk","created":1700000000,"model":"gpt-4o",'
    b'"choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"},"finish_reason":null}]}\n\n'
    b'data: {"id":"c","object":"chat.completion.chunk","created":1700000000,"model":"gpt-4o",'
    b'"choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop"}]}\n\n'
    b"data: [DONE]\n\n"
)
CUT = WHOLE[:150]
JSON = "application/json"
SSE = "text/event-stream"


def accept(person: Person, body: bytes = WHOLE, content_type: str | None = JSON) -> UUID:
    return accept_arrival(person, Submission(Exchange.of_body(body, content_type))).id


def accept_arrival(person: Person, arrival: Submission) -> Accepted:
    result = submission.accept(person.service, arrival)
    assert isinstance(result, Accepted)
    return result


def inspected(person: Person, body: bytes = WHOLE, content_type: str | None = JSON) -> UUID:
    capture_id = accept(person, body, content_type)
    inspect_all()
    return capture_id


def inspect_all() -> None:
    """All that is due. What was never tried is, even by a clock that was set back meanwhile."""
    end = time.monotonic() + 1
    while inspect_due() or slow_reader.is_at_work or (_untried() and time.monotonic() < end):
        store_slow(0)


def _untried() -> bool:
    untried = Capture.objects.filter(state=State.RECEIVED, attempt=0, evidence_form=evidence.FORM)
    return untried.exists()


GEMINI = (
    b'{"candidates":[{"content":{"parts":[{"text":"Hello"}],"role":"model"},"finishReason":"STOP",'
    b'"index":0}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2,'
    b'"totalTokenCount":5},"modelVersion":"gemini-2.5-flash","responseId":"r-1"}'
)
"""Answer in a format that is known by its events and times alone."""


def tagged(person: Person, *tags: str) -> UUID:
    return accept_arrival(person, Submission(Exchange.of_body(WHOLE), tags=tags)).id


def conditions(query: str = "") -> FilterParams:
    return parse_filter_params({"q": [query]} if query else {}, timezone.now())
