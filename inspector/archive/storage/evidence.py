"""Converts evidence between an exchange as a value and three packed columns."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from django.db import OperationalError

from inspector.archive.models import Capture, Evidence
from inspector.archive.storage.compression import compressed, decompressed
from inspector.core.credentials.removal import Removal
from inspector.core.wire.exchange import (
    Exchange,
    Headers,
    MeasuredBy,
    Read,
    Request,
    TransportOutcome,
)
from inspector.database import model_columns

# Newest form that this release reads, and the form it writes. Two releases run side by side during
# an upgrade: a new form is read by one release, and written from the next one on.
FORM = 1


class NewerEvidenceForm(OperationalError):
    """The evidence was stored by a later release in a form that this one cannot read."""


class ReadBoundaries(msgspec.Struct, frozen=True, array_like=True):
    """Where each read ends and when it arrived; times are None where none were recorded."""

    byte_end: list[int]
    at_us: list[int | None]


class Surroundings(msgspec.Struct, frozen=True):
    """Parts of the exchange other than the body that have no column of their own."""

    headers: Headers | None = None
    request: Request | None = None
    # Programs that do not know it pass over it.
    removal: Removal | None = None
    measured_by: MeasuredBy | None = None


def pack(
    capture: Capture, exchange: Exchange, body: bytes, removal: Removal | None = None
) -> Evidence:
    """Packs an exchange, and sets the evidence form on the capture."""
    capture.evidence_form = FORM
    surroundings = Surroundings(exchange.headers, exchange.request, removal, exchange.measured_by)
    made: Evidence = model_columns.new_row(
        Evidence,
        capture_id=capture.pk,
        body=compressed(body),
        reads=_packed(read_boundaries(exchange)),
        surroundings=_packed(surroundings),
    )
    return made


def unpack(capture: Capture, evidence: Evidence) -> Exchange:
    """Raises ``NewerEvidenceForm``."""
    if capture.evidence_form > FORM:
        raise NewerEvidenceForm(
            f"evidence of form {capture.evidence_form}, known are those up to {FORM}"
        )
    cutting = msgspec.msgpack.decode(decompressed(evidence.reads), type=ReadBoundaries)
    around = _surroundings(evidence.surroundings)
    return Exchange(
        reads=tuple(_reads(decompressed(evidence.body), cutting)),
        content_type=capture.content_type,
        status_code=capture.status_code,
        headers=around.headers,
        outcome=TransportOutcome(capture.outcome),
        request=around.request,
        measured_by=around.measured_by,
        dialect=capture.dialect_hint,
    )


def removal_in(surroundings: bytes | memoryview) -> Removal | None:
    """None where the capture was stored before removals were counted."""
    return _surroundings(surroundings).removal


def surroundings_of(capture: Capture) -> Surroundings | None:
    """Headers, request and removed credentials, without loading the body. None where the evidence
    is gone, or only a later release can read its form.
    """
    if capture.evidence_form > FORM:
        return None
    found = _stored_surroundings(capture)
    return None if found is None else _surroundings(found)


def _stored_surroundings(capture: Capture) -> bytes | memoryview | None:
    # Uses joined evidence without another query.
    if Capture.evidence.is_cached(capture):
        joined = getattr(capture, "evidence", None)
        return joined.surroundings if joined else None
    return Evidence.objects.filter(pk=capture.pk).values_list("surroundings", flat=True).first()


def _surroundings(packed: bytes | memoryview) -> Surroundings:
    return msgspec.msgpack.decode(decompressed(packed), type=Surroundings)


def read_boundaries(exchange: Exchange) -> ReadBoundaries:
    byte_end, end = [], 0
    for read in exchange.reads:
        end += len(read.data)
        byte_end.append(end)
    return ReadBoundaries(byte_end, [read.at_us for read in exchange.reads])


def _reads(body: bytes, cutting: ReadBoundaries) -> Iterator[Read]:
    # The body is stored once; reads are ranges of it.
    start = 0
    for at_us, end in zip(cutting.at_us, cutting.byte_end, strict=True):
        yield Read(at_us, body[start:end])
        start = end


def _packed(value: msgspec.Struct) -> bytes:
    return compressed(msgspec.msgpack.encode(value))
