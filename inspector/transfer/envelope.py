"""The exchange envelope: a response as JSON with the facts that its sender knows besides its bytes.

The envelope itself is strict; the payload in it is not checked.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import pairwise
from typing import Annotated, Any, Literal, NoReturn

import msgspec
from msgspec import UNSET, Meta, UnsetType

from inspector.archive.intake.submission import (
    MAX_TAGS,
    METADATA_CHARACTERS,
    TAG_CHARACTERS,
    Submission,
)
from inspector.core.wire.exchange import Exchange, MeasuredBy, Read, Request, TransportOutcome
from inspector.transfer.json_document import BadDocument, strict_value

MEDIA_TYPE = "application/vnd.inspector.exchange+json"
INVALID = "invalid_envelope"
LATEST_US = 2**53
IDEMPOTENCY_KEY_CHARACTERS = 255

SubmittedOutcome = Literal[
    "ended", "capped", "client-cancelled", "upstream-error", "upstream-timeout"
]
"""Not "open": nothing would ever finish such a capture."""
Headers = dict[str, str] | list[tuple[str, str]]
Tag = Annotated[str, Meta(min_length=1, max_length=TAG_CHARACTERS)]
IdempotencyKey = Annotated[str, Meta(min_length=1, max_length=IDEMPOTENCY_KEY_CHARACTERS)]


class ReadMember(msgspec.Struct, forbid_unknown_fields=True):
    at_us: Annotated[int, Meta(ge=0, le=LATEST_US)]
    data: str | UnsetType = UNSET
    data_b64: str | UnsetType = UNSET


class ResponseMember(msgspec.Struct, forbid_unknown_fields=True):
    status: Annotated[int, Meta(ge=100, le=999)] | None = None
    headers: Headers | UnsetType = UNSET
    body: str | UnsetType = UNSET
    body_b64: str | UnsetType = UNSET
    reads: list[ReadMember] | UnsetType = UNSET


class RequestMember(msgspec.Struct, forbid_unknown_fields=True):
    method: str | None = None
    url: str | None = None
    headers: Headers | UnsetType = UNSET
    body: str | UnsetType = UNSET
    body_b64: str | UnsetType = UNSET


class Envelope(msgspec.Struct, forbid_unknown_fields=True):
    response: ResponseMember
    request: RequestMember | None = None
    started_at: Annotated[datetime, Meta(tz=True)] | None = None
    outcome: SubmittedOutcome = "ended"
    measured_by: MeasuredBy | None = None
    tags: Annotated[list[Tag], Meta(max_length=MAX_TAGS)] = msgspec.field(default_factory=list)
    metadata: dict[str, Any] = msgspec.field(default_factory=dict)
    idempotency_key: IdempotencyKey | None = None


def parse_envelope(body: bytes) -> Submission:
    envelope = _envelope(body)
    _bound_metadata(envelope.metadata)
    return Submission(
        exchange=_exchange(envelope),
        tags=tuple(envelope.tags),
        metadata=envelope.metadata,
        started_at=_in_utc(envelope.started_at),
        idempotency_key=envelope.idempotency_key,
    )


def _envelope(body: bytes) -> Envelope:
    value = strict_value(body, "envelope")
    if isinstance(value, dict) and value.get("outcome") == TransportOutcome.OPEN:
        _refuse("the outcome is open, but an envelope is sent once it ended - at `$.outcome`")
    try:
        return msgspec.convert(value, Envelope)
    except msgspec.ValidationError as error:
        _refuse(str(error)[:500])


def _in_utc(moment: datetime | None) -> datetime | None:
    # Near the ends of the calendar, a time of another zone may not exist in UTC.
    try:
        return moment and moment.astimezone(UTC)
    except OverflowError:
        _refuse("the moment is before the year 1 or after 9999 in UTC - at `$.started_at`")


def _exchange(envelope: Envelope) -> Exchange:
    response = envelope.response
    headers = _pairs(response.headers)
    return Exchange(
        reads=tuple(_reads(response)),
        content_type=_content_type(headers),
        status_code=response.status,
        headers=headers,
        outcome=TransportOutcome(envelope.outcome),
        request=_request(envelope.request),
        measured_by=_measured_by(envelope),
    )


def _measured_by(envelope: Envelope) -> MeasuredBy | None:
    if envelope.measured_by is MeasuredBy.NOBODY and envelope.response.reads is not UNSET:
        _refuse("$.measured_by is nobody, but the reads have times")
    return envelope.measured_by


def _request(request: RequestMember | None) -> Request | None:
    if request is None:
        return None
    body = _either("$.request.body", request.body, request.body_b64)
    return Request(
        method=request.method,
        url=request.url,
        headers=_pairs(request.headers),
        body=body,
    )


def _reads(response: ResponseMember) -> Iterable[Read]:
    body = _either("$.response.body", response.body, response.body_b64)
    if response.reads is UNSET:
        return [Read(None, _required(body, "$.response.body"))]
    if body is not None:
        _refuse("$.response has both a body and reads")
    return list(_timed(response.reads))


def _timed(reads: list[ReadMember]) -> Iterator[Read]:
    for number, (one, next_one) in enumerate(pairwise(reads), start=1):
        if next_one.at_us < one.at_us:
            _refuse(f"$.response.reads[{number}].at_us is earlier than the read before it")
    for number, read in enumerate(reads):
        place = f"$.response.reads[{number}].data"
        yield Read(read.at_us, _required(_either(place, read.data, read.data_b64), place))


def _either(place: str, text: str | UnsetType, b64: str | UnsetType) -> bytes | None:
    if text is not UNSET and b64 is not UNSET:
        _refuse(f"{place} is given twice, as text and as base64")
    if text is not UNSET:
        return text.encode()
    return None if b64 is UNSET else _decoded(place, b64)


def _decoded(place: str, b64: str) -> bytes:
    try:
        return base64.b64decode(b64, validate=True)
    except (binascii.Error, ValueError) as error:
        _refuse(f"{place}_b64 is not base64: {error}")


def _required(body: bytes | None, place: str) -> bytes:
    if body is None:
        _refuse(f"{place} is missing")
    return body


def _pairs(headers: Headers | UnsetType) -> tuple[tuple[str, str], ...] | None:
    if headers is UNSET:
        return None
    return tuple(headers.items()) if isinstance(headers, dict) else tuple(headers)


def _content_type(headers: tuple[tuple[str, str], ...] | None) -> str | None:
    return next((value for name, value in headers or () if name.lower() == "content-type"), None)


def _bound_metadata(metadata: dict[str, Any]) -> None:
    if len(msgspec.json.encode(metadata)) > METADATA_CHARACTERS:
        _refuse(f"$.metadata is over {METADATA_CHARACTERS} bytes")


def _refuse(message: str) -> NoReturn:
    raise BadDocument(INVALID, message)
