"""A capture as a span of the GenAI conventions. Texts are in it only where the installation wants
that; its ids make a span that is sent twice the same span.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.urls import reverse
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode

from inspector.archive.inspection.inspected_captures import InspectedCapture
from inspector.core.analysis import Analysis
from inspector.core.completion import Block, BlockKind, Choice, Result, known
from inspector.core.vendors.told_names import STATED_NAMES
from inspector.core.wire.exchange import Clock

RESOURCE = Resource({"service.name": "response-inspector"})
SCOPE = InstrumentationScope("inspector.telemetry")
TRACE_BYTES, SPAN_BYTES = 16, 8
"""W3C Trace Context, sections 3.2.2.3 and 3.2.2.4."""
MAX_TEXT_CHARACTERS = 32_768
"""Characters of one text that leaves; longer ones are cut, and end with an ellipsis."""
PART_TYPES = {
    BlockKind.TEXT: "text",
    BlockKind.REASONING: "reasoning",
    BlockKind.REFUSAL: "refusal",
}
Value = str | int | float | Sequence[str]


def capture_span(capture: InspectedCapture) -> ReadableSpan:
    inspection = capture.inspection
    begun, ended = _times(capture)
    stated = _stated_id(inspection.trace, TRACE_BYTES)
    trace = stated or capture.id.int
    own = int.from_bytes(hashlib.sha256(capture.id.bytes).digest()[:SPAN_BYTES])
    parent = _stated_id(inspection.span, SPAN_BYTES) if stated else None
    model = inspection.model or inspection.request_model
    told = ((name, value) for name, value in _attributes(capture) if value is not None)
    return ReadableSpan(
        name=f"chat {model}"[:200] if model else "chat",
        context=SpanContext(trace, own, is_remote=False),
        parent=SpanContext(trace, parent, is_remote=True) if parent else None,
        resource=RESOURCE,
        attributes={name: _encodable(value) for name, value in told},
        kind=SpanKind.CLIENT,
        status=_status(capture),
        start_time=_nanoseconds(begun),
        end_time=_nanoseconds(ended),
        instrumentation_scope=SCOPE,
    )


def _times(capture: InspectedCapture) -> tuple[datetime, datetime]:
    """Where nobody stated when the call began, the span is the moment of its arrival here."""
    begun = capture.called_at
    if capture.started_at != begun:
        return begun, begun
    return begun, begun + timedelta(microseconds=capture.inspection.duration_us or 0)


def _nanoseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000_000) * 1_000


def _stated_id(text: str | None, length: int) -> int | None:
    try:
        found = bytes.fromhex(text or "")
    except ValueError:
        return None
    return int.from_bytes(found) or None if len(found) == length else None


def _status(capture: InspectedCapture) -> Status:
    is_error = capture.inspection.result == Result.ERROR
    return Status(StatusCode.ERROR if is_error else StatusCode.UNSET)


def _attributes(capture: InspectedCapture) -> Iterator[tuple[str, Value | None]]:
    inspection = capture.inspection
    yield "gen_ai.operation.name", "chat"
    yield "gen_ai.provider.name", STATED_NAMES.get(inspection.vendor or "", inspection.vendor)
    yield "gen_ai.request.model", inspection.request_model
    yield "gen_ai.response.model", inspection.model
    yield "gen_ai.response.id", inspection.response_id
    reasons = [reason for reason in inspection.finish_reasons if isinstance(reason, str)]
    yield "gen_ai.response.finish_reasons", reasons or None
    yield "gen_ai.conversation.id", inspection.session
    yield "gen_ai.usage.input_tokens", inspection.prompt_tokens
    yield "gen_ai.usage.output_tokens", inspection.completion_tokens
    yield "gen_ai.usage.cache_read.input_tokens", inspection.cached_tokens
    yield "gen_ai.usage.reasoning.output_tokens", inspection.reasoning_tokens
    if inspection.clock == Clock.RECORDED and inspection.first_byte_us is not None:
        yield "gen_ai.response.time_to_first_chunk", inspection.first_byte_us / 1_000_000
    if inspection.result == Result.ERROR:
        yield "error.type", inspection.verdict
    yield from _own_attributes(capture)
    if capture.analysis is not None:
        yield "gen_ai.output.messages", output_messages(capture.analysis)


def _own_attributes(capture: InspectedCapture) -> Iterator[tuple[str, Value | None]]:
    """Attributes that only a response that was taken apart can tell."""
    inspection = capture.inspection
    yield "inspector.capture.id", str(capture.id)
    yield "inspector.capture.url", settings.ORIGIN + reverse("dashboard:capture", args=[capture.id])
    yield "inspector.team", capture.team
    yield "inspector.verdict", inspection.verdict
    yield "inspector.result", inspection.result
    yield "inspector.dialect", inspection.dialect
    yield "inspector.findings.errors", inspection.error_count
    yield "inspector.findings.warnings", inspection.warning_count


def output_messages(analysis: Analysis) -> str:
    """Return the choices in the shape of ``gen_ai.output.messages``."""
    return json.dumps([_message(choice) for choice in analysis.choices], ensure_ascii=False)


def _message(choice: Choice) -> Mapping[str, object]:
    reason = choice.finish_reason
    ended = {"finish_reason": reason} if isinstance(reason, str) else {}
    return {"role": "assistant", "parts": [*_parts(choice)], **ended}


def _parts(choice: Choice) -> Iterator[Mapping[str, object]]:
    texts = [block for block in choice.blocks if block.kind in PART_TYPES]
    if not choice.blocks and isinstance(choice.content, str) and choice.content:
        yield {"type": "text", "content": _cut(choice.content)}
    yield from map(_text_part, texts)
    for call in choice.tool_calls:
        named = {"id": call.id, "name": call.name}
        told = {name: value for name, value in named.items() if isinstance(value, str)}
        yield {"type": "tool_call", **told, "arguments": _cut(call.arguments_text)}


def _text_part(block: Block) -> Mapping[str, object]:
    text = block.text if known(block.text) else ""
    return {"type": PART_TYPES[block.kind], "content": _cut(str(text or ""))}


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT_CHARACTERS else text[:MAX_TEXT_CHARACTERS] + "…"


def _encodable(value: Value) -> Value:
    """Lone halves of characters cannot be written in UTF-8."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, int | float):
        return value
    return [text.encode(errors="replace").decode() for text in value]
