"""What the recorded times say of the stream, and the provider's own against them.

Without recorded times nothing here is said of them; no time makes a response wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from inspector.core.analysis import Pacing, ProviderClock
from inspector.core.durations import in_words
from inspector.core.facts import Facts, Trait
from inspector.core.findings import Severity, Where
from inspector.core.provider_clocks import TOTALS
from inspector.core.rules.rule import Remark, rule
from inspector.core.tape import EventKind

LATE_US = 1_000_000
LATE_FACTOR = 2
MAX_TOLD = 5
SLACK_US = 10_000
"""Rounding of either clock."""


@rule("timing.stall", Severity.WARNING, when=Trait.TIMES)
def stall(facts: Facts) -> Iterator[Remark]:
    """A pause over 1.0 s and over eight times the p95 of the other gaps, after the first token.
    Live readers see a pause; clients with a shorter timeout give up.
    """
    timeline = facts.timeline
    if timeline.stalls and timeline.stall_limit_us is not None:
        longest = max(timeline.stalls, key=lambda stall: stall.end_us - stall.start_us)
        count = len(timeline.stalls)
        pause = f"{(longest.end_us - longest.start_us) / 1_000_000:,.2f} s"
        before = facts.events.kind[: longest.event_after]
        chunk = sum(1 for kind in before if kind == EventKind.CHUNK)
        others = {1: "", 2: "; one more stall is shorter"}
        more = others.get(count, f"; {count - 1:,} more stalls are shorter")
        yield f"Stalled for {pause} after chunk {chunk:,}{more}.", Where(event=longest.event_after)


@rule("timing.held-back", Severity.WARNING, at_end=True, when=Trait.TIMES)
def held_back(facts: Facts) -> Iterator[Remark]:
    """The chunks of a stream arrived batched, in a few reads.
    Live readers see bursts; measured speeds are not the model's. Something on the way buffers.
    """
    if facts.timeline.pacing is Pacing.HELD_BACK:
        yield facts.timeline.pacing_reason, Where()


@rule("timing.single-read", Severity.WARNING, at_end=True, when=Trait.TIMES)
def single_read(facts: Facts) -> Iterator[Remark]:
    """All chunks of a stream arrived in one read.
    Live readers wait for everything; no speed can be measured. Something on the way buffers.
    """
    if facts.timeline.pacing is Pacing.SINGLE_READ:
        yield facts.timeline.pacing_reason, Where()


@rule("timing.clock-went-back", Severity.WARNING, when=Trait.TIMES)
def clock_went_back(facts: Facts) -> Iterator[Remark]:
    """Recorded times go backwards, are negative, or lie centuries ahead.
    Nothing can be measured with such times.
    """
    odd = facts.timeline.odd_times
    if odd is not None:
        reads = "1 read contradicts" if odd.reads == 1 else f"{odd.reads:,} reads contradict"
        message = f"The recorded times of {reads} others, from read {odd.first_read:,} on."
        yield message, Where(byte_start=odd.byte_start, byte_end=odd.byte_start + 1)


@rule("timing.provider-clock-out-of-range", Severity.WARNING)
def provider_clock_out_of_range(facts: Facts) -> Iterator[Remark]:
    """A time or speed the provider states is negative, not a number, or longer than a day.
    Sums and charts of such values are wrong.
    """
    wrong = [clock for clock in facts.timeline.provider_clocks if clock.fault]
    for clock in wrong[:MAX_TOLD]:
        yield f"{clock.name} is {clock.value}: {clock.fault}.", _at(clock)
    if len(wrong) > MAX_TOLD:
        more = len(wrong) - MAX_TOLD
        yield f"{more:,} more such values; this is the last.", _at(wrong[-1])


@rule("timing.provider-took-longer", Severity.INFO, when=Trait.TIMES)
def provider_took_longer(facts: Facts) -> Iterator[Remark]:
    """The provider states a longer time for the answer than was recorded from request to end.
    The two times measure different things and cannot be compared.
    """
    duration_us = facts.timeline.duration_us
    for clock in facts.timeline.provider_clocks:
        if duration_us is None or clock.seconds is None or clock.name not in TOTALS:
            continue
        if Decimal(clock.seconds) * 1_000_000 > duration_us + SLACK_US:
            stated = f"{clock.name} is {clock.value} {clock.unit}"
            yield f"{stated}, but {in_words(duration_us)} were recorded.", _at(clock)
            return


@rule("timing.late-first-token", Severity.INFO, when=Trait.TIMES)
def late_first_token(facts: Facts) -> Iterator[Remark]:
    """The first token came much later than the first byte.
    Monitoring that takes the first byte for the first token reports too short a time.
    """
    timeline = facts.timeline
    byte_us, chunk_us = timeline.first_byte_us, timeline.first_chunk_us
    token_us = timeline.first_token_us
    if byte_us is None or token_us is None:
        return
    if token_us - byte_us >= LATE_US and token_us >= LATE_FACTOR * byte_us:
        is_chunk = chunk_us is not None and chunk_us < token_us
        before = "a chunk without text" if is_chunk else "comments"
        if is_chunk and timeline.counts.comments:
            before = "a chunk without text and comments"
        late = in_words(token_us - byte_us)
        yield f"The first token came {late} after the first byte; {before} came first.", Where()


@rule("timing.silence-before-end", Severity.INFO, when=Trait.TIMES)
def silence_before_end(facts: Facts) -> Iterator[Remark]:
    """The end marker came long after the last chunk.
    Clients that wait for it finish late; the duration is longer than the answer took.
    """
    silence_us, limit_us = facts.timeline.end_silence_us, facts.timeline.stall_limit_us or 0
    if silence_us is not None and silence_us > max(LATE_US, limit_us):
        yield f"The end marker came {in_words(silence_us)} after the last chunk.", Where()


def _at(clock: ProviderClock) -> Where:
    return Where(pointer=clock.pointer, event=clock.event)
