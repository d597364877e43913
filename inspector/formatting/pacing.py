"""Facts of a timeline in words and numbers."""

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.analysis import (
    Analysis,
    CreatedTimes,
    LanePace,
    Pacing,
    ProviderClock,
    Stall,
    Timeline,
)
from inspector.core.tape import Lane
from inspector.core.timing.pacing import REBUFFERED
from inspector.core.timing.timeline import stall_words
from inspector.core.wire.exchange import MeasuredBy
from inspector.formatting.humanize import plural, short_time
from inspector.formatting.lanes import LaneTexts

MEASURED_BY_WORDS = {
    MeasuredBy.PROXY: "times measured by the proxy",
    MeasuredBy.CLIENT: "times measured by the client",
    MeasuredBy.SUBMITTED: "times as submitted",
}
MAX_ROWS = 50
"""Lanes and stalls listed; the chart has all."""


@dataclass(frozen=True, slots=True)
class LanePaceRow:
    name: str
    length: int
    span_us: int | None
    rate: float | None


@dataclass(frozen=True, slots=True)
class StallRow:
    stall: Stall
    length_us: int


@dataclass(frozen=True, slots=True)
class PacingDisplay:
    """``pacing_facts`` holds name, value and source of each."""

    word: str
    """Empty where the pacing is unknown."""
    is_rebuffered: bool
    reason: str
    lanes: tuple[LanePaceRow, ...]
    stalls: tuple[StallRow, ...]
    stall_rule: str
    facts: tuple[tuple[str, str, str], ...]
    left_out: str

    @property
    def is_known(self) -> bool:
        """True if anything is known."""
        return bool(self.lanes or self.facts)


@dataclass(frozen=True, slots=True)
class ProviderClocksDisplay:
    """Times the provider states; ``created`` is its clock in whole seconds."""

    clocks: tuple[ProviderClock, ...]
    created: CreatedTimes | None


def pacing_display(analysis: Analysis) -> PacingDisplay:
    times = analysis.timeline
    limit_us, texts = times.stall_limit_us, LaneTexts(analysis)
    left_out = [
        plural(len(all_) - MAX_ROWS, f"more {name}")
        for name, all_ in (("lane", times.lanes), ("stall", times.stalls))
        if len(all_) > MAX_ROWS
    ]
    return PacingDisplay(
        word=pacing_word(times),
        is_rebuffered=times.pacing in REBUFFERED,
        reason=times.pacing_reason,
        lanes=tuple(lane_pace_row(texts, lane) for lane in times.lanes[:MAX_ROWS]),
        stalls=tuple(StallRow(s, s.end_us - s.start_us) for s in times.stalls[:MAX_ROWS]),
        stall_rule=stall_words(limit_us) if limit_us is not None else "",
        facts=tuple(pacing_facts(times)),
        left_out=" and ".join(left_out),
    )


def pacing_word(times: Timeline) -> str:
    """Say how evenly chunks came; what stalled was not steady. Empty where it is unknown."""
    if times.pacing is Pacing.UNKNOWN:
        return ""
    is_interrupted = times.pacing is Pacing.STEADY and times.stalls
    return "interrupted" if is_interrupted else times.pacing.replace("-", " ")


def recording_facts(analysis: Analysis) -> Iterator[str]:
    """Names who measured the times and who closed the connection, as far as that is known."""
    if words := MEASURED_BY_WORDS.get(analysis.measured_by):
        yield words
    closed_after = analysis.timeline.client_closed_after_bytes
    if closed_after is not None:
        yield f"the client closed after {plural(closed_after, 'byte')}"


def lane_pace_row(texts: LaneTexts, pace: LanePace) -> LanePaceRow:
    lane = Lane(pace.choice, pace.kind, pace.tool_call)
    name = f"choice {pace.choice} {texts.name(pace.lane, lane)}"
    return LanePaceRow(name, pace.length_u16, pace.span_us, pace.characters_per_second)


def pacing_facts(times: Timeline) -> Iterator[tuple[str, str, str]]:
    if times.output_token_us is not None:
        how = "derived: first to last token, divided by the output tokens in usage"
        yield "time per output token", f"{times.output_token_us / 1000:,.2f} ms", how
    if times.end_silence_us:
        how = "from the last chunk to the last event"
        yield "silence before the end", short_time(times.end_silence_us), how
    if times.closing_silence_us:
        how = "from the last read until the call ended"
        yield "silence at the close", short_time(times.closing_silence_us), how
    if times.odd_times is not None:
        odd = times.odd_times
        how = f"ignored; the first is read {odd.first_read:,}"
        yield "times that contradict others", plural(odd.reads, "read"), how


def provider_clocks_display(times: Timeline) -> ProviderClocksDisplay | None:
    """Return the display; None without provider times. A constant ``created`` does not count."""
    created = times.created if times.created and times.created.changes else None
    if not times.provider_clocks and created is None:
        return None
    return ProviderClocksDisplay(times.provider_clocks, created)


def provider_clock_lines(times: Timeline) -> Iterator[str]:
    """Yield the provider clocks for the terminal, one per line."""
    for clock in times.provider_clocks:
        aside = f" ({clock.fault})" if clock.fault else ""
        yield f"{clock.name} {clock.value} {clock.unit}{aside}"
    created = times.created
    if created is not None and created.changes:
        span = f"{created.span_seconds} s, changed {plural(created.changes, 'time')}"
        yield f"created {created.first} to {created.last}, {span}"
