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
from inspector.core.timeline import stall_words

LATE_US = 1_000_000
LATE_FACTOR = 2
MAX_TOLD = 5
SLACK_US = 10_000
"""Rounding of either clock."""


@rule("timing.stall", Severity.WARNING, when=Trait.TIMES)
def stall(facts: Facts) -> Iterator[Remark]:
    """The stream stood still far longer than at its own pace, after its first token.
    Whoever reads along; clients whose time-out is shorter.
    """
    timeline = facts.timeline
    if timeline.stalls and timeline.stall_limit_us is not None:
        longest = max(timeline.stalls, key=lambda stall: stall.end_us - stall.start_us)
        count = len(timeline.stalls)
        others = f" and stood still {count - 1:,} more times" if count > 1 else ""
        silence = in_words(longest.end_us - longest.start_us)
        rule_words = stall_words(timeline.stall_limit_us)
        message = f"No chunk came for {silence}{others}: {rule_words}."
        yield message, Where(event=longest.event_after)


@rule("timing.held-back", Severity.WARNING, at_end=True, when=Trait.TIMES)
def held_back(facts: Facts) -> Iterator[Remark]:
    """The chunks of a stream came gathered in few arrivals.
    Whoever reads along, and whoever measures the model: something on the way buffers.
    """
    if facts.timeline.pacing is Pacing.HELD_BACK:
        yield facts.timeline.pacing_reason, Where()


@rule("timing.single-read", Severity.WARNING, at_end=True, when=Trait.TIMES)
def single_read(facts: Facts) -> Iterator[Remark]:
    """All chunks of a stream came in one read.
    Whoever reads along, and whoever measures the model: something on the way buffers.
    """
    if facts.timeline.pacing is Pacing.SINGLE_READ:
        yield facts.timeline.pacing_reason, Where()


@rule("timing.clock-went-back", Severity.WARNING, when=Trait.TIMES)
def clock_went_back(facts: Facts) -> Iterator[Remark]:
    """The times of reads go back, are negative, or lie centuries ahead.
    Whoever measures: nothing is derived from such times.
    """
    odd = facts.timeline.odd_times
    if odd is not None:
        reads = "1 read contradicts" if odd.reads == 1 else f"{odd.reads:,} reads contradict"
        message = f"The recorded times of {reads} others, from read {odd.first_read:,} on."
        yield message, Where(byte_start=odd.byte_start, byte_end=odd.byte_start + 1)


@rule("timing.provider-clock-out-of-range", Severity.WARNING)
def provider_clock_out_of_range(facts: Facts) -> Iterator[Remark]:
    """A time or speed that the provider states is none: negative, no number, longer than a day.
    Whoever adds up or charts what the provider states.
    """
    wrong = [clock for clock in facts.timeline.provider_clocks if clock.fault]
    for clock in wrong[:MAX_TOLD]:
        yield f"{clock.name} is {clock.value}: {clock.fault}.", _at(clock)
    if len(wrong) > MAX_TOLD:
        more = len(wrong) - MAX_TOLD
        yield f"{more:,} more such values, this is the last.", _at(wrong[-1])


@rule("timing.provider-took-longer", Severity.INFO, when=Trait.TIMES)
def provider_took_longer(facts: Facts) -> Iterator[Remark]:
    """The provider states a longer time for the answer than was recorded from request to end.
    Whoever compares them: one of both counts something else.
    """
    duration_us = facts.timeline.duration_us
    for clock in facts.timeline.provider_clocks:
        if duration_us is None or clock.seconds is None or clock.name not in TOTALS:
            continue
        if Decimal(clock.seconds) * 1_000_000 > duration_us + SLACK_US:
            stated = f"{clock.name} is {clock.value} {clock.unit}"
            yield f"{stated}, recorded were {in_words(duration_us)}.", _at(clock)
            return


@rule("timing.late-first-token", Severity.INFO, when=Trait.TIMES)
def late_first_token(facts: Facts) -> Iterator[Remark]:
    """The first token came much later than the first byte.
    Whoever takes the first byte for the first token.
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
        yield f"The first token came {late} after the first byte: {before} came before.", Where()


@rule("timing.silence-before-end", Severity.INFO, when=Trait.TIMES)
def silence_before_end(facts: Facts) -> Iterator[Remark]:
    """The end mark came long after the last chunk.
    Clients that wait for it, and whoever takes the duration for that of the answer.
    """
    silence_us, limit_us = facts.timeline.end_silence_us, facts.timeline.stall_limit_us or 0
    if silence_us is not None and silence_us > max(LATE_US, limit_us):
        yield f"The end mark came {in_words(silence_us)} after the last chunk.", Where()


def _at(clock: ProviderClock) -> Where:
    return Where(pointer=clock.pointer, event=clock.event)
