"""Evidence between its two forms: an exchange as a value, and three packed columns."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from django.db import OperationalError

from inspector.archive import columns
from inspector.archive.compression import compressed, decompressed
from inspector.archive.models import Capture, Evidence
from inspector.core.credentials.removal import Removal
from inspector.core.exchange import Exchange, Outcome, Read, Request

FORM = 1
"""The newest that is read here, and what is written. Programs of the release before run beside this
one's: a new form is read first, and written one release later.
"""


class NewerForm(OperationalError):
    """A program of a later release stored it; one of its kind can answer."""


class Cutting(msgspec.Struct, frozen=True, array_like=True):
    """Where each read ends, and when it came: None for all where nobody noted it."""

    byte_end: list[int]
    at_us: list[int | None]


class Surroundings(msgspec.Struct, frozen=True):
    """What came with the body and is not a column of its own."""

    headers: tuple[tuple[str, str], ...] = ()
    request: Request | None = None
    # Programs that do not know it pass over it.
    removal: Removal | None = None


def pack(
    capture: Capture, exchange: Exchange, body: bytes, removal: Removal | None = None
) -> Evidence:
    """Says on the capture in what form."""
    capture.evidence_form = FORM
    surroundings = Surroundings(exchange.headers, exchange.request, removal)
    made: Evidence = columns.new(
        Evidence,
        capture_id=capture.pk,
        body=compressed(body),
        reads=_packed(cutting_of(exchange)),
        surroundings=_packed(surroundings),
    )
    return made


def unpack(capture: Capture, evidence: Evidence) -> Exchange:
    """Raises ``NewerForm``."""
    if capture.evidence_form > FORM:
        raise NewerForm(f"evidence of form {capture.evidence_form}, known are those up to {FORM}")
    cutting = msgspec.msgpack.decode(decompressed(evidence.reads), type=Cutting)
    around = _surroundings(evidence.surroundings)
    return Exchange(
        reads=tuple(_reads(decompressed(evidence.body), cutting)),
        content_type=capture.content_type,
        status_code=capture.status_code,
        headers=around.headers,
        outcome=Outcome(capture.outcome),
        request=around.request,
        dialect=capture.dialect_hint,
    )


def removal_in(surroundings: bytes | memoryview) -> Removal | None:
    """None where it was stored before anything was counted."""
    return _surroundings(surroundings).removal


def removal_of(capture: Capture) -> Removal | None:
    """Without fetching the body; None where nobody looked, or only a later release can tell."""
    if capture.evidence_form > FORM:
        return None
    found = _stored_surroundings(capture)
    return None if found is None else removal_in(found)


def _stored_surroundings(capture: Capture) -> bytes | memoryview | None:
    """Of evidence that is joined already, without another question."""
    if Capture.evidence.is_cached(capture):
        joined = getattr(capture, "evidence", None)
        return joined.surroundings if joined else None
    return Evidence.objects.filter(pk=capture.pk).values_list("surroundings", flat=True).first()


def _surroundings(packed: bytes | memoryview) -> Surroundings:
    return msgspec.msgpack.decode(decompressed(packed), type=Surroundings)


def cutting_of(exchange: Exchange) -> Cutting:
    byte_end, end = [], 0
    for read in exchange.reads:
        end += len(read.data)
        byte_end.append(end)
    return Cutting(byte_end, [read.at_us for read in exchange.reads])


def _reads(body: bytes, cutting: Cutting) -> Iterator[Read]:
    start = 0
    for at_us, end in zip(cutting.at_us, cutting.byte_end, strict=True):
        yield Read(at_us, body[start:end])
        start = end


def _packed(value: msgspec.Struct) -> bytes:
    return compressed(msgspec.msgpack.encode(value))
