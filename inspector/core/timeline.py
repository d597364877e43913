"""Tape to times: first-times, gaps and stalls. What nobody recorded is None, never a guess."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from inspector.core.analysis import Counts, Gaps, Stall, Timeline
from inspector.core.exchange import Clock
from inspector.core.tape import EventKind, LaneKind, Tape

MIN_STALL_US = 1_000_000
STALL_FACTOR = 8
"""A stall is a gap longer than a second and longer than eight times the 95th percentile."""

DISPATCHED = frozenset({EventKind.CHUNK, EventKind.ERROR, EventKind.END_MARK})
CHUNKS = frozenset({EventKind.CHUNK, EventKind.ERROR})
CONTENT_LANES = frozenset({LaneKind.CONTENT, LaneKind.TEXT, LaneKind.REFUSAL})
CALL_LANES = frozenset({LaneKind.TOOL_CALL, LaneKind.FUNCTION_CALL})


def read_timeline(tape: Tape, *, streamed: bool) -> Timeline:
    counts = _counts(tape, streamed=streamed)
    if tape.clock is Clock.NONE or not tape.reads.at_us:
        return Timeline(clock=Clock.NONE, counts=counts)
    arrivals = chunk_reads(tape) if streamed else []
    gaps = [later - earlier for earlier, later in _pairs([tape.reads.at_us[r] for r in arrivals])]
    timeline = Timeline(
        clock=tape.clock,
        counts=counts,
        gaps_us=_summary(gaps),
        stalls=_stalls(tape, arrivals, gaps),
    )
    return _with_first_times(timeline, tape) if tape.clock is Clock.RECORDED else timeline


def read_of(tape: Tape, byte_end: int) -> int:
    """The number of the read that brought the byte before ``byte_end``."""
    return min(bisect_left(tape.reads.byte_end, byte_end), len(tape.reads.byte_end) - 1)


def chunk_reads(tape: Tape) -> list[int]:
    """The reads that completed at least one chunk, in order; what came together counts once."""
    reads: list[int] = []
    ends, read, last = tape.reads.byte_end, 0, -1
    for byte_end, kind in zip(tape.events.byte_end, tape.events.kind, strict=True):
        if kind is EventKind.CHUNK or kind is EventKind.ERROR:
            while ends[read] < byte_end:
                read += 1
            if read != last:
                reads.append(read)
                last = read
    return reads


def percentile(ordered: Sequence[int], share: float) -> int:
    """The nearest-rank percentile of an ordered, non-empty sequence."""
    rank = max(1, -(-int(share * 100 * len(ordered)) // 100))
    return ordered[min(rank, len(ordered)) - 1]


def _counts(tape: Tape, *, streamed: bool) -> Counts:
    kinds = tape.events.kind if streamed else []
    comments = kinds.count(EventKind.COMMENT)
    return Counts(
        reads=len(tape.reads.byte_end) if tape.clock is not Clock.NONE else 0,
        events=len(kinds) - comments - kinds.count(EventKind.IGNORED),
        chunks=kinds.count(EventKind.CHUNK) + kinds.count(EventKind.ERROR),
        comments=comments,
    )


def _pairs(values: Sequence[int]) -> list[tuple[int, int]]:
    return list(zip(values, values[1:], strict=False))


def _summary(gaps: list[int]) -> Gaps | None:
    if not gaps:
        return None
    ordered = sorted(gaps)
    return Gaps(percentile(ordered, 0.5), percentile(ordered, 0.95), ordered[-1])


def _stalls(tape: Tape, arrivals: list[int], gaps: list[int]) -> tuple[Stall, ...]:
    if not gaps:
        return ()
    # The pace is that of the other gaps: one long silence must not hide itself.
    ordered = sorted(gaps)[:-1] or [0]
    limit = max(MIN_STALL_US, STALL_FACTOR * percentile(ordered, 0.95))
    at_us = tape.reads.at_us
    return tuple(
        Stall(at_us[before], at_us[after], before, after)
        for before, after in _pairs(arrivals)
        if at_us[after] - at_us[before] > limit
    )


def _with_first_times(timeline: Timeline, tape: Tape) -> Timeline:
    first = {
        "first_event_us": _first_event(tape, DISPATCHED),
        "first_chunk_us": _first_event(tape, CHUNKS),
        "first_reasoning_us": _first_piece(tape, frozenset({LaneKind.REASONING})),
        "first_content_us": _first_piece(tape, CONTENT_LANES),
        "first_tool_call_us": _first_piece(tape, CALL_LANES),
    }
    if not timeline.counts.chunks:
        first = dict.fromkeys(first)
    tokens = [
        first[name] for name in ("first_reasoning_us", "first_content_us", "first_tool_call_us")
    ]
    return Timeline(
        clock=timeline.clock,
        counts=timeline.counts,
        gaps_us=timeline.gaps_us,
        stalls=timeline.stalls,
        first_byte_us=tape.reads.at_us[0],
        duration_us=tape.reads.at_us[-1],
        first_token_us=min((at for at in tokens if at is not None), default=None),
        **first,
    )


def _first_event(tape: Tape, kinds: frozenset[EventKind]) -> int | None:
    for byte_end, kind in zip(tape.events.byte_end, tape.events.kind, strict=True):
        if kind in kinds:
            return tape.reads.at_us[read_of(tape, byte_end)]
    return None


def _first_piece(tape: Tape, kinds: frozenset[LaneKind]) -> int | None:
    lanes = {number for number, lane in enumerate(tape.lanes) if lane.kind in kinds}
    for event, lane in zip(tape.pieces.event, tape.pieces.lane, strict=True):
        if lane in lanes:
            return tape.reads.at_us[read_of(tape, tape.events.byte_end[event])]
    return None
