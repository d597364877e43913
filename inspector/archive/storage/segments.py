"""Evidence that is still being recorded: segments of reads, beside a row without a body."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
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


def about(capture: Capture) -> Exchange | None:
    """All of a recording but its reads; None without evidence. Raises ``NewerEvidenceForm``."""
    stored = Evidence.objects.filter(pk=capture.pk).first()
    return evidence.unpack(capture, stored) if stored else None


def exchange_so_far(capture: Capture) -> Exchange | None:
    """Return the exchange of a recording; None without evidence. Raises ``NewerEvidenceForm``."""
    # Before the evidence: if the recording ends in between, the evidence is whole.
    reads = tuple(chain.from_iterable(reads_from(capture.pk, 0)))
    exchange = about(capture)
    if exchange is None:
        return None
    return exchange if exchange.reads else msgspec.structs.replace(exchange, reads=reads)


def reads_from(capture_id: UUID, number: int) -> Iterator[tuple[Read, ...]]:
    """Yield the reads of each segment from this one on, as they are asked for."""
    segments = EvidenceSegment.objects.filter(capture=capture_id, number__gte=number)
    for segment in _without_gaps(segments.order_by("number").iterator(chunk_size=10), number):
        yield evidence.unpack_reads(segment.body, segment.reads)


def _without_gaps(segments: Iterable[EvidenceSegment], first: int) -> Iterator[EvidenceSegment]:
    for expected, segment in enumerate(segments, first):
        # What follows a gap never followed what comes before it.
        if segment.number != expected:
            return
        yield segment
