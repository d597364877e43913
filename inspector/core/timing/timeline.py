"""Computes times from the tape: first-times, gaps, stalls and pace. Times not recorded are None.

Every reading of a stream runs this, so each column is walked once, with built-ins where possible,
and members of enums are compared and never hashed.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from operator import le, ne, sub

import msgspec

from inspector.core.analysis import Gaps, LanePace, OddTimes, Stall, StreamCounts, Timeline
from inspector.core.completion import Usage, known
from inspector.core.findings import duration_words
from inspector.core.tape import EventKind, LaneKind, LaneMode, Tape
from inspector.core.timing.pacing import REBUFFERED, pacing_of
from inspector.core.wire.exchange import Clock

MIN_STALL_US = 1_000_000
STALL_FACTOR = 8
"""A stall is a gap longer than a second and than eight times the 95th percentile of the others."""
LATEST_US = 2**53
"""285 years, the largest integer that is exact in a browser."""

CONTENT_LANES = (LaneKind.CONTENT, LaneKind.TEXT, LaneKind.REFUSAL)
CALL_LANES = (LaneKind.TOOL_CALL, LaneKind.FUNCTION_CALL)

Moments = Sequence[int | None]
"""Time of every read, None if it contradicts others."""


def read_timeline(
    tape: Tape, usage: Usage | None = None, *, streamed: bool, ended_us: int | None = None
) -> Timeline:
    """Compute the timeline of a tape, without the times that the provider states. ``ended_us`` is
    when the transport ended, by the clock of the tape.
    """
    timeline = _timeline_of_reads(tape, usage, streamed=streamed)
    # Without a read the clock is still the recorder's, which counts from the request.
    has_clock = timeline.clock is Clock.RECORDED or not tape.reads.byte_end
    if ended_us is None or not has_clock or not 0 <= ended_us <= LATEST_US:
        return timeline
    return _with_ending(timeline, ended_us)


def _with_ending(timeline: Timeline, ended_us: int) -> Timeline:
    last_us = timeline.duration_us
    return msgspec.structs.replace(
        timeline,
        clock=Clock.RECORDED,
        ended_us=max(ended_us, last_us or 0),
        duration_us=max(ended_us, last_us or 0),
        closing_silence_us=None if last_us is None else max(0, ended_us - last_us),
    )


def _timeline_of_reads(tape: Tape, usage: Usage | None, *, streamed: bool) -> Timeline:
    if tape.clock is Clock.NONE or not tape.reads.at_us:
        reason = "No arrival times were recorded."
        return Timeline(counts=_counts(tape, None, streamed=streamed), pacing_reason=reason)
    at_us, odd = _known_times(tape)
    if not streamed:
        counts = _counts(tape, (), streamed=False)
        reason = "The answer came as one body, not as a stream."
        timeline = Timeline(clock=tape.clock, counts=counts, odd_times=odd, pacing_reason=reason)
        return _with_ends(timeline, at_us)
    return _Stream(tape, at_us, odd).timeline(usage)


class _Stream:
    """A stream with its arrivals, and the first and last piece of each lane."""

    def __init__(self, tape: Tape, at_us: Moments, odd: OddTimes | None) -> None:
        self.tape = tape
        self.at_us = at_us
        self.odd = odd
        self.reads = reads_of_chunks(tape)
        self.arrivals = _apart(self.reads, tape.reads.at_us)
        self.heard = [*self.reads, *_reads_of_tail(tape, self.reads)]
        self.counts = _counts(tape, self.arrivals, streamed=True)
        self.lanes = _ends_of_lanes(tape)

    def timeline(self, usage: Usage | None) -> Timeline:
        at_us = self.tape.reads.at_us
        heard = _apart(self.heard, at_us)
        runs = _runs(heard, self.at_us) if self.odd else [heard]
        moments = [[at_us[read] for read in run] for run in runs]
        ordered = sorted(chain.from_iterable(map(sub, run[1:], run) for run in moments))
        gaps = _summary(ordered)
        limit_us = stall_limit(ordered)
        flat = moments[0] if len(moments) == 1 else []
        pacing, reason = pacing_of(self.tape, self.counts, flat, gaps.p50 if gaps else None)
        is_paced = pacing not in REBUFFERED
        timeline = Timeline(
            clock=self.tape.clock,
            counts=self.counts,
            gaps_us=gaps,
            stalls=self._stalls(runs, limit_us) if gaps and gaps.max > (limit_us or 0) else (),
            stall_limit_us=limit_us,
            end_silence_us=self._end_silence(),
            pacing=pacing,
            pacing_reason=reason,
            lanes=tuple(self._lane_paces(is_paced=is_paced)),
            output_token_us=self._output_token(usage) if is_paced else None,
            odd_times=self.odd,
        )
        return self._with_firsts(_with_ends(timeline, self.at_us))

    # -- silences ---------------------------------------------------------------------------------

    def _stalls(self, runs: list[list[int]], limit_us: int | None) -> tuple[Stall, ...]:
        """Stalls after the first token; the wait before it is reported as a first-time."""
        at_us, begin = self.tape.reads.at_us, self._first_read(LaneKind)
        return tuple(
            Stall(
                at_us[before],
                at_us[after],
                self.heard[bisect_left(self.heard, after) - 1],
                after,
                self._first_event_of(after),
            )
            for run in runs
            for before, after in pairwise(run)
            if at_us[after] - at_us[before] > (limit_us or 0) and before >= (begin or 0)
        )

    def _first_event_of(self, read: int) -> int:
        return bisect_right(self.tape.events.byte_end, self.tape.reads.byte_end[read - 1])

    def _end_silence(self) -> int | None:
        events = self.tape.events
        if not self.reads or len(events.kind) == self.counts.chunks:
            return None
        numbers = range(len(events.kind) - 1, -1, -1)
        mark = next((n for n in numbers if events.kind[n] is EventKind.END_MARK), numbers[0])
        # What broke off or failed is no end: the silence before it is a gap like any other.
        if events.kind[mark] in (EventKind.TAIL, EventKind.ERROR):
            return None
        return self._span(self.reads[-1], read_of(self.tape, events.byte_end[mark]))

    # -- lanes ------------------------------------------------------------------------------------

    def _lane_paces(self, *, is_paced: bool) -> Iterator[LanePace]:
        pieces = self.tape.pieces
        for number, first, last in self.lanes:
            lane = self.tape.lanes[number]
            start = 0 if lane.mode is LaneMode.SNAPSHOT else pieces.start_u16[last]
            length = start + pieces.length_u16[last]
            span_us = self._span(self._read_of(first), self._read_of(last)) or None
            grown = length - pieces.length_u16[first]
            yield LanePace(
                choice=lane.choice,
                kind=lane.kind,
                tool_call=lane.tool_call,
                lane=number,
                length_u16=length,
                span_us=span_us,
                characters_per_second=_rate(grown, span_us) if is_paced and span_us else None,
            )

    def _output_token(self, usage: Usage | None) -> float | None:
        tokens = usage.completion_tokens if usage else None
        if not self.lanes or usage is None or not isinstance(tokens, int) or tokens < 2:
            return None
        hidden = known(usage.reasoning_tokens) and usage.reasoning_tokens
        if hidden and self._first_read((LaneKind.REASONING,)) is None:
            # Hidden reasoning tokens were made before the first token that was sent.
            return None
        reads = [self._read_of(last) for _, _, last in self.lanes]
        begin = self._first_read(LaneKind)
        span_us = self._span(begin, max(reads)) if begin is not None else None
        return round(span_us / (tokens - 1), 1) if span_us else None

    def _first_read(self, kinds: Iterable[LaneKind]) -> int | None:
        """Return the number of the read that brought the first piece of these kinds of lanes."""
        kinds = tuple(kinds)
        lanes = self.tape.lanes
        firsts = [first for number, first, _ in self.lanes if lanes[number].kind in kinds]
        return self._read_of(min(firsts)) if firsts else None

    def _read_of(self, piece: int) -> int:
        return read_of(self.tape, self.tape.events.byte_end[self.tape.pieces.event[piece]])

    def _span(self, before: int, after: int) -> int | None:
        """Time between two reads, None if either is unknown."""
        start_us, end_us = self.at_us[before], self.at_us[after]
        return end_us - start_us if start_us is not None and end_us is not None else None

    # -- first-times ------------------------------------------------------------------------------

    def _with_firsts(self, timeline: Timeline) -> Timeline:
        if timeline.clock is not Clock.RECORDED or not self.arrivals:
            return timeline
        reasoning = self._at(self._first_read((LaneKind.REASONING,)))
        content = self._at(self._first_read(CONTENT_LANES))
        call = self._at(self._first_read(CALL_LANES))
        tokens = [at for at in (reasoning, content, call) if at is not None]
        return msgspec.structs.replace(
            timeline,
            first_event_us=self._at(self._first_dispatched()),
            first_chunk_us=self._at(self.arrivals[0]),
            first_reasoning_us=reasoning,
            first_content_us=content,
            first_tool_call_us=call,
            first_token_us=min(tokens, default=None),
        )

    def _at(self, read: int | None) -> int | None:
        return None if read is None else self.at_us[read]

    def _first_dispatched(self) -> int:
        """Return the number of the read that completed the first chunk or end marker."""
        events = self.tape.events
        for byte_end, kind in zip(events.byte_end, events.kind, strict=True):
            if kind is EventKind.END_MARK or kind is EventKind.CHUNK or kind is EventKind.ERROR:
                return read_of(self.tape, byte_end)
        return self.arrivals[0]


# -- arrivals -------------------------------------------------------------------------------------


def read_of(tape: Tape, byte_end: int) -> int:
    """Return the number of the read that brought the byte before ``byte_end``."""
    return min(bisect_left(tape.reads.byte_end, byte_end), len(tape.reads.byte_end) - 1)


def reads_of_chunks(tape: Tape) -> list[int]:
    """Numbers of the reads that completed at least one chunk."""
    reads: list[int] = []
    numbered, end = enumerate(tape.reads.byte_end), -1
    for byte_end, kind in zip(tape.events.byte_end, tape.events.kind, strict=True):
        if byte_end > end and (kind is EventKind.CHUNK or kind is EventKind.ERROR):
            for read, end in numbered:
                if end >= byte_end:
                    reads.append(read)
                    break
    return reads


def _reads_of_tail(tape: Tape, chunks: list[int]) -> Iterator[int]:
    """Numbers of the reads after the last chunk's that brought an event without its end: what comes
    before a stream is cut off completes nothing, and the silence before it is the longest of all.
    """
    events = tape.events
    if chunks and events.kind[-1] is EventKind.TAIL:
        first = read_of(tape, events.byte_start[-1] + 1)
        yield from range(max(first, chunks[-1] + 1), len(tape.reads.byte_end))


def silence_before_end(timeline: Timeline) -> int | None:
    """Return the silence after which the transport ended, or the last read came; None if it was no
    longer than a stall is.
    """
    closing_us = timeline.closing_silence_us
    if closing_us is not None and closing_us > max(MIN_STALL_US, timeline.stall_limit_us or 0):
        return closing_us
    last = timeline.stalls[-1] if timeline.stalls else None
    is_last = last is not None and last.read_after == timeline.counts.reads - 1
    return last.end_us - last.start_us if last is not None and is_last else None


def _apart(reads: list[int], at_us: Sequence[int]) -> list[int]:
    """Keep the first read of each moment: reads with equal times are one arrival."""
    moments = [at_us[read] for read in reads]
    if all(map(ne, moments, islice(moments, 1, None))):
        return reads
    later = zip(reads[1:], pairwise(moments), strict=True)
    return [reads[0], *(read for read, (before, at) in later if before != at)]


def most_together(tape: Tape, arrivals: Sequence[int]) -> int:
    """Largest number of chunks in one arrival."""
    kinds, ends, most, start = tape.events.kind, tape.events.byte_end, 0, 0
    for following in [*arrivals[1:], len(tape.reads.byte_end)] if arrivals else []:
        end = bisect_right(ends, tape.reads.byte_end[following - 1])
        brought = kinds[start:end]
        most = max(most, brought.count(EventKind.CHUNK) + brought.count(EventKind.ERROR))
        start = end
    return most


def _runs(reads: list[int], at_us: Moments) -> list[list[int]]:
    """Split the arrivals at unknown times, so that no gap spans one."""
    runs: list[list[int]] = [[]]
    for read in reads:
        if at_us[read] is not None:
            runs[-1].append(read)
        elif runs[-1]:
            runs.append([])
    return runs


def _known_times(tape: Tape) -> tuple[Moments, OddTimes | None]:
    at_us = tape.reads.at_us
    in_order = all(map(le, at_us, islice(at_us, 1, None)))
    if in_order and at_us[0] >= 0 and at_us[-1] <= LATEST_US:
        return at_us, None
    times = _in_order(at_us)
    first = _first_odd(at_us)
    start = tape.reads.byte_end[first - 1] if first else 0
    odd = sum(at is None for at in times)
    return times, OddTimes(reads=odd, first_read=first, byte_start=start)


def _in_order(at_us: Sequence[int]) -> list[int | None]:
    """Keep times that agree with all others: none before is later, none behind is earlier."""
    earliest, least = list[int](), LATEST_US
    for at in reversed(at_us):
        if 0 <= at <= LATEST_US:
            least = min(least, at)
        earliest.append(least)
    times, latest = list[int | None](), 0
    for at, least in zip(at_us, reversed(earliest), strict=True):
        times.append(at if latest <= at <= least else None)
        if 0 <= at <= LATEST_US:
            latest = max(latest, at)
    return times


def _first_odd(at_us: Sequence[int]) -> int:
    before = 0
    for number, at in enumerate(at_us):
        if not before <= at <= LATEST_US:
            return number
        before = at
    return 0


# -- columns --------------------------------------------------------------------------------------


def _counts(tape: Tape, arrivals: Sequence[int] | None, *, streamed: bool) -> StreamCounts:
    """Count reads, events and chunks. ``arrivals`` is None if reads have no times."""
    kinds = tape.events.kind if streamed else []
    chunks, events, comments = kinds.count(EventKind.CHUNK), len(kinds), 0
    if chunks < events:
        comments = kinds.count(EventKind.COMMENT)
        events -= comments + kinds.count(EventKind.IGNORED)
        chunks += kinds.count(EventKind.ERROR)
    arrived = len(arrivals or ())
    return StreamCounts(
        reads=0 if arrivals is None else len(tape.reads.byte_end),
        events=events,
        chunks=chunks,
        comments=comments,
        arrivals=arrived,
        most_together=min(arrived, 1) if arrived == chunks else most_together(tape, arrivals or ()),
    )


def _ends_of_lanes(tape: Tape) -> list[tuple[int, int, int]]:
    """Lane number, first piece and last piece of each lane."""
    lanes, pieces = tape.pieces.lane, len(tape.pieces.lane)
    if len(tape.lanes) == 1:
        return [(0, 0, pieces - 1)] if pieces else []
    last = dict(zip(lanes, range(pieces), strict=True))
    first = dict(zip(reversed(lanes), range(pieces - 1, -1, -1), strict=True))
    return [(lane, first[lane], last[lane]) for lane in sorted(first)]


def _with_ends(timeline: Timeline, at_us: Moments) -> Timeline:
    """Add the arrival of the first and last byte, if times count from the request."""
    if timeline.clock is not Clock.RECORDED:
        return timeline
    return msgspec.structs.replace(timeline, first_byte_us=at_us[0], duration_us=at_us[-1])


# -- sums -----------------------------------------------------------------------------------------


def percentile(ordered: Sequence[int], share: float) -> int:
    """Nearest-rank percentile of an ordered, non-empty sequence; ``share`` is between 0 and 1."""
    rank = max(1, -(-int(share * 100 * len(ordered)) // 100))
    return ordered[min(rank, len(ordered)) - 1]


def stall_limit(ordered: Sequence[int]) -> int | None:
    """Return the length above which a gap is a stall. ``ordered`` are all gaps, shortest first."""
    if not ordered:
        return None
    # The pace is that of the other gaps: one long silence must not hide itself, nor a second one in
    # a stream too short for a 95th percentile other than its maximum. Hence this rank.
    others = len(ordered) - 1
    pace = ordered[(others - 1) * 95 // 100] if others else 0
    return max(MIN_STALL_US, STALL_FACTOR * pace)


def stall_words(limit_us: int) -> str:
    """Describe the limit that a stall exceeded; follows its length in a sentence."""
    if limit_us == MIN_STALL_US:
        return "a stall is longer than 1.0 s and than eight times the p95 of the other gaps"
    return (
        f"longer than {duration_words(limit_us)}, eight times the p95 of this stream's other gaps"
    )


def _summary(ordered: Sequence[int]) -> Gaps | None:
    if not ordered:
        return None
    return Gaps(percentile(ordered, 0.5), percentile(ordered, 0.95), ordered[-1])


def _rate(characters: int, span_us: int) -> float:
    return round(characters * 1_000_000 / span_us, 1)
