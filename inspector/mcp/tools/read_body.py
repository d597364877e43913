"""A window of the bytes of a response or of its request."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from api.api_error import ApiError
from inspector.archive.opened import OpenedCapture
from inspector.mcp.arguments import CaptureId, opened_capture
from inspector.mcp.tool import Tool
from inspector.teams.access import Principal

MAX_BYTES, BYTES = 8_000, 4_000
"""Bytes of one answer at most, and where no number is asked for: a few thousand tokens."""


class BodyArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: CaptureId
    of: Literal["response", "request"] = "response"
    start: Annotated[int, Meta(ge=0, description="first byte, from 0")] = 0
    length: Annotated[int, Meta(ge=1, le=MAX_BYTES)] = BYTES


def body(principal: Principal, given: BodyArguments) -> dict[str, Any]:
    capture = opened_capture(principal, given.id, with_evidence=True)
    whole = capture.body if given.of == "response" else _request_of(capture)
    window = whole[given.start : given.start + given.length]
    return {"text": window.decode(errors="replace"), "start": given.start, "bytes": len(whole)}


def _request_of(capture: OpenedCapture) -> bytes:
    capture.require_body()
    sent = capture.request
    if sent is None or sent.body is None:
        raise ApiError(404, "not_found", "the request of this capture is not known")
    return sent.body


TOOL = Tool(
    name="read_body",
    title="Read a body",
    description=(
        "A window of the bytes of one response, or of the request that asked for it, as text."
        " Bytes that are no UTF-8 are replaced; credentials were removed when it was stored."
    ),
    arguments=BodyArguments,
    run=body,
)
