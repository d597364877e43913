"""Converts evidence between an exchange as a value and three packed columns."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from uuid import UUID

import msgspec
from django.db import OperationalError

from inspector.archive.models import Capture, Evidence
from inspector.archive.storage.compression import compressed, decompressed
from inspector.core.credentials.removal import Removal
from inspector.core.decoded_types import built
from inspector.core.redaction_mark import Redaction
from inspector.core.wire.exchange import (
    Exchange,
    Headers,
    MeasuredBy,
    Read,
    Request,
    TransportFault,
    TransportOutcome,
)
from inspector.database import model_columns

# Newest form that this release reads, and the form it writes. Two releases run side by side during
# an upgrade: a new form is read by one release, and written from the next one on.
FORM = 1


class NewerEvidenceForm(OperationalError):
    """The evidence was stored by a later release in a form that this one cannot read."""


class ReadBoundaries(msgspec.Struct, frozen=True, array_like=True):
    """The end of each read and its arrival time; times are None if none were recorded."""

    byte_end: list[int]
    at_us: list[int | None]


class CaptureOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """What another archive knew of a capture imported from it. Ids are those of that archive."""

    id: UUID
    received_at: datetime
    sent_by: str | None = None
    """The name of the key that sent it."""
    idempotency_key: str | None = None
    removal: Removal | None = None
    retry_of: UUID | None = None
    redaction: Redaction | None = None


class Marks(msgspec.Struct, frozen=True):
    """Facts kept beside an exchange that did not come over the wire. Nothing is left out by
    default: whoever stores evidence says what becomes of each.
    """

    removal: Removal | None
    """None until credentials were looked for."""
    redaction: Redaction | None
    """None where no rule of the team overwrote anything."""
    origin: CaptureOrigin | None
    """None where the capture was received here first."""

    @property
    def are_of_overwritten(self) -> bool:
        """True if hashes of what came must be stored keyed."""
        return bool(self.removal and self.removal.total) or self.redaction is not None


class Surroundings(msgspec.Struct, frozen=True):
    """Parts of the exchange other than the body that have no column of their own."""

    headers: Headers | None = None
    request: Request | None = None
    # Programs that do not know it pass over it.
    removal: Removal | None = None
    measured_by: MeasuredBy | None = None
    fault: TransportFault | None = None
    total_bytes: int | None = None
    ended_at_us: int | None = None
    origin: CaptureOrigin | None = None
    redaction: Redaction | None = None

    @property
    def marks(self) -> Marks:
        return Marks(self.removal, self.redaction, self.origin)


def pack(capture: Capture, exchange: Exchange, body: bytes, marks: Marks) -> Evidence:
    """Pack an exchange, and set the evidence form and the count of redactions on the capture."""
    capture.evidence_form = FORM
    capture.redactions = marks.redaction.total if marks.redaction else 0
    made: Evidence = model_columns.new_row(
        Evidence,
        capture_id=capture.pk,
        body=compressed(body),
        reads=pack_boundaries(exchange.reads),
        surroundings=pack_surroundings(_surroundings_of(exchange, marks)),
    )
    return made


def replace(packed: Evidence) -> None:
    """Store evidence in place of what the capture had."""
    Evidence.objects.filter(pk=packed.pk).update(
        body=packed.body, reads=packed.reads, surroundings=packed.surroundings
    )


def _surroundings_of(exchange: Exchange, marks: Marks) -> Surroundings:
    return Surroundings(
        headers=exchange.headers,
        request=exchange.request,
        removal=marks.removal,
        measured_by=exchange.measured_by,
        fault=exchange.fault,
        total_bytes=exchange.total_bytes,
        ended_at_us=exchange.ended_at_us,
        origin=marks.origin,
        redaction=marks.redaction,
    )


def unpack(capture: Capture, evidence: Evidence) -> Exchange:
    """Return the exchange with its reads. Raises ``NewerEvidenceForm`` for a later form."""
    if capture.evidence_form > FORM:
        raise NewerEvidenceForm(
            f"evidence of form {capture.evidence_form}, known are those up to {FORM}"
        )
    around = unpack_surroundings(evidence.surroundings)
    return Exchange(
        reads=unpack_reads(evidence.body, evidence.reads),
        content_type=capture.content_type,
        status_code=capture.status_code,
        headers=around.headers,
        outcome=TransportOutcome(capture.outcome),
        request=around.request,
        measured_by=around.measured_by,
        dialect=capture.dialect_hint,
        fault=around.fault,
        total_bytes=around.total_bytes,
        ended_at_us=around.ended_at_us,
    )


def marks_in(surroundings: bytes | memoryview) -> Marks:
    return unpack_surroundings(surroundings).marks


def surroundings_of(capture: Capture) -> Surroundings | None:
    """Headers, request and removed credentials, without loading the body. None where the evidence
    is gone, or only a later release can read its form.
    """
    if capture.evidence_form > FORM:
        return None
    found = _stored_surroundings(capture)
    return None if found is None else unpack_surroundings(found)


def _stored_surroundings(capture: Capture) -> bytes | memoryview | None:
    # Uses joined evidence without another query.
    if Capture.evidence.is_cached(capture):
        joined = getattr(capture, "evidence", None)
        return joined.surroundings if joined else None
    return Evidence.objects.filter(pk=capture.pk).values_list("surroundings", flat=True).first()


def pack_surroundings(surroundings: Surroundings) -> bytes:
    return _packed(surroundings)


def unpack_surroundings(packed: bytes | memoryview) -> Surroundings:
    return msgspec.msgpack.decode(decompressed(packed), type=built(Surroundings))


def pack_boundaries(reads: Sequence[Read]) -> bytes:
    return _packed(read_boundaries(reads))


def read_boundaries(reads: Sequence[Read]) -> ReadBoundaries:
    byte_end, end = [], 0
    for read in reads:
        end += len(read.data)
        byte_end.append(end)
    return ReadBoundaries(byte_end, [read.at_us for read in reads])


def unpack_reads(body: bytes | memoryview, boundaries: bytes | memoryview) -> tuple[Read, ...]:
    return tuple(_reads(decompressed(body), unpack_boundaries(boundaries)))


def unpack_boundaries(packed: bytes | memoryview) -> ReadBoundaries:
    return msgspec.msgpack.decode(decompressed(packed), type=built(ReadBoundaries))


def _reads(body: bytes, cutting: ReadBoundaries) -> Iterator[Read]:
    # The body is stored once; reads are ranges of it.
    start = 0
    for at_us, end in zip(cutting.at_us, cutting.byte_end, strict=True):
        yield Read(at_us, body[start:end])
        start = end


def _packed(value: msgspec.Struct) -> bytes:
    return compressed(msgspec.msgpack.encode(value))
