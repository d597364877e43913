"""Times from the tape: what is known under each clock, and what counts as a gap or a stall."""

from __future__ import annotations

import pytest

from inspector.core.analysis import Counts, Gaps, Stall, Timeline
from inspector.core.exchange import Clock, Exchange, Read, clock_of
from inspector.core.reading import analyze
from inspector.core.timeline import percentile
from tests.core.bodies import DONE, GOOD, ROLE, STOP, chunk, delta

COMMENT = b": ping\n\n"
WORD = chunk(delta(b'"content":"a"'))


def timeline(*reads: tuple[int | None, bytes]) -> Timeline:
    exchange = Exchange(reads=tuple(Read(at_us, data) for at_us, data in reads))
    return analyze(exchange).timeline


STREAM = (
    (COMMENT, 100_000),
    (chunk(ROLE), 200_000),
    (chunk(delta(b'"reasoning_content":"Hm"')), 300_000),
    (WORD, 400_000),
    (
        chunk(delta(b'"tool_calls":[{"index":0,"id":"i","function":{"name":"f","arguments":"{"}}]')),
        500_000,
    ),
    (chunk(STOP), 600_000),
    (DONE, 700_000),
)  # fmt: skip


def test_a_recorded_clock_tells_first_times_from_the_request_on() -> None:
    assert timeline(*((at_us, data) for data, at_us in STREAM)) == Timeline(
        clock=Clock.RECORDED,
        first_byte_us=100_000,
        first_event_us=200_000,
        first_chunk_us=200_000,
        first_reasoning_us=300_000,
        first_content_us=400_000,
        first_tool_call_us=500_000,
        first_token_us=300_000,
        duration_us=700_000,
        counts=Counts(reads=7, events=6, chunks=5, comments=1),
        gaps_us=Gaps(100_000, 100_000, 100_000),
    )


def test_a_partial_clock_tells_gaps_and_no_first_times() -> None:
    assert timeline(*((at_us - 100_000, data) for data, at_us in STREAM)) == Timeline(
        clock=Clock.PARTIAL,
        counts=Counts(reads=7, events=6, chunks=5, comments=1),
        gaps_us=Gaps(100_000, 100_000, 100_000),
    )


def test_without_a_clock_only_counts_are_told() -> None:
    assert timeline(*((None, data) for data, _ in STREAM)) == Timeline(
        clock=Clock.NONE, counts=Counts(reads=0, events=6, chunks=5, comments=1)
    )


def test_one_read_without_a_time_leaves_no_clock() -> None:
    assert timeline((5, WORD), (None, WORD), (9, DONE)).clock is Clock.NONE


@pytest.mark.parametrize(
    ("times", "clock"),
    [([], Clock.NONE), ([None], Clock.NONE), ([0, 7], Clock.PARTIAL), ([3, 7], Clock.RECORDED)],
)
def test_the_clock_is_told_by_the_reads(times: list[int | None], clock: Clock) -> None:
    assert clock_of(Read(at_us, b"") for at_us in times) is clock


def test_chunks_of_one_read_came_together_and_are_no_gap() -> None:
    told = timeline((1_000, chunk(ROLE) + WORD + WORD), (51_000, WORD), (91_000, WORD + WORD))
    assert told.gaps_us == Gaps(40_000, 50_000, 50_000)
    assert told.counts.chunks == 6


def test_a_chunk_arrives_with_the_read_of_its_last_byte() -> None:
    told = timeline((1_000, chunk(ROLE)), (2_000, WORD[:20]), (9_000, WORD[20:]))
    assert told.first_content_us == 9_000
    assert told.gaps_us == Gaps(8_000, 8_000, 8_000)


def test_the_lf_of_a_crlf_that_comes_later_delays_nothing() -> None:
    body = WORD.replace(b"\n", b"\r\n")
    told = timeline((1_000, body[:-1]), (9_000, b"\n"))
    assert told.first_content_us == 1_000


def test_comments_and_end_marks_are_no_gaps() -> None:
    told = timeline((1_000, WORD), (2_000, COMMENT), (5_000, WORD), (9_000, DONE))
    assert told.gaps_us == Gaps(4_000, 4_000, 4_000)


def test_one_chunk_alone_has_no_gap() -> None:
    assert timeline((1_000, WORD), (2_000, DONE)).gaps_us is None


def test_a_refusal_and_legacy_text_are_content() -> None:
    refusal = timeline((7, chunk(delta(b'"refusal":"No"'))))
    text = timeline((7, b'data: {"object":"text_completion","choices":[{"text":"a"}]}\n\n'))
    assert refusal.first_content_us == text.first_content_us == 7


def test_a_stream_of_comments_has_a_first_byte_and_no_first_chunk() -> None:
    told = timeline((5, COMMENT), (9, COMMENT))
    assert (told.first_byte_us, told.first_event_us, told.duration_us) == (5, None, 9)


def test_a_whole_body_has_bytes_in_time_and_no_events() -> None:
    told = timeline((5_000, GOOD[:50]), (9_000, GOOD[50:]))
    assert told == Timeline(
        clock=Clock.RECORDED, first_byte_us=5_000, duration_us=9_000, counts=Counts(reads=2)
    )


def stream_with(*gaps_us: int) -> Timeline:
    """Words with these gaps between them."""
    times = [1_000]
    for gap in gaps_us:
        times.append(times[-1] + gap)
    return timeline(*((at_us, WORD) for at_us in times))


@pytest.mark.parametrize(
    ("gaps", "stalls"),
    [
        ([50_000] * 20 + [1_000_001], 1),
        ([50_000] * 20 + [1_000_000], 0),
        ([200_000] * 20 + [1_600_001], 1),
        ([200_000] * 20 + [1_600_000], 0),
        ([50_000] * 30 + [2_000_000, 50_000, 3_000_000], 2),
        ([2_000_000] * 20, 0),
        ([1_000_001], 1),
        ([999_999], 0),
    ],
    ids=[
        "over a second",
        "a second",
        "over 8 times the pace",
        "8 times the pace",
        "two silences",
        "a slow pace",
        "the only gap",
        "the only gap, short",
    ],
)
def test_a_stall_is_longer_than_a_second_and_than_8_times_the_pace(
    gaps: list[int], stalls: int
) -> None:
    assert len(stream_with(*gaps).stalls) == stalls


def test_a_stall_names_the_reads_on_both_sides() -> None:
    told = timeline((1_000, WORD), (2_000, WORD), (1_000_000, COMMENT), (5_000_000, WORD))
    assert told.stalls == (Stall(2_000, 5_000_000, 1, 3),)


@pytest.mark.parametrize(
    ("share", "value"), [(0.0, 1), (0.5, 10), (0.95, 19), (0.951, 20), (1.0, 20)]
)
def test_percentiles_are_values_that_occurred(share: float, value: int) -> None:
    assert percentile(range(1, 21), share) == value


def test_the_percentile_of_one_value_is_that_value() -> None:
    assert percentile([7], 0.5) == percentile([7], 0.95) == 7
