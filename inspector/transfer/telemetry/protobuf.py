"""OTLP's trace requests and answers in Protocol Buffers, from and to their JSON.

How many fields and messages a request has is counted before it is parsed: two bytes can make one,
which takes a hundred times as many when it is an object.
"""

import base64
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError, Message
from msgspec import Raw
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTracePartialSuccess,
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from inspector.core.json.document import INVALID_PROTOBUF, TOO_MANY_VALUES, BadDocument
from inspector.transfer.telemetry.span_documents import NULL, ResourceSpans, ScopeSpans

MAX_MESSAGES = 200_000
"""512 spans with 20 attributes have twenty thousand (docs/limits.md)."""
MAX_FIELDS = 1_000_000
IDS = ("traceId", "spanId", "parentSpanId")
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
Inside = Mapping[str, Mapping[int, str]]
_INSIDE: Inside = {
    "request": {1: "resource spans"},
    "resource spans": {1: "resource", 2: "scope spans"},
    "scope spans": {1: "scope", 2: "span"},
    "resource": {1: "pair"},
    "scope": {3: "pair"},
    "span": {9: "pair", 11: "event", 13: "link", 15: "status"},
    "event": {3: "pair"},
    "link": {4: "pair"},
    "pair": {2: "value"},
    "value": {5: "list", 6: "pairs"},
    "list": {1: "value"},
    "pairs": {1: "pair"},
}
"""Which fields of each message are messages (opentelemetry/proto/trace, common, resource)."""
_INSIDE_METRICS: Inside = {
    "request": {1: "resource metrics"},
    "resource metrics": {2: "scope metrics"},
    "scope metrics": {2: "metric"},
    "metric": dict.fromkeys((5, 7, 9, 10, 11), "data"),
    "data": {1: "point"},
}
"""opentelemetry/proto/metrics, as far as it leads to the points."""
_INSIDE_LOGS: Inside = {
    "request": {1: "resource logs"},
    "resource logs": {2: "scope logs"},
    "scope logs": {2: "record"},
}


def parsed_request(body: bytes) -> ExportTraceServiceRequest:
    """Raise ``BadDocument`` for what is no trace request, or too much of one."""
    _counted(body, _INSIDE)
    try:
        return ExportTraceServiceRequest.FromString(body)
    except DecodeError as error:
        raise _bad(str(error)) from error


def span_count(request: ExportTraceServiceRequest) -> int:
    return sum(len(scope.spans) for each in request.resource_spans for scope in each.scope_spans)


def repeated_bytes(request: ExportTraceServiceRequest) -> int:
    """Return the bytes of resources and scopes, which stand in the document of each of
    their spans.
    """
    return sum(
        len(scope.spans) * (each.resource.ByteSize() + scope.scope.ByteSize())
        for each in request.resource_spans
        for scope in each.scope_spans
    )


def data_point_count(body: bytes) -> int:
    """Return the count of a request of metrics. Raises ``BadDocument``, as ``log_record_count``
    does.
    """
    return _counted(body, _INSIDE_METRICS)["point"]


def log_record_count(body: bytes) -> int:
    return _counted(body, _INSIDE_LOGS)["record"]


def documents_of(request: ExportTraceServiceRequest) -> Iterator[ResourceSpans]:
    """Each span alone, as OTLP's JSON has it: all texts at once would take too much memory."""
    for each in request.resource_spans:
        resource = _json_of(each.resource) if each.HasField("resource") else NULL
        for part in each.scope_spans:
            scope = _json_of(part.scope) if part.HasField("scope") else NULL
            for span in part.spans:
                held = ScopeSpans(scope, [_json_of(span)], _text(part.schema_url))
                yield ResourceSpans(resource, [held], _text(each.schema_url))


def _json_of(message: Message) -> Raw:
    value = MessageToDict(message, use_integers_for_enums=True)
    _spell_ids(value)
    return Raw(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def _text(text: str) -> Raw:
    return Raw(msgspec.json.encode(text)) if text else NULL


def answer_of(rejected: int, message: str) -> bytes:
    """Those to metrics and to logs have their numbers in the same fields."""
    partial = ExportTracePartialSuccess(rejected_spans=rejected, error_message=message)
    told = partial if rejected or message else None
    return bytes(ExportTraceServiceResponse(partial_success=told).SerializeToString())


def status_of(code: int, message: str) -> bytes:
    """google.rpc.Status: the code as field 1, the message as field 2."""
    text = message.encode()
    return b"\x08" + _varint(code) + b"\x12" + _varint(len(text)) + text


def _varint(value: int) -> bytes:
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)


def _spell_ids(span: dict[str, Any]) -> None:
    """Ids of OTLP's JSON are hexadecimal, unlike bytes anywhere else in it."""
    for held in (span, *span.get("links", ())):
        for name in IDS:
            if name in held:
                held[name] = base64.b64decode(held[name]).hex()


# -- counting -------------------------------------------------------------------------------------


def _counted(body: bytes, inside: Inside) -> Counter[str]:
    """Messages by their kind. Raises ``BadDocument`` as soon as it is found to be one."""
    waiting = [("request", 0, len(body))]
    found = Counter[str]()
    messages = fields = 0
    while waiting:
        kind, at, end = waiting.pop()
        for number, start, stop in _fields(body, at, end):
            fields += 1
            if fields > MAX_FIELDS:
                raise _too_many(f"{MAX_FIELDS:,} fields")
            if inner := inside.get(kind, {}).get(number):
                messages += 1
                if messages > MAX_MESSAGES:
                    raise _too_many(f"{MAX_MESSAGES:,} messages")
                found[inner] += 1
                waiting.append((inner, start, stop))
    return found


def _fields(body: bytes, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Each field: its number where it has a length, else 0, and the place of what it holds."""
    while at < end:
        tag, start = _read_varint(body, at, end)
        kind, number = tag & 7, tag >> 3
        if not number:
            raise _bad("it has a field of the number 0")
        if kind == VARINT:
            _, at = _read_varint(body, start, end)
        elif kind in (FIXED64, FIXED32):
            at = start + (8 if kind == FIXED64 else 4)
        elif kind == BYTES:
            length, start = _read_varint(body, start, end)
            at = start + length
        else:
            raise _bad(f"it has a field of the kind {kind}")
        yield number if kind == BYTES else 0, start, min(at, end)
    if at != end:
        raise _bad("it ends inside a field")


def _read_varint(body: bytes, at: int, end: int) -> tuple[int, int]:
    value = shift = 0
    # Ten bytes of seven bits: the longest that 64 bits take (Encoding, Base 128 Varints).
    while at < end and shift < 70:
        byte = body[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
        shift += 7
    raise _bad("it ends inside a number")


def _bad(why: str) -> BadDocument:
    return BadDocument(INVALID_PROTOBUF, f"the body is no request of OTLP: {why}")


def _too_many(what: str) -> BadDocument:
    return BadDocument(TOO_MANY_VALUES, f"the request has over {what}")
