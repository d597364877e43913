"""Answers of the proxy itself, in the form of the API's errors. ``X-Inspector-Error`` tells them
from the upstream's.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

import msgspec

from inspector.core.wire.exchange import TransportFault
from inspector.proxy.asgi import Send
from inspector.proxy.headers import RawHeader
from inspector.proxy.messages import Refusal

ERROR_HEADER = b"x-inspector-error"
NO_CONTENT = 204


@dataclass(frozen=True, slots=True)
class OwnError:
    status: int
    code: str
    message: str
    headers: tuple[RawHeader, ...] = ()


OF_REFUSALS = {
    Refusal.UNKNOWN_KEY: OwnError(
        401,
        Refusal.UNKNOWN_KEY,
        "No such key. It stands in the address, /proxy/<key>/<upstream>/…, or in the header "
        "X-Inspector-Key.",
    ),
    Refusal.KEY_MAY_NOT_CAPTURE: OwnError(
        403, Refusal.KEY_MAY_NOT_CAPTURE, "This key lacks the scope “capture”."
    ),
    Refusal.UNKNOWN_UPSTREAM: OwnError(
        404,
        Refusal.UNKNOWN_UPSTREAM,
        "The team of this key has no such upstream, or it is turned off, or has no such path.",
    ),
    Refusal.DIRECTORY_UNAVAILABLE: OwnError(
        503,
        Refusal.DIRECTORY_UNAVAILABLE,
        "Keys and upstreams cannot be looked up now.",
        ((b"retry-after", b"5"),),
    ),
}

OF_FAULTS = {
    TransportFault.ADDRESS_REFUSED: OwnError(
        403, "upstream_not_allowed", "The upstream's address is one that calls may not go to."
    ),
    TransportFault.UNREACHABLE: OwnError(
        502, "upstream_unreachable", "No connection to the upstream could be made."
    ),
    TransportFault.TLS: OwnError(
        502, "upstream_tls", "The upstream's certificate does not hold, or it speaks no TLS."
    ),
    TransportFault.BROKEN_RESPONSE: OwnError(
        502, "upstream_broken", "The upstream ended the connection, or sent what is no HTTP."
    ),
    TransportFault.CONNECT_TIMEOUT: OwnError(
        504, "upstream_timeout", "The upstream took no connection in time."
    ),
    TransportFault.RESPONSE_TIMEOUT: OwnError(
        504, "upstream_timeout", "The upstream sent nothing in time."
    ),
}

NO_UPGRADE = OwnError(
    426,
    "upgrade_not_supported",
    "WebSockets are not forwarded.",
    # What follows an upgrade request on its connection is in no known protocol.
    ((b"connection", b"close"),),
)
UNKNOWN_CODING = OwnError(
    501,
    "transfer_coding_not_supported",
    "Of transfer codings only chunked is known.",
    ((b"connection", b"close"),),
)
NO_UTF8 = OwnError(
    400, "header_not_utf8", "The value of a header is no UTF-8, and cannot be forwarded as it is."
)
NO_PAGES = OwnError(
    403, "no_pages", "A browser wants to load this. Only programs and scripts of pages may call."
)
TOO_MANY_STREAMS = OwnError(
    429, "too_many_streams", "This key has as many calls open as it may.", ((b"retry-after", b"1"),)
)


async def answer_error(
    send: Send, error: OwnError, request_id: UUID, headers: Iterable[RawHeader] = ()
) -> None:
    own = [(b"content-type", b"application/json"), (ERROR_HEADER, error.code.encode())]
    body = error_body(error, request_id)
    await answer(send, error.status, [*own, *error.headers, *headers], body)


def error_body(error: OwnError, request_id: UUID | None) -> bytes:
    """``request_id`` is None where there is no whole request."""
    inner = {"code": error.code, "message": error.message, "request_id": request_id}
    return msgspec.json.encode({"error": inner})


async def answer(send: Send, status: int, headers: list[RawHeader], body: bytes = b"") -> None:
    if status != NO_CONTENT:
        headers = [*headers, (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
