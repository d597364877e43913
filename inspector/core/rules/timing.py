"""Rules about recorded times, and about the provider's own times compared with them.

Without recorded times they find nothing. No time makes a response wrong.
"""

from collections.abc import Iterator
from decimal import Decimal

from inspector.core.analysis import Pacing, ProviderClock
from inspector.core.findings import Severity, Where, duration_words
from inspector.core.rule_context import RuleContext
from inspector.core.rules.rule import FILTER_RESULTS, Remark, rule
from inspector.core.rules.traits import Trait
from inspector.core.timing.provider_clocks import TOTALS

LATE_US = 1_000_000
"""A second, as of a stall (`timing.timeline`)."""
LATE_FACTOR = 2
"""Where the first byte took long, a second more is none to speak of."""
MAX_LISTED_CLOCKS = 5
"""It is one sentence; the timing panel has all of them."""
SLACK_US = 10_000
"""Allowance for rounding in either clock."""


@rule("timing.stall", Severity.WARNING, when=Trait.TIMES)
def stall(context: RuleContext) -> Iterator[Remark]:
    """A pause over 1.0 s and over eight times the p95 of the other gaps, after the first token.
    Live readers see a pause; clients with a shorter timeout give up.
    """
    timeline = context.timeline
    if timeline.stalls and timeline.stall_limit_us is not None:
        longest = max(timeline.stalls, key=lambda stall: stall.end_us - stall.start_us)
        count = len(timeline.stalls)
        pause = f"{(longest.end_us - longest.start_us) / 1_000_000:,.2f} s"
        where = Where(event=longest.event_after)
        others = {1: "", 2: "; one more stall is shorter"}
        more = others.get(count, f"; {count - 1:,} more stalls are shorter")
        yield f"Stalled for {pause} before event #{longest.event_after:,}{more}.", where


@rule("timing.held-back", Severity.WARNING, at_end=True, when=Trait.TIMES)
def held_back(context: RuleContext) -> Iterator[Remark]:
    """The chunks of a stream arrived batched, in a few reads.
    Live readers see bursts; measured speeds are not the model's. Something on the way buffers.
    """
    if context.timeline.pacing is Pacing.HELD_BACK:
        yield context.timeline.pacing_reason, Where()


@rule("timing.filter-blocks", Severity.INFO, at_end=True, when=Trait.TIMES)
def filter_blocks(context: RuleContext) -> Iterator[Remark]:
    """The chunks arrived in blocks, and a content filter judged the text.
    Live readers see bursts; a filter beside the stream (Azure's asynchronous one) has none.
    """
    judged = [choice for choice in context.choices if FILTER_RESULTS in choice.extras]
    if context.timeline.pacing in (Pacing.BURSTS, Pacing.HELD_BACK) and judged:
        where = Where(pointer=f"{context.pointer_of(judged[0].index)}{FILTER_RESULTS}")
        held = "the content filter may hold text until it has judged it"
        yield f"The chunks came in blocks: {held}.", where


@rule("timing.single-read", Severity.WARNING, at_end=True, when=Trait.TIMES)
def single_read(context: RuleContext) -> Iterator[Remark]:
    """All chunks of a stream arrived in one read.
    Live readers wait for everything; no speed can be measured. Something on the way buffers.
    """
    if context.timeline.pacing is Pacing.SINGLE_READ:
        yield context.timeline.pacing_reason, Where()


@rule("timing.clock-went-back", Severity.WARNING, when=Trait.TIMES)
def clock_went_back(context: RuleContext) -> Iterator[Remark]:
    """Recorded times go backwards, are negative, or lie centuries ahead.
    Nothing can be measured with such times.
    """
    odd = context.timeline.odd_times
    if odd is not None:
        reads = "1 read contradicts" if odd.reads == 1 else f"{odd.reads:,} reads contradict"
        message = f"The recorded times of {reads} others, from read {odd.first_read:,} on."
        yield message, Where(byte_start=odd.byte_start, byte_end=odd.byte_start + 1)


@rule("timing.provider-clock-out-of-range", Severity.WARNING, when=Trait.PROVIDER_TIMES)
def provider_clock_out_of_range(context: RuleContext) -> Iterator[Remark]:
    """A time or speed the provider states is negative, not a number, or longer than a day.
    Sums and charts of such values are wrong.
    """
    wrong = [clock for clock in context.timeline.provider_clocks if clock.fault]
    for clock in wrong[:MAX_LISTED_CLOCKS]:
        yield f"{clock.name} is {clock.value}: {clock.fault}.", _at(clock)
    if len(wrong) > MAX_LISTED_CLOCKS:
        more = len(wrong) - MAX_LISTED_CLOCKS
        yield f"{more:,} more such values; this is the last.", _at(wrong[-1])


@rule("timing.provider-took-longer", Severity.INFO, when=Trait.TIMES)
def provider_took_longer(context: RuleContext) -> Iterator[Remark]:
    """The provider states a longer time for the answer than was recorded from request to end.
    The two times measure different things and cannot be compared.
    """
    duration_us = context.timeline.duration_us
    for clock in context.timeline.provider_clocks:
        if duration_us is None or clock.seconds is None or clock.name not in TOTALS:
            continue
        if Decimal(clock.seconds) * 1_000_000 > duration_us + SLACK_US:
            stated = f"{clock.name} is {clock.value} {clock.unit}"
            yield f"{stated}, but {duration_words(duration_us)} were recorded.", _at(clock)
            return


@rule("timing.late-first-token", Severity.INFO, when=Trait.TIMES)
def late_first_token(context: RuleContext) -> Iterator[Remark]:
    """The first token came much later than the first byte.
    Monitoring that takes the first byte for the first token reports too short a time.
    """
    timeline = context.timeline
    byte_us, chunk_us = timeline.first_byte_us, timeline.first_chunk_us
    token_us = timeline.first_token_us
    if byte_us is None or token_us is None:
        return
    if token_us - byte_us >= LATE_US and token_us >= LATE_FACTOR * byte_us:
        is_chunk = chunk_us is not None and chunk_us < token_us
        before = "a chunk without text" if is_chunk else "comments"
        if is_chunk and timeline.counts.comments:
            before = "a chunk without text and comments"
        late = duration_words(token_us - byte_us)
        yield f"The first token came {late} after the first byte; {before} came first.", Where()


@rule("timing.silence-before-end", Severity.INFO, when=Trait.TIMES)
def silence_before_end(context: RuleContext) -> Iterator[Remark]:
    """The end marker came long after the last chunk, or only what keeps a connection open did.
    Clients that wait for it finish late; the duration is longer than the answer took.
    """
    silence_us, limit_us = context.timeline.end_silence_us, context.timeline.stall_limit_us or 0
    if silence_us is not None and silence_us > max(LATE_US, limit_us):
        silent = duration_words(silence_us)
        came = f"The end marker came {silent} after the last chunk."
        if not context.end_marks:
            came = f"No chunk came in the last {silent}, only what keeps a connection open."
        yield came, Where()


@rule("timing.silence-at-close", Severity.INFO, when=Trait.TIMES)
def silence_at_close(context: RuleContext) -> Iterator[Remark]:
    """Nothing more came for a long time before the call ended.
    A stall at the end looks like a short call wherever only arrivals are timed.
    """
    timeline = context.timeline
    silence_us, limit_us = timeline.closing_silence_us, timeline.stall_limit_us or 0
    if silence_us is not None and silence_us > max(LATE_US, limit_us):
        yield f"The call ended {duration_words(silence_us)} after the last read.", Where()


def _at(clock: ProviderClock) -> Where:
    return Where(pointer=clock.pointer, event=clock.event)
