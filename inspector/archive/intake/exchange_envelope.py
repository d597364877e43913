"""The exchange envelope: a response as JSON with the facts that its sender knows besides its bytes.

The envelope itself is strict; the payload in it is not checked. Nothing here knows an archive.
"""

import base64
import binascii
import hashlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import pairwise
from typing import Annotated, Any, Literal, NoReturn
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from inspector.archive.intake.limits import (
    MAX_TAGS,
    METADATA_CHARACTERS,
    NOTE_CHARACTERS,
    TAG_CHARACTERS,
)
from inspector.core.credentials.removal import Removal
from inspector.core.decoded_types import built
from inspector.core.formats import dialects
from inspector.core.json import document
from inspector.core.json.document import BadDocument, strict_value
from inspector.core.redaction_mark import Redaction
from inspector.core.wire.exchange import (
    Exchange,
    MeasuredBy,
    Read,
    Request,
    TransportFault,
    TransportOutcome,
)
from inspector.core.wire.recorded_reads import cut_reads

MEDIA_TYPE = "application/vnd.inspector.exchange+json"
INVALID = "invalid_envelope"
NEWER_FORM, OTHER_BYTES = "newer_form", "other_bytes"
ARCHIVED_FORM = 1
"""Version of ``archived`` that is written here, and the newest that is read."""
LATEST_US = 2**53
"""285 years, and what every reader of JSON holds exactly (RFC 8259, section 6)."""
LARGE_BYTES = 64 * 1024
"""In fewer nothing can be repeated so often that it costs anything."""
READ_TOKENS = 9
"""The least that a read has."""
METADATA_BYTES = 8 * METADATA_CHARACTERS
"""As sent, with escapes and spaces."""
METADATA_TOO_LONG = f"$.metadata is over {METADATA_CHARACTERS} bytes"
IDEMPOTENCY_KEY_CHARACTERS = 255
"""As many as Stripe takes; the width of the column."""

SubmittedOutcome = Literal[
    "ended", "capped", "client-cancelled", "upstream-error", "upstream-timeout", "recorder-stopped"
]
"""Not "open": nothing would ever finish such a capture."""
ReadTime = Annotated[int, Meta(ge=-LATEST_US, le=LATEST_US)]
MAX_HEADERS = 1_000
"""Ten times what Apache takes (`LimitRequestFields`); what has more is refused."""
Headers = (
    Annotated[dict[str, str], Meta(max_length=MAX_HEADERS)]
    | Annotated[list[tuple[str, str]], Meta(max_length=MAX_HEADERS)]
)
Tag = Annotated[str, Meta(min_length=1, max_length=TAG_CHARACTERS)]
IdempotencyKey = Annotated[str, Meta(min_length=1, max_length=IDEMPOTENCY_KEY_CHARACTERS)]


class ReadMember(msgspec.Struct, forbid_unknown_fields=True):
    at_us: Annotated[int, Meta(ge=0, le=LATEST_US)]
    data: str | UnsetType = UNSET
    data_b64: str | UnsetType = UNSET


class ResponseMember(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    status: Annotated[int, Meta(ge=100, le=999)] | None = None
    headers: Headers | UnsetType = UNSET
    body: str | UnsetType = UNSET
    body_b64: str | UnsetType = UNSET
    reads: list[ReadMember] | UnsetType = UNSET


class RequestMember(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    method: str | None = None
    url: str | None = None
    headers: Headers | UnsetType = UNSET
    body: str | UnsetType = UNSET
    body_b64: str | UnsetType = UNSET


class ArchivedMember(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """Facts that only an archive knows of an exchange, written by an export. ``reads`` are times in
    microseconds, null if unknown, and lengths in bytes of the body; absent where the body is one
    read without a time.
    """

    form: int
    id: UUID
    received_at: Annotated[datetime, Meta(tz=True)]
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    """Hash of the response's body."""
    sent_by: str | None = None
    idempotency_key: IdempotencyKey | None = None
    reads: list[tuple[ReadTime | None, Annotated[int, Meta(ge=0)]]] | None = None
    content_type: str | None = None
    """Where the headers have another one, or none."""
    ended_at_us: int | None = None
    fault: TransportFault | None = None
    total_bytes: int | None = None
    request_total_bytes: int | None = None
    dialect: str | None = None
    note: Annotated[str, Meta(max_length=NOTE_CHARACTERS)] = ""
    removal: Removal | None = None
    retry_of: UUID | None = None
    redaction: Redaction | None = None


class Envelope(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    response: ResponseMember
    request: RequestMember | None = None
    started_at: Annotated[datetime, Meta(tz=True)] | None = None
    outcome: SubmittedOutcome = "ended"
    measured_by: MeasuredBy | None = None
    tags: Annotated[list[Tag], Meta(max_length=MAX_TAGS)] = msgspec.field(default_factory=list)
    metadata: dict[str, Any] = msgspec.field(default_factory=dict)
    idempotency_key: IdempotencyKey | None = None
    archived: ArchivedMember | None = None


class _Member(msgspec.Struct):
    headers: list[msgspec.Raw] | dict[str, msgspec.Raw] = msgspec.field(default_factory=list)
    reads: list[msgspec.Raw] = msgspec.field(default_factory=list)


class _Repeated(msgspec.Struct):
    """The members that an envelope may have any number of, looked at before the costly rest."""

    response: _Member = msgspec.field(default_factory=_Member)
    request: _Member | None = None
    metadata: msgspec.Raw = msgspec.Raw()


_REPEATED = msgspec.json.Decoder(built(_Repeated))


def read_envelope(body: bytes) -> Envelope:
    """Raise ``BadDocument``."""
    envelope = _envelope(body)
    _bound_metadata(envelope.metadata)
    return envelope


def exchange_of(envelope: Envelope) -> Exchange:
    """Raise ``BadDocument``."""
    archived = envelope.archived
    return _exchange(envelope) if archived is None else _archived(envelope, archived)


def _envelope(body: bytes) -> Envelope:
    if len(body) > LARGE_BYTES:
        _refuse_repetition(body)
    value = strict_value(body, "envelope")
    if isinstance(value, dict) and value.get("outcome") == TransportOutcome.OPEN:
        _refuse("the outcome is open, but an envelope is sent once it ended - at `$.outcome`")
    _refuse_newer(value)
    try:
        return msgspec.convert(value, built(Envelope))
    except msgspec.ValidationError as error:
        _refuse(str(error)[:500])


def _refuse_repetition(body: bytes) -> None:
    try:
        found = _REPEATED.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        # What is wrong, and where, is said by the strict parser.
        return
    for name, member in (("response", found.response), ("request", found.request)):
        if member is not None and len(member.headers) > MAX_HEADERS:
            _refuse(f"$.{name}.headers are over {MAX_HEADERS}")
    if len(found.response.reads) > document.MAX_TOKENS // READ_TOKENS:
        raise document.too_many_tokens("envelope")
    if len(found.metadata) > METADATA_BYTES:
        _refuse(METADATA_TOO_LONG)


def in_utc(moment: datetime | None) -> datetime | None:
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
        content_type=content_type_of(headers),
        status_code=response.status,
        headers=headers,
        outcome=TransportOutcome(envelope.outcome),
        request=_request(envelope.request),
        measured_by=_measured_by(envelope),
    )


def _archived(envelope: Envelope, archived: ArchivedMember) -> Exchange:
    if envelope.response.reads is not UNSET:
        _refuse("$.archived has the lengths of the reads, and $.response.reads has reads")
    if archived.dialect is not None and archived.dialect not in dialects():
        _refuse("$.archived.dialect is a format that is not known here")
    exchange = _exchange(envelope)
    body, request = exchange.body, exchange.request
    if hashlib.sha256(body).hexdigest() != archived.sha256:
        message = "the body is not what was exported: its SHA-256 is not $.archived.sha256"
        raise BadDocument(OTHER_BYTES, message)
    reads = exchange.reads if archived.reads is None else cut_reads(body, archived.reads)
    if reads is None:
        _refuse("$.archived.reads are not the lengths of the body")
    if request is not None:
        request = msgspec.structs.replace(request, total_bytes=archived.request_total_bytes)
    return msgspec.structs.replace(
        exchange,
        reads=reads,
        request=request,
        content_type=archived.content_type or exchange.content_type,
        ended_at_us=archived.ended_at_us,
        fault=archived.fault,
        total_bytes=archived.total_bytes,
        dialect=archived.dialect,
    )


def _refuse_newer(value: Any) -> None:
    # Asked before the members are read: a later form may have others.
    archived = value.get("archived") if isinstance(value, dict) else None
    form = archived.get("form") if isinstance(archived, dict) else None
    if isinstance(form, int) and form > ARCHIVED_FORM:
        message = f"written by a later release: form {form}, known here is {ARCHIVED_FORM}"
        raise BadDocument(NEWER_FORM, message)


# -- what every sender may say --------------------------------------------------------------------


def _measured_by(envelope: Envelope) -> MeasuredBy | None:
    if envelope.measured_by is MeasuredBy.NOBODY and envelope.response.reads is not UNSET:
        _refuse("$.measured_by is nobody, but the reads have times")
    return envelope.measured_by


def _request(request: RequestMember | None) -> Request | None:
    if request is None:
        return None
    body = _either("$.request.body", request.body, request.body_b64)
    return Request(
        method=request.method, url=request.url, headers=_pairs(request.headers), body=body
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


def content_type_of(headers: tuple[tuple[str, str], ...] | None) -> str | None:
    return next((value for name, value in headers or () if name.lower() == "content-type"), None)


def _bound_metadata(metadata: dict[str, Any]) -> None:
    if len(msgspec.json.encode(metadata)) > METADATA_CHARACTERS:
        _refuse(METADATA_TOO_LONG)


def _refuse(message: str) -> NoReturn:
    raise BadDocument(INVALID, message)
