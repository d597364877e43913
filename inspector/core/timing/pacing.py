"""Tells whether chunks arrived as they were sent, or were buffered on the way."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from operator import sub

from inspector.core.analysis import Pacing, StreamCounts
from inspector.core.findings import duration_words
from inspector.core.tape import Tape

MIN_CHUNKS = 8
"""With fewer chunks the pacing is unknown."""
MANY = 8
"""Average chunks per arrival from which silences between arrivals are a sign of buffering."""
SEVERAL = 2
"""With fewer chunks an arrival, some only came together by chance."""
SILENCE_US = 250_000
"""Median gap that a reader sees as a standstill."""
WAIT, WAIT_US = 20, 1_000_000
"""Buffering is likely after so long a wait for the first chunk, and so many times all the rest."""
BLOCK_BYTES = (65_536, 32_768, 16_384, 8_192, 4_096)
"""Common buffer sizes of proxies."""

REBUFFERED = (Pacing.HELD_BACK, Pacing.SINGLE_READ)
"""Pacings with which times between arrivals say nothing about the model."""


def pacing_of(
    tape: Tape, counts: StreamCounts, moments: Sequence[int], gap_us: int | None
) -> tuple[Pacing, str]:
    """Return the pacing of a stream, and why in a sentence.

    ``moments`` are the times of all arrivals in order, empty if any is unknown; ``gap_us`` is the
    median gap.
    """
    chunks, arrivals = counts.chunks, counts.arrivals
    if chunks < MIN_CHUNKS:
        return Pacing.UNKNOWN, f"Fewer than {MIN_CHUNKS} chunks came: too few to judge the pacing."
    if arrivals == 1:
        return Pacing.SINGLE_READ, f"All {chunks:,} chunks arrived at once."
    came = f"{chunks:,} chunks arrived one at a time"
    if chunks > arrivals:
        came = (
            f"{chunks:,} chunks arrived in {arrivals:,} batches of up to {counts.most_together:,}"
        )
    if chunks < SEVERAL * arrivals:
        return Pacing.STEADY, f"{came}."
    why = _blocks(tape)
    if not why and chunks >= MANY * arrivals:
        why = _silences(tape, moments, gap_us)
    return (Pacing.HELD_BACK, f"{came}, {why}.") if why else (Pacing.BURSTS, f"{came}.")


def _silences(tape: Tape, moments: Sequence[int], gap_us: int | None) -> str:
    if gap_us is not None and gap_us >= SILENCE_US:
        return f"with {duration_words(gap_us)} of silence between most of them"
    first_us = tape.reads.at_us[0]
    span_us = moments[-1] - moments[0] if moments else 0
    waited = first_us >= max(WAIT_US, WAIT * span_us) and moments and moments[0] == first_us
    if waited:
        return f"all within {duration_words(span_us)} after {duration_words(first_us)} of silence"
    return ""


def _blocks(tape: Tape) -> str:
    """Words for reads of one buffer size that cut events, "" without; the last may be shorter."""
    ends = tape.reads.byte_end
    sizes = Counter([ends[0], *map(sub, islice(ends, 1, None), ends)][:-1])
    for block in BLOCK_BYTES:
        if sizes[block] > 1 and 2 * sizes[block] >= len(ends) - 1:
            return f"in blocks of {block:,} bytes that cut events" if _cuts(tape, block) else ""
    return ""


def _cuts(tape: Tape, block: int) -> bool:
    starts, ends = tape.events.byte_start, tape.events.byte_end
    before = 0
    for read_end in tape.reads.byte_end:
        event = bisect_left(starts, read_end) - 1
        if read_end - before == block and event >= 0 and read_end < ends[event]:
            return True
        before = read_end
    return False
