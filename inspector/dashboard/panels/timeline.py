"""When the bytes came: lanes over time, and the same values as a table."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import islice

from inspector.core.analysis import Analysis, Timeline
from inspector.core.exchange import Clock
from inspector.core.tape import EventKind, Tape
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.drawing import First, firsts, lane_name
from inspector.dashboard.pace import ShownClocks, ShownPace, shown_clocks, shown_pace
from inspector.dashboard.panel import Drawn, Panel
from inspector.dashboard.panels import unread
from inspector.dashboard.provenance import Provenance
from inspector.dashboard.why_empty import EVENTS, STREAM, why_empty

TABLE_ROWS = 200

CLOCK_WORDS = {
    Clock.RECORDED: "counted from the request",
    Clock.PARTIAL: "counted from the first read",
    Clock.NONE: "none",
}
CLOCK_SENTENCES = {
    Clock.RECORDED: "",
    Clock.PARTIAL: "The request time was not recorded: only gaps are known, not first times.",
    Clock.NONE: "No arrival times were recorded. Events are shown in order.",
}


@dataclass(frozen=True, slots=True)
class TableRow:
    number: int
    kind: str
    at_us: int | None
    gap_us: int | None
    together: bool
    """Arrived in the same read as the event before it: there is no gap to know."""
    arrived: int
    """How many events the read brought that brought this one first; 0 for the others."""
    read: int | None
    byte_start: int
    byte_length: int
    texts: tuple[tuple[str, int], ...]
    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TimelineTable:
    rows: tuple[TableRow, ...]
    start: int
    total: int

    @property
    def following(self) -> int | None:
        end = self.start + len(self.rows)
        return end if end < self.total else None


@dataclass(frozen=True, slots=True)
class ShownTimeline:
    times: Timeline
    clock_words: str
    clock_sentence: str
    firsts: tuple[First, ...]
    together: int
    """How many events arrived in the same read as the one before them."""
    table: TimelineTable | None
    pace: ShownPace
    clocks: ShownClocks | None
    why_undrawn: str = ""
    """In place of the drawing, where only the provider's own times are known."""


def draw(view: CaptureView) -> Drawn:
    if view.analysis is None:
        return Drawn(why_empty=unread(view))
    if view.provenance is None:
        return without_events(view, view.analysis)
    as_table = view.asked.get("timeline") == "table"
    content = shown_timeline(view.analysis, view.provenance, as_table)
    stalls = bool(view.analysis.timeline.stalls)
    events = len(view.provenance.tape.events.kind)
    return Drawn(f"{events:,}", content, tone="warning" if stalls else "")


def without_events(view: CaptureView, analysis: Analysis) -> Drawn:
    """There is nothing to draw; the provider may state times all the same."""
    clocks = shown_clocks(analysis.timeline)
    why = why_empty(view, EVENTS if analysis.streamed else STREAM).sentence
    if clocks is None:
        return Drawn(why_empty=why)
    content = ShownTimeline(
        times=analysis.timeline,
        clock_words=CLOCK_WORDS[analysis.timeline.clock],
        clock_sentence="",
        firsts=(),
        together=0,
        table=None,
        pace=shown_pace(analysis),
        clocks=clocks,
        why_undrawn=why,
    )
    return Drawn("", content)


def shown_timeline(analysis: Analysis, provenance: Provenance, as_table: bool) -> ShownTimeline:
    tape, times = provenance.tape, analysis.timeline
    return ShownTimeline(
        times=times,
        clock_words=CLOCK_WORDS[tape.clock],
        clock_sentence=CLOCK_SENTENCES[tape.clock],
        firsts=firsts(times),
        together=together(provenance),
        table=table_of(analysis, provenance, 0) if as_table else None,
        pace=shown_pace(analysis),
        clocks=shown_clocks(times),
    )


def together(provenance: Provenance) -> int:
    if not provenance.tape.reads.at_us:
        return 0
    reads = [provenance.read_of(event) for event in range(len(provenance.tape.events.kind))]
    return sum(a == b for a, b in zip(reads, islice(reads, 1, None), strict=False))


def table_of(analysis: Analysis, provenance: Provenance, start: int) -> TimelineTable:
    total = len(provenance.tape.events.kind)
    start = min(max(start, 0), total)
    texts, marks = given_by_event(analysis, provenance.tape)
    rows = tuple(
        table_row(provenance, event, texts.get(event, ()), marks.get(event, ()))
        for event in range(start, min(start + TABLE_ROWS, total))
    )
    return TimelineTable(rows, start, total)


def given_by_event(
    analysis: Analysis, tape: Tape
) -> tuple[dict[int, tuple[tuple[str, int], ...]], dict[int, tuple[str, ...]]]:
    """What each event gave: characters to lanes, and marks."""
    names = [f"choice {lane.choice} {lane_name(analysis, lane)}" for lane in tape.lanes]
    texts: dict[int, tuple[tuple[str, int], ...]] = {}
    for event, lane, length in zip(
        tape.pieces.event, tape.pieces.lane, tape.pieces.length_u16, strict=True
    ):
        texts[event] = (*texts.get(event, ()), (names[lane], length))
    marks: dict[int, tuple[str, ...]] = {}
    for event, kind in zip(tape.marks.event, tape.marks.kind, strict=True):
        marks[event] = (*marks.get(event, ()), str(kind))
    return texts, marks


def arrived(tape: Tape, event: int, read: int) -> int:
    """How many events a read completed, of which this is the first."""
    return bisect_right(tape.events.byte_end, tape.reads.byte_end[read], lo=event) - event


def table_row(
    provenance: Provenance,
    event: int,
    texts: tuple[tuple[str, int], ...],
    marks: tuple[str, ...],
) -> TableRow:
    columns = provenance.tape.events
    at_us = provenance.at_us(event)
    read = provenance.read_of(event) if at_us is not None else None
    same = event > 0 and read is not None and provenance.read_of(event - 1) == read
    before = provenance.at_us(event - 1) if event else None
    return TableRow(
        number=event,
        kind=str(EventKind(columns.kind[event])),
        at_us=at_us,
        gap_us=None if at_us is None or before is None or same else at_us - before,
        together=same,
        arrived=0 if same or read is None else arrived(provenance.tape, event, read),
        read=read,
        byte_start=columns.byte_start[event],
        byte_length=columns.byte_end[event] - columns.byte_start[event],
        texts=texts,
        marks=marks,
    )


PANEL = Panel(position=20, slug="timeline", title="Timeline", draw=draw, reads_all=True)
