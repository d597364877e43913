"""Timeline panel: lanes over time, and the same values as a table."""

import json
from bisect import bisect_right
from dataclasses import dataclass
from itertools import islice

from inspector.core.analysis import Analysis, Timeline
from inspector.core.tape import EventKind, Tape
from inspector.core.wire.exchange import Clock, MeasuredBy
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.panel_body import Panel, PanelBody, unread_reason
from inspector.dashboard.capture.page.provenance import Provenance
from inspector.dashboard.capture.page.why_empty import EVENTS, STREAM, why_empty
from inspector.dashboard.capture.timeline.timeline_data import FirstTime, first_times
from inspector.formatting.lanes import LaneTexts
from inspector.formatting.pacing import (
    PacingDisplay,
    ProviderClocksDisplay,
    pacing_display,
    provider_clocks_display,
    recording_facts,
)

TABLE_ROWS = 200
"""Events of one page of the table; the drawing has all."""

CLOCK_SENTENCES = {
    Clock.RECORDED: "",
    Clock.PARTIAL: "The request time was not recorded: only gaps are known, not first times.",
    Clock.NONE: "No arrival times were recorded. Events are shown in order.",
}
NOT_KEPT = "This response is too large for its events to be kept; the raw bytes have them."
TIMED_ENVELOPE = {
    "response": {
        "status": 200,
        "headers": [["content-type", "text/event-stream"]],
        "reads": [
            {"at_us": 655204, "data": 'data: {"choices":[…]}\n\n'},
            {"at_us": 696622, "data": "data: [DONE]\n\n"},
        ],
    },
    "request": {"method": "POST", "url": "https://…", "headers": [], "body": "{…}"},
    "measured_by": "client",
}
"""An exchange envelope with arrival times, as an example."""


@dataclass(frozen=True, slots=True)
class TimelineRow:
    number: int
    kind: str
    at_us: int | None
    gap_us: int | None
    together: bool
    """True if it arrived in the same read as the previous event, so that no gap can be measured."""
    arrived: int
    """For the first event of a read, the number of events in the read; 0 for the others."""
    read: int | None
    byte_start: int
    byte_length: int
    texts: tuple[tuple[str, int], ...]
    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TimelineTableDisplay:
    rows: tuple[TimelineRow, ...]
    start: int
    total: int

    @property
    def following(self) -> int | None:
        end = self.start + len(self.rows)
        return end if end < self.total else None


@dataclass(frozen=True, slots=True)
class TimelineDisplay:
    times: Timeline
    clock_sentence: str
    recorded: tuple[str, ...]
    """Who measured the times, and who closed the connection, as far as that is known."""
    firsts: tuple[FirstTime, ...]
    together: int
    """Number of events that arrived in the same read as the previous one."""
    table: TimelineTableDisplay | None
    pace: PacingDisplay
    clocks: ProviderClocksDisplay | None
    why_undrawn: str = ""
    """Replaces the chart if only the provider's own times are known."""


def draw(view: CaptureView) -> PanelBody:
    if view.analysis is None:
        return PanelBody(why_empty=unread_reason(view))
    if view.provenance is None:
        return without_events(view, view.analysis)
    as_table = view.query_params.get("timeline") == "table"
    content = timeline_display(view.analysis, view.provenance, as_table)
    stalls = bool(view.analysis.timeline.stalls)
    events = len(view.provenance.tape.events.kind)
    tone = "warning" if stalls else ""
    return PanelBody(f"{events:,}", content, example=recording_example(view.analysis), tone=tone)


def timed_envelope_example() -> str:
    return json.dumps(TIMED_ENVELOPE, ensure_ascii=False, indent=2)


def recording_example(analysis: Analysis) -> str:
    """Return an envelope with times, for a response whose times from the request on were not
    recorded.
    """
    is_recorded = analysis.timeline.clock == Clock.RECORDED
    is_by_proxy = analysis.measured_by is MeasuredBy.PROXY
    return "" if is_recorded or is_by_proxy else timed_envelope_example()


def without_events(view: CaptureView, analysis: Analysis) -> PanelBody:
    """Return the panel of a body without events, or of a stream whose tape is not kept."""
    counts = analysis.timeline.counts
    count = counts.events + counts.comments
    if count and analysis.streamed and view.tape is None:
        return PanelBody(f"{count:,}", why_empty=NOT_KEPT)
    clocks = provider_clocks_display(analysis.timeline)
    why = why_empty(view, EVENTS if analysis.streamed else STREAM).sentence
    recorded = tuple(recording_facts(analysis))
    if clocks is None and not recorded:
        return PanelBody(why_empty=why, example=recording_example(analysis))
    content = TimelineDisplay(
        times=analysis.timeline,
        clock_sentence="",
        recorded=recorded,
        firsts=(),
        together=0,
        table=None,
        pace=pacing_display(analysis),
        clocks=clocks,
        why_undrawn=why,
    )
    # One answer at once is told by the key figures; a clock of the provider's own is not.
    quiet = "" if clocks else why
    return PanelBody("", content, why_empty=quiet, example=recording_example(analysis))


def timeline_display(analysis: Analysis, provenance: Provenance, as_table: bool) -> TimelineDisplay:
    tape, times = provenance.tape, analysis.timeline
    return TimelineDisplay(
        times=times,
        clock_sentence=CLOCK_SENTENCES[tape.clock],
        recorded=tuple(recording_facts(analysis)),
        firsts=first_times(times),
        together=count_together(provenance),
        table=timeline_table(analysis, provenance, 0) if as_table else None,
        pace=pacing_display(analysis),
        clocks=provider_clocks_display(times),
    )


def count_together(provenance: Provenance) -> int:
    if not provenance.tape.reads.at_us:
        return 0
    reads = [provenance.read_of(event) for event in range(len(provenance.tape.events.kind))]
    return sum(a == b for a, b in zip(reads, islice(reads, 1, None), strict=False))


def timeline_table(analysis: Analysis, provenance: Provenance, start: int) -> TimelineTableDisplay:
    total = len(provenance.tape.events.kind)
    start = min(max(start, 0), total)
    texts, marks = gains_by_event(analysis, provenance.tape)
    rows = tuple(
        timeline_row(provenance, event, texts.get(event, ()), marks.get(event, ()))
        for event in range(start, min(start + TABLE_ROWS, total))
    )
    return TimelineTableDisplay(rows, start, total)


def gains_by_event(
    analysis: Analysis, tape: Tape
) -> tuple[dict[int, tuple[tuple[str, int], ...]], dict[int, tuple[str, ...]]]:
    """Characters and marks that each event added, by lane."""
    lanes = LaneTexts(analysis)
    names = [f"choice {lane.choice} {lanes.name(n, lane)}" for n, lane in enumerate(tape.lanes)]
    texts: dict[int, tuple[tuple[str, int], ...]] = {}
    for event, lane, length in zip(
        tape.pieces.event, tape.pieces.lane, tape.pieces.length_u16, strict=True
    ):
        texts[event] = (*texts.get(event, ()), (names[lane], length))
    marks: dict[int, tuple[str, ...]] = {}
    for event, kind in zip(tape.marks.event, tape.marks.kind, strict=True):
        marks[event] = (*marks.get(event, ()), str(kind))
    return texts, marks


def events_completed_by_read(tape: Tape, event: int, read: int) -> int:
    """Return the number of events a read completed, of which this is the first."""
    return bisect_right(tape.events.byte_end, tape.reads.byte_end[read], lo=event) - event


def timeline_row(
    provenance: Provenance, event: int, texts: tuple[tuple[str, int], ...], marks: tuple[str, ...]
) -> TimelineRow:
    columns = provenance.tape.events
    at_us = provenance.at_us(event)
    read = provenance.read_of(event) if at_us is not None else None
    same = event > 0 and read is not None and provenance.read_of(event - 1) == read
    before = provenance.at_us(event - 1) if event else None
    return TimelineRow(
        number=event,
        kind=str(EventKind(columns.kind[event])),
        at_us=at_us,
        gap_us=None if at_us is None or before is None or same else at_us - before,
        together=same,
        arrived=0
        if same or read is None
        else events_completed_by_read(provenance.tape, event, read),
        read=read,
        byte_start=columns.byte_start[event],
        byte_length=columns.byte_end[event] - columns.byte_start[event],
        texts=texts,
        marks=marks,
    )


PANEL = Panel(position=20, slug="timeline", title="Timeline", draw=draw)
