"""Messages of a proxy on calls, and the other end of a recorder that listens to it."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import uuid6

from inspector.core.wire.exchange import Headers, TransportOutcome
from inspector.proxy.messages import (
    CallBegun,
    CallEnded,
    ReadsForwarded,
    RecorderMessage,
    RequestSent,
    ResponseBegun,
)

KEY = "sk-proj-aBcD1234efGH5678/ijklMNop"
URL = "https://upstream.example/v1/chat/completions"
ASKED = b'{"model":"gpt-4o","stream":true}'
SSE: Headers = (("content-type", "text/event-stream"),)
STREAM = b'data: {"object":"chat.completion.chunk","choices":[]}\n\ndata: [DONE]\n\n'


def keyed(digest: str) -> str:
    return f"keyed {digest}"


def begun(call: UUID | None = None, **changed: Any) -> CallBegun:
    known: dict[str, Any] = {
        "call": call or uuid6.uuid7(),
        "team_id": 1,
        "key_id": 1,
        "upstream": "openai",
        "sample_percent": 100,
        "started_at": 1_770_000_000.25,
        "method": "POST",
        "url": URL,
        "headers": (("authorization", f"Bearer {KEY}"), ("content-type", "application/json")),
    }
    return CallBegun(**{**known, **changed})


def asked(call: UUID, data: bytes = ASKED) -> RequestSent:
    return RequestSent(call, data, len(data))


def answered(call: UUID, status: int = 200, headers: Headers = SSE) -> ResponseBegun:
    return ResponseBegun(call, 900, status, headers)


def came(call: UUID, *data: bytes, from_us: int = 1000) -> ReadsForwarded:
    return ReadsForwarded(call, [from_us + 10 * place for place in range(len(data))], data)


def ended(call: UUID, byte_length: int = len(STREAM), **changed: Any) -> CallEnded:
    known: dict[str, Any] = {"at_us": 9000, "outcome": TransportOutcome.ENDED}
    return CallEnded(call=call, byte_length=byte_length, **{**known, **changed})


def whole_call(call: UUID | None = None, **changed: Any) -> list[Any]:
    """All that is said of a call that ends well."""
    first = begun(call, **changed)
    pk = first.call
    return [first, asked(pk), answered(pk), came(pk, STREAM[:20], STREAM[20:]), ended(pk)]


class Listener:
    """Takes the place of an ``Outbox``."""

    def __init__(self) -> None:
        self.said: list[RecorderMessage] = []

    def send(self, *messages: RecorderMessage) -> None:
        self.said.extend(messages)

    def calls(self, kind: type[Any]) -> Sequence[UUID]:
        """Those that messages of this kind named, in their order."""
        return [pk for each in self.said if isinstance(each, kind) for pk in each.calls]
