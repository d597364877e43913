"""The times of a document: a row of bars for each lane, and the figures beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.analysis import Analysis, Timeline
from inspector.core.tape import Lane, LaneKind, Tape
from inspector.core.wire.exchange import Clock
from inspector.formatting.humanize import milliseconds, plain_seconds, plural, seconds
from inspector.formatting.lanes import LaneTexts
from inspector.sharing.document.answer import lane_spans
from inspector.sharing.document.withheld import TextRoom

MAX_LANES = 24
BARS = 160
"""Columns of a row, each as wide as the next."""
HEIGHT = 16.0
MAX_STALLS = 20
CLOCK_WORDS = {
    Clock.RECORDED: "counted from the request",
    Clock.PARTIAL: "counted from the first read",
    Clock.NONE: "no arrival times were recorded",
}
KINDS = {
    LaneKind.REASONING: "reasoning",
    LaneKind.TOOL_CALL: "tool",
    LaneKind.FUNCTION_CALL: "tool",
    LaneKind.HOSTED: "usage",
}


@dataclass(frozen=True, slots=True)
class LaneBar:
    """One bar in units of the drawing: ``BARS`` wide, ``HEIGHT`` high."""

    x: int
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class LaneRow:
    name: str
    kind: str
    characters: int
    span: str
    bars: tuple[LaneBar, ...]


@dataclass(frozen=True, slots=True)
class DocumentTiming:
    clock: str
    facts: tuple[tuple[str, str], ...]
    lanes: tuple[LaneRow, ...]
    more_lanes: int
    stalls: tuple[str, ...]
    more_stalls: int


def document_timing(analysis: Analysis, tape: Tape, room: TextRoom) -> DocumentTiming | None:
    """None for a body that is no stream."""
    if not analysis.streamed:
        return None
    times = analysis.timeline
    stalls = times.stalls[:MAX_STALLS]
    return DocumentTiming(
        clock=CLOCK_WORDS[times.clock],
        facts=tuple(timing_facts(times)),
        lanes=tuple(lane_rows(analysis, tape, room)),
        more_lanes=max(len(tape.lanes) - MAX_LANES, 0),
        stalls=tuple(
            f"{plain_seconds(each.start_us)} to {plain_seconds(each.end_us)} s" for each in stalls
        ),
        more_stalls=len(times.stalls) - len(stalls),
    )


def timing_facts(times: Timeline) -> Iterator[tuple[str, str]]:
    counts = times.counts
    reads = f" in {plural(counts.reads, 'read')}" if counts.reads else ""
    yield "events", f"{counts.events:,}{reads}"
    firsts = (
        ("first byte", times.first_byte_us),
        ("first reasoning", times.first_reasoning_us),
        ("first content", times.first_content_us),
        ("first tool call", times.first_tool_call_us),
        ("duration", times.duration_us),
    )
    yield from ((name, seconds(at_us)) for name, at_us in firsts if at_us is not None)
    if times.gaps_us is not None:
        yield "gap, median", milliseconds(times.gaps_us.p50)
        yield "gap, 95th percentile", milliseconds(times.gaps_us.p95)
        yield "longest gap", milliseconds(times.gaps_us.max)


def lane_rows(analysis: Analysis, tape: Tape, room: TextRoom) -> Iterator[LaneRow]:
    names, spans, lengths = LaneTexts(analysis), lane_spans(tape), lane_lengths(tape)
    end_us = max((last for _, last in spans.values()), default=0)
    bars = lane_bars(tape, max(analysis.timeline.duration_us or 0, end_us))
    for number, lane in enumerate(tape.lanes[:MAX_LANES]):
        span = spans.get(number)
        yield LaneRow(
            name=lane_name(names, number, lane, room),
            kind=KINDS.get(lane.kind, "content"),
            characters=lengths.get(number, 0),
            span=f"{plain_seconds(span[0])} to {plain_seconds(span[1])} s" if span else "",
            bars=bars.get(number, ()),
        )


def lane_name(names: LaneTexts, number: int, lane: Lane, room: TextRoom) -> str:
    """With the name of a tool, unless texts are withheld."""
    kind = lane.kind.replace("-", " ")
    name = kind if room.is_withheld else room.word(names.name(number, lane))
    return f"choice {lane.choice} {name}"


def lane_lengths(tape: Tape) -> dict[int, int]:
    """UTF-16 units that each lane received."""
    lengths: dict[int, int] = {}
    for lane, length in zip(tape.pieces.lane, tape.pieces.length_u16, strict=True):
        lengths[lane] = lengths.get(lane, 0) + length
    return lengths


def lane_bars(tape: Tape, end_us: int) -> dict[int, tuple[LaneBar, ...]]:
    """Characters by moment, for each lane; the highest bar of a lane is as high as the row."""
    sums: dict[int, dict[int, int]] = {}
    for event, lane, length in zip(
        tape.pieces.event, tape.pieces.lane, tape.pieces.length_u16, strict=True
    ):
        at_us = tape.arrival_us(event)
        if at_us is None or lane >= MAX_LANES:
            continue
        x = min(max(at_us, 0) * BARS // end_us, BARS - 1) if end_us > 0 else 0
        columns = sums.setdefault(lane, {})
        columns[x] = columns.get(x, 0) + length
    return {lane: tuple(scaled_bars(columns)) for lane, columns in sums.items()}


def scaled_bars(columns: dict[int, int]) -> Iterator[LaneBar]:
    most = max(columns.values()) or 1
    for x, length in sorted(columns.items()):
        height = max(round(HEIGHT * length / most, 1), 1.0)
        yield LaneBar(x, round(HEIGHT - height, 1), height)
