"""Flow files of mitmproxy, as its versions since 11 write them: bodies as they went over the wire,
except for the framing of HTTP. Of times there are those at which messages began and ended (kept as
metadata), and none of a read.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from inspector.core.decoded_types import built
from inspector.core.findings import shorten
from inspector.core.formats.provider_error import MAX_MESSAGE
from inspector.core.wire.exchange import Exchange, Headers, Read, Request, TransportOutcome
from inspector.transfer.entries import (
    EntryContent,
    FileEntry,
    FoundExchange,
    PassedOver,
    UnreadableEntry,
)
from inspector.transfer.files.completion_calls import completion_or_passed
from inspector.transfer.files.tnetstring import (
    LONGEST_VALUE_BYTES,
    MAX_DIGITS,
    BadTnetstring,
    parse_dictionary,
    read_values,
)
from inspector.transfer.moments import milliseconds_between, moment_of, present
from inspector.transfer.source import FileSource

TOO_LONG = f"the flow is over {LONGEST_VALUE_BYTES >> 20} MiB"
STANDARD_PORTS = {"http": 80, "https": 443}

HeaderPairs = tuple[tuple[bytes, bytes], ...]


class _FlowRequest(msgspec.Struct):
    method: bytes
    scheme: bytes
    path: bytes
    host: str
    port: int
    headers: HeaderPairs = ()
    content: bytes | None = None
    timestamp_start: float | None = None


class _FlowResponse(msgspec.Struct):
    status_code: int
    headers: HeaderPairs = ()
    content: bytes | None = None
    timestamp_start: float | None = None
    timestamp_end: float | None = None


class _FlowError(msgspec.Struct):
    msg: str


class _HttpFlow(msgspec.Struct):
    request: _FlowRequest
    response: _FlowResponse | None = None
    error: _FlowError | None = None


def is_mitmproxy_flows(source: FileSource) -> bool:
    digits, colon, _ = source.head[: MAX_DIGITS + 1].partition(b":")
    if not colon or not digits.isdigit():
        return False
    stream = source.rewound()
    stream.seek(len(digits) + 1 + int(digits))
    return stream.read(1) == b"}"


def read_mitmproxy_flows(source: FileSource) -> Iterator[FileEntry]:
    """Raise ``BrokenFile``."""
    for number, content in enumerate(read_values(source.rewound()), start=1):
        yield FileEntry(number, UnreadableEntry(TOO_LONG) if content is None else _content(content))


def _content(content: bytes) -> EntryContent:
    try:
        value = parse_dictionary(content)
        if value.get("type") != "http":
            return PassedOver(f"a flow of the type {value.get('type')}"[:200])
        flow = msgspec.convert(value, built(_HttpFlow))
    except (BadTnetstring, msgspec.ValidationError) as error:
        return UnreadableEntry(str(error)[:300])
    found = _found(flow)
    content_or_passed = completion_or_passed(found)
    if isinstance(content_or_passed, FoundExchange):
        return _with_body(flow, content_or_passed)
    return content_or_passed


def _with_body(flow: _HttpFlow, found: FoundExchange) -> EntryContent:
    if flow.response is None:
        why = shorten(flow.error.msg, MAX_MESSAGE) if flow.error else "unknown why"
        return PassedOver(f"no response came: {why}", is_unanswered=True)
    if flow.response.content is None:
        return UnreadableEntry("mitmproxy passed the body on without keeping it")
    return found


def _found(flow: _HttpFlow) -> FoundExchange:
    response = flow.response
    headers = _headers(response.headers) if response else ()
    status = response.status_code if response else 0
    exchange = Exchange(
        reads=(Read(None, (response and response.content) or b""),),
        content_type=_content_type(headers),
        status_code=status if 100 <= status <= 999 else None,
        headers=headers,
        outcome=_outcome(flow.error),
        request=_request(flow.request),
    )
    return FoundExchange(exchange, moment_of(flow.request.timestamp_start), _told(flow))


def _outcome(error: _FlowError | None) -> TransportOutcome:
    if error is None:
        return TransportOutcome.ENDED
    is_client = error.msg.lower().startswith("client")
    return TransportOutcome.CLIENT_CANCELLED if is_client else TransportOutcome.UPSTREAM_ERROR


def _request(request: _FlowRequest) -> Request:
    scheme = _text(request.scheme)
    port = "" if STANDARD_PORTS.get(scheme) == request.port else f":{request.port}"
    host = f"[{request.host}]" if ":" in request.host else request.host
    return Request(
        method=_text(request.method),
        url=f"{scheme}://{host}{port}{_text(request.path)}",
        headers=_headers(request.headers),
        body=request.content,
    )


def _headers(pairs: HeaderPairs) -> Headers:
    return tuple((_text(name), _text(value)) for name, value in pairs)


def _content_type(headers: Headers) -> str | None:
    return next((value for name, value in headers if name.lower() == "content-type"), None)


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _told(flow: _HttpFlow) -> dict[str, Any]:
    begun, response = flow.request.timestamp_start, flow.response
    if response is None:
        return {}
    own = present(
        {
            "response_began_ms": milliseconds_between(begun, response.timestamp_start),
            "response_ended_ms": milliseconds_between(begun, response.timestamp_end),
        }
    )
    return {"mitmproxy": own} if own else {}
