"""What the timeline says in words and numbers, beside its drawing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.analysis import Analysis, Created, LanePace, ProviderClock, Stall, Timeline
from inspector.core.pacing import REBUFFERED
from inspector.core.tape import Lane
from inspector.core.timeline import stall_words
from inspector.dashboard.drawing import lane_name
from inspector.dashboard.templatetags.formats import milliseconds, plural

MOST_ROWS = 50
"""Lanes and stalls that are listed; the drawing and the table hold all."""


@dataclass(frozen=True, slots=True)
class LaneRow:
    name: str
    length: int
    span_us: int | None
    rate: float | None


@dataclass(frozen=True, slots=True)
class StallRow:
    stall: Stall
    length_us: int


@dataclass(frozen=True, slots=True)
class ShownPace:
    """``facts`` are names, values and how each is known."""

    is_rebuffered: bool
    reason: str
    lanes: tuple[LaneRow, ...]
    stalls: tuple[StallRow, ...]
    stall_rule: str
    facts: tuple[tuple[str, str, str], ...]
    left_out: str

    @property
    def is_told(self) -> bool:
        """Something beyond that nothing is known."""
        return bool(self.lanes or self.facts)


@dataclass(frozen=True, slots=True)
class ShownClocks:
    """Times that the provider states; ``created`` is its clock of whole seconds."""

    clocks: tuple[ProviderClock, ...]
    created: Created | None


def shown_pace(analysis: Analysis) -> ShownPace:
    times = analysis.timeline
    limit_us = times.stall_limit_us
    left_out = [
        plural(len(all_) - MOST_ROWS, f"more {name}")
        for name, all_ in (("lane", times.lanes), ("stall", times.stalls))
        if len(all_) > MOST_ROWS
    ]
    return ShownPace(
        is_rebuffered=times.pacing in REBUFFERED,
        reason=times.pacing_reason,
        lanes=tuple(lane_row(analysis, lane) for lane in times.lanes[:MOST_ROWS]),
        stalls=tuple(StallRow(s, s.end_us - s.start_us) for s in times.stalls[:MOST_ROWS]),
        stall_rule=stall_words(limit_us) if limit_us is not None else "",
        facts=tuple(facts(times)),
        left_out=" and ".join(left_out),
    )


def lane_row(analysis: Analysis, pace: LanePace) -> LaneRow:
    lane = Lane(pace.choice, pace.kind, pace.tool_call)
    name = f"choice {pace.choice} {lane_name(analysis, lane)}"
    return LaneRow(name, pace.length_u16, pace.span_us, pace.characters_per_second)


def facts(times: Timeline) -> Iterator[tuple[str, str, str]]:
    if times.output_token_us is not None:
        how = "derived: first to last token, divided by the output tokens in usage"
        yield "time per output token", f"{times.output_token_us / 1000:,.2f} ms", how
    if times.end_silence_us:
        how = "from the last chunk to the end marker"
        yield "silence before the end", milliseconds(times.end_silence_us), how
    if times.odd_times is not None:
        odd = times.odd_times
        how = f"ignored; the first is read {odd.first_read:,}"
        yield "times that contradict others", plural(odd.reads, "read"), how


def shown_clocks(times: Timeline) -> ShownClocks | None:
    """None where the provider states no time; one ``created`` for all chunks says nothing."""
    created = times.created if times.created and times.created.changes else None
    if not times.provider_clocks and created is None:
        return None
    return ShownClocks(times.provider_clocks, created)


def clock_words(times: Timeline) -> Iterator[str]:
    """The same for a terminal, a clock a line."""
    for clock in times.provider_clocks:
        aside = f" ({clock.fault})" if clock.fault else ""
        yield f"{clock.name} {clock.value} {clock.unit}{aside}"
    created = times.created
    if created is not None and created.changes:
        span = f"{created.span_seconds} s, changed {plural(created.changes, 'time')}"
        yield f"created {created.first} to {created.last}, {span}"
