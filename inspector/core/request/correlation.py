"""Session, trace, span and user of an exchange, as its sender states them.

Sources: metadata of the sender; W3C Trace Context (``traceparent``) and Baggage (``session.id``,
``user.id``); headers that clients of observability tools send; ``user``, ``safety_identifier``,
``metadata``, ``session_id`` and ``conversation`` of request bodies.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from urllib.parse import unquote

import msgspec

from inspector.core.credentials.spans import REMOVED_MARK
from inspector.core.json import Json
from inspector.core.wire.exchange import Headers

MAX_CHARACTERS = 200
"""A longer value is no id."""


class CorrelationKind(StrEnum):
    SESSION = "session"
    TRACE = "trace"
    SPAN = "span"
    """The call itself in its trace: of a recorded call the span that its ``traceparent`` names."""
    USER = "user"


class CorrelationId(msgspec.Struct, frozen=True):
    """``source`` names the field that states it, such as ``metadata.session_id``."""

    value: str
    source: str


Correlation = Mapping[CorrelationKind, CorrelationId]

_NAMES: Mapping[CorrelationKind, tuple[str, ...]] = {
    CorrelationKind.SESSION: (
        "session", "session_id", "sessionid", "conversation_id", "conversationid", "thread_id",
    ),
    CorrelationKind.TRACE: ("trace", "trace_id", "traceid"),
    CorrelationKind.SPAN: ("span", "span_id", "spanid"),
    CorrelationKind.USER: ("user", "user_id", "userid", "end_user", "end_user_id"),
}  # fmt: skip
"""Members of metadata, in small letters; a dot or a hyphen counts as an underscore."""
_HEADERS: Mapping[CorrelationKind, tuple[str, ...]] = {
    CorrelationKind.SESSION: ("x-session-id", "session-id", "session_id", "helicone-session-id"),
    CorrelationKind.TRACE: ("x-trace-id", "x-b3-traceid"),
    CorrelationKind.SPAN: ("x-b3-spanid",),
    CorrelationKind.USER: ("x-user-id", "helicone-user-id"),
}
_BAGGAGE: Mapping[CorrelationKind, str] = {
    CorrelationKind.SESSION: "session.id",
    CorrelationKind.USER: "user.id",
}
_IN_TRACEPARENT: Mapping[CorrelationKind, int] = {CorrelationKind.TRACE: 1, CorrelationKind.SPAN: 2}
_BODY: Mapping[CorrelationKind, tuple[str, ...]] = {
    CorrelationKind.SESSION: ("session_id", "conversation"),
    CorrelationKind.TRACE: ("trace_id",),
    CorrelationKind.SPAN: (),
    CorrelationKind.USER: ("user", "safety_identifier"),
}
# As in "00-<32 hex digits>-<16 hex digits>-01".
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?")


def correlation_of(
    metadata: Mapping[str, Json], headers: Headers | None, body: Mapping[str, Json] | None
) -> Correlation:
    """Return the stated ids: the sender's metadata first, then headers, then the request's body."""
    found = {}
    for kind in CorrelationKind:
        stated = next(_stated(kind, metadata, headers or (), body or {}), None)
        if stated is not None:
            found[kind] = stated
    return found


def _stated(
    kind: CorrelationKind, metadata: Mapping[str, Json], headers: Headers, body: Mapping[str, Json]
) -> Iterator[CorrelationId]:
    yield from _in_metadata(kind, metadata, "metadata")
    yield from _in_headers(kind, headers)
    for name in _BODY[kind]:
        held = body.get(name)
        value = _id(held.get("id") if isinstance(held, dict) else held)
        if value:
            yield CorrelationId(value, f"request {name}")
    sent = body.get("metadata")
    if isinstance(sent, dict):
        yield from _in_metadata(kind, sent, "request metadata")


def _in_metadata(
    kind: CorrelationKind, metadata: Mapping[str, Json], source: str
) -> Iterator[CorrelationId]:
    # The order is that of our names: a sender may state several.
    by_name: dict[str, str] = {}
    for name in metadata:
        by_name.setdefault(name.lower().replace(".", "_").replace("-", "_"), name)
    for known in _NAMES[kind]:
        if known not in by_name:
            continue
        name = by_name[known]
        value = _id(metadata[name])
        if value:
            yield CorrelationId(value, f"{source}.{name}")


def _in_headers(kind: CorrelationKind, headers: Headers) -> Iterator[CorrelationId]:
    for name, value in headers:
        low, sent = name.strip().lower(), value.strip()
        found = None
        if low in _HEADERS[kind]:
            found = _id(sent)
        elif low == "traceparent" and kind in _IN_TRACEPARENT:
            found = _part_of_traceparent(sent, _IN_TRACEPARENT[kind])
        elif low == "baggage" and kind in _BAGGAGE:
            found = _id(_in_baggage(sent.split(","), _BAGGAGE[kind]))
        if found:
            yield CorrelationId(found, f"header {low}")


def _part_of_traceparent(sent: str, part: int) -> str | None:
    """Trace Context, 3.2.2.3 and 3.2.2.4: all zeros are invalid."""
    match = _TRACEPARENT.fullmatch(sent)
    return match[part] if match and match[1].strip("0") and match[2].strip("0") else None


def _in_baggage(members: Iterable[str], wanted: str) -> str | None:
    for member in members:
        name, _, value = member.partition(";")[0].partition("=")
        if name.strip() == wanted:
            return unquote(value.strip())
    return None


def _id(value: Json) -> str | None:
    """Return a text or whole number as an id; None for others, too long or removed ones."""
    if value.__class__ is int:
        value = str(value) if abs(value) < 10**18 else None
    if not isinstance(value, str):
        return None
    text = value.strip()
    return text if 0 < len(text) <= MAX_CHARACTERS and text != REMOVED_MARK else None
