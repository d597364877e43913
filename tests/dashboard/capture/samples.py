"""Captures as values, without an archive: what the pure half of the pages is drawn from."""

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec

from inspector.archive.listing.capture_values import CaptureFacts, CaptureRow
from inspector.core.analysis import Analysis, SentenceClause, Timeline, Verdict
from inspector.core.completion import Choice, Usage
from inspector.core.findings import Finding
from inspector.core.reading import Reading
from inspector.core.wire.exchange import Exchange, Read
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.formatting.invisible_characters import TextSegment

ID = UUID("01234567-89ab-7def-8123-456789abcdef")
RECEIVED_AT = datetime(2026, 11, 20, 14, 2, 19, tzinfo=UTC)

ROW = CaptureRow(
    key=None,
    answer_kind=None,
    answer_line=None,
    answer_blank=None,
    prompt_line=None,
    body_deleted_at=None,
    id=ID,
    called_at=RECEIVED_AT,
    received_at=RECEIVED_AT,
    started_at=None,
    state="inspected",
    redactions=0,
    byte_length=0,
    tags=(),
    verdict="complete",
    result="answered",
    dialect="openai-chat",
    vendor=None,
    model="some-model",
    request_model=None,
    streamed=True,
    choice_count=1,
    finish_reasons=("stop",),
    usage_reported=False,
    prompt_tokens=None,
    completion_tokens=None,
    cost_usd=None,
    clock="recorded",
    first_byte_us=300_000,
    first_reasoning_us=None,
    first_content_us=400_000,
    first_tool_call_us=None,
    first_token_us=400_000,
    duration_us=2_000_000,
    stall_start_us=None,
    stall_end_us=None,
    error_count=0,
    warning_count=0,
    info_count=0,
    provider_id=None,
    object="chat.completion",
    created=None,
    system_fingerprint=None,
    request_seed=None,
)

PAGE = CaptureFacts(
    row=ROW,
    team_slug="default",
    team_name="Default",
    content_type="text/event-stream",
    status_code=200,
    sha256="ab" * 32,
    note="",
    source=None,
    request_model=None,
    prompt_sha256=None,
    same_bytes_as=(),
    newer=None,
    older=None,
    analysis=None,
    quarantine_reason=None,
)


def row(**changes: Any) -> CaptureRow:
    return msgspec.structs.replace(ROW, **changes)


def analysis(*choices: Choice, **changes: Any) -> Analysis:
    """A finished stream of the chat dialect, but for what is said otherwise."""
    fields: dict[str, Any] = {
        "dialect": "openai-chat",
        "vendor": None,
        "object": "chat.completion",
        "streamed": True,
        "verdict": Verdict.COMPLETE,
        "verdict_reason": "The choice has a finish reason.",
        "completion": None,
        "choices": choices,
        "usage": Usage(),
        "timeline": Timeline(),
        "repair": None,
        "findings": (),
    }
    fields.update(changes)
    fields.setdefault("verdict_clauses", (SentenceClause(fields["verdict_reason"]),))
    return Analysis(**fields)


def view(read: Analysis | None = None, body: bytes = b"", **changes: Any) -> CaptureView:
    state = "inspected" if read else "received"
    verdict = str(read.verdict) if read else None
    page = replace(PAGE, row=row(state=state, verdict=verdict, byte_length=len(body)))
    return CaptureView(facts=page, body=body, analysis=read, **changes)


def found(*findings: Finding) -> CaptureView:
    return view(analysis(findings=findings))


def read_view(exchange: Exchange, **changes: Any) -> CaptureView:
    """As the core reads it."""
    reading = Reading(exchange)
    for each in exchange.reads:
        reading.feed(each)
    return view(reading.analysis(), exchange.body, tape=reading.tape(), **changes)


def streamed(*reads: tuple[int | None, str], **changes: Any) -> CaptureView:
    """Reads with the microsecond of their arrival."""
    exchange = Exchange.of_reads([Read(at, text.encode()) for at, text in reads], SSE)
    return read_view(exchange, **changes)


def whole(document: Any, **changes: Any) -> CaptureView:
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    return read_view(Exchange.of_body(body, "application/json"), **changes)


SSE = "text/event-stream"
DONE = "data: [DONE]\n\n"


def chunk(*choices: dict[str, Any], **more: Any) -> str:
    """One event of a stream."""
    document = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1795183339,
        "model": "some-model",
        "choices": list(choices),
        **more,
    }
    return f"data: {json.dumps(document, separators=(',', ':'))}\n\n"


def delta(index: int = 0, finish_reason: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"index": index, "delta": fields, "finish_reason": finish_reason}


def call(arguments: str, index: int = 0, **more: Any) -> dict[str, Any]:
    return {"tool_calls": [{"index": index, "function": {"arguments": arguments, **more}}]}


TWO_CHOICES = (
    (300_000, ": keep-alive\n\n"),
    (600_000, chunk(delta(0, role="assistant")) + chunk(delta(1, role="assistant"))),
    (700_000, chunk(delta(0, content="Ship from "))),
    (710_000, chunk(delta(1, content="Ship from "))),
    (800_000, chunk(delta(0, content="Rotterdam."))),
    (810_000, chunk(delta(1, content="Leipzig."))),
    (900_000, chunk(delta(0, "stop")) + chunk(delta(1, "length"))),
    (950_000, DONE),
)


def text_of(segments: Iterable[TextSegment]) -> str:
    return "".join(segment.text for segment in segments)
