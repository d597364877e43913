"""Envelopes as the archive takes and writes them."""

import base64

import msgspec
from msgspec import UNSET, UnsetType

from inspector.archive.intake.exchange_envelope import (
    ARCHIVED_FORM,
    ArchivedMember,
    Envelope,
    RequestMember,
    ResponseMember,
    content_type_of,
    exchange_of,
    in_utc,
    read_envelope,
)
from inspector.archive.intake.submission import Submission
from inspector.archive.listing.stored_captures import StoredCapture, imported_key
from inspector.archive.storage.evidence import CaptureOrigin
from inspector.core.wire.exchange import Exchange, Request


def parse_envelope(body: bytes) -> Submission:
    """Raise ``BadDocument``."""
    envelope = read_envelope(body)
    archived = envelope.archived
    return Submission(
        exchange=exchange_of(envelope),
        tags=tuple(envelope.tags),
        metadata=envelope.metadata,
        started_at=in_utc(envelope.started_at),
        idempotency_key=envelope.idempotency_key,
        note=archived.note if archived else "",
        origin=_origin(archived) if archived else None,
    )


def envelope_line(capture: StoredCapture) -> bytes:
    """Return the capture as one line, with its end: read again, it is the capture that it was."""
    exchange, request = capture.exchange, capture.exchange.request
    envelope = Envelope(
        response=_response_member(exchange),
        request=None if request is None else _request_member(request),
        started_at=capture.started_at,
        outcome=exchange.outcome.value,  # type: ignore[arg-type]
        measured_by=exchange.measured_by,
        tags=list(capture.tags),
        metadata=dict(capture.metadata),
        idempotency_key=imported_key(capture.origin.id),
        archived=_archived_member(capture),
    )
    return msgspec.json.encode(envelope) + b"\n"


def _response_member(exchange: Exchange) -> ResponseMember:
    headers = UNSET if exchange.headers is None else list(exchange.headers)
    body, body_b64 = _written(exchange.body)
    return ResponseMember(exchange.status_code, headers, body, body_b64)


def _request_member(request: Request) -> RequestMember:
    headers = UNSET if request.headers is None else list(request.headers)
    body, body_b64 = (UNSET, UNSET) if request.body is None else _written(request.body)
    return RequestMember(request.method, request.url, headers, body, body_b64)


def _written(body: bytes) -> tuple[str | UnsetType, str | UnsetType]:
    """As text, or in base64 where it is none, or escapes would make it longer than that."""
    try:
        text = body.decode()
        if len(msgspec.json.encode(text)) <= len(body) * 4 // 3 + 4:
            return text, UNSET
    except UnicodeDecodeError:
        pass
    return UNSET, base64.b64encode(body).decode()


def _archived_member(capture: StoredCapture) -> ArchivedMember:
    exchange, origin, request = capture.exchange, capture.origin, capture.exchange.request
    reads = [(read.at_us, len(read.data)) for read in exchange.reads]
    in_headers = content_type_of(exchange.headers)
    return ArchivedMember(
        form=ARCHIVED_FORM,
        id=origin.id,
        received_at=origin.received_at,
        sha256=capture.sha256,
        sent_by=origin.sent_by,
        idempotency_key=origin.idempotency_key,
        reads=None if len(reads) == 1 and reads[0][0] is None else reads,
        content_type=None if exchange.content_type == in_headers else exchange.content_type,
        ended_at_us=exchange.ended_at_us,
        fault=exchange.fault,
        total_bytes=exchange.total_bytes,
        request_total_bytes=request.total_bytes if request else None,
        dialect=exchange.dialect,
        note=capture.note,
        removal=origin.removal,
        retry_of=origin.retry_of,
        redaction=origin.redaction,
    )


def _origin(archived: ArchivedMember) -> CaptureOrigin:
    return CaptureOrigin(
        id=archived.id,
        received_at=in_utc(archived.received_at) or archived.received_at,
        sent_by=archived.sent_by,
        idempotency_key=archived.idempotency_key,
        removal=archived.removal,
        retry_of=archived.retry_of,
        redaction=archived.redaction,
    )
