"""Evidence that is still being recorded: segments of reads, beside a row without a body."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from uuid import UUID

import msgspec

from inspector.archive.models import Capture, Evidence, EvidenceSegment
from inspector.archive.storage import evidence
from inspector.archive.storage.compression import compressed
from inspector.core.wire.exchange import Exchange, Read
from inspector.database import model_columns


def pack(capture_id: UUID, number: int, reads: Sequence[Read]) -> EvidenceSegment:
    made: EvidenceSegment = model_columns.new_row(
        EvidenceSegment,
        capture_id=capture_id,
        number=number,
        body=compressed(b"".join(read.data for read in reads)),
        reads=evidence.pack_boundaries(reads),
    )
    return made


def exchange_so_far(capture: Capture) -> Exchange | None:
    """The exchange of a capture that was being recorded when its row was loaded. None where its
    evidence is gone. Raises ``NewerEvidenceForm``.
    """
    # Before the evidence: if the recording ends in between, the evidence is whole.
    reads = tuple(_reads(capture.pk))
    stored = Evidence.objects.filter(pk=capture.pk).first()
    if stored is None:
        return None
    exchange = evidence.unpack(capture, stored)
    return exchange if exchange.reads else msgspec.structs.replace(exchange, reads=reads)


def _reads(capture_id: UUID) -> Iterator[Read]:
    segments = EvidenceSegment.objects.filter(capture=capture_id).order_by("number")
    for segment in _without_gaps(segments.iterator(), 0):
        yield from _unpacked(segment)


def _unpacked(segment: EvidenceSegment) -> tuple[Read, ...]:
    return evidence.unpack_reads(segment.body, segment.reads)


def _without_gaps(segments: Iterable[EvidenceSegment], first: int) -> Iterator[EvidenceSegment]:
    for expected, segment in enumerate(segments, first):
        # What follows a gap never followed what comes before it.
        if segment.number != expected:
            return
        yield segment
