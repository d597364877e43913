"""Times from the tape: what is known under each clock, and what counts as a gap or a stall."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.analysis import (
    CreatedTimes,
    Gaps,
    LanePace,
    OddTimes,
    Stall,
    StreamCounts,
    Timeline,
)
from inspector.core.reading import analyze
from inspector.core.tape import LaneKind
from inspector.core.timing.timeline import percentile, stall_limit, stall_words
from inspector.core.wire.exchange import (
    Clock,
    Exchange,
    MeasuredBy,
    Read,
    TransportOutcome,
    clock_of,
)
from tests.core.bodies import DONE, GOOD, GOOD_STREAM, ROLE, STOP, chunk, delta

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


CREATED = CreatedTimes(first=1795183339, last=1795183339, changes=0)
COUNTS = StreamCounts(reads=7, events=6, chunks=5, comments=1, arrivals=5, most_together=1)
FEW = "Fewer than 8 chunks came: too few to judge the pacing."
LANES = (
    LanePace(choice=0, kind=LaneKind.REASONING, lane=0, length_u16=2),
    LanePace(choice=0, kind=LaneKind.CONTENT, lane=1, length_u16=1),
    LanePace(choice=0, kind=LaneKind.TOOL_CALL, tool_call=0, lane=2, length_u16=1),
)


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
        counts=COUNTS,
        gaps_us=Gaps(100_000, 100_000, 100_000),
        stall_limit_us=1_000_000,
        end_silence_us=100_000,
        pacing_reason=FEW,
        lanes=LANES,
        created=CREATED,
    )


def test_a_partial_clock_tells_gaps_and_no_first_times() -> None:
    assert timeline(*((at_us - 100_000, data) for data, at_us in STREAM)) == Timeline(
        clock=Clock.PARTIAL,
        counts=COUNTS,
        gaps_us=Gaps(100_000, 100_000, 100_000),
        stall_limit_us=1_000_000,
        end_silence_us=100_000,
        pacing_reason=FEW,
        lanes=LANES,
        created=CREATED,
    )


def test_without_a_clock_only_counts_are_told() -> None:
    assert timeline(*((None, data) for data, _ in STREAM)) == Timeline(
        clock=Clock.NONE,
        counts=StreamCounts(reads=0, events=6, chunks=5, comments=1),
        pacing_reason="No arrival times were recorded.",
        created=CREATED,
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
        clock=Clock.RECORDED,
        first_byte_us=5_000,
        duration_us=9_000,
        counts=StreamCounts(reads=2),
        pacing_reason="The answer came as one body, not as a stream.",
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
        ([50_000] * 5 + [10_000_000, 12_000_000], 2),
        ([10_000, 2_000_000] * 5, 0),
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
        "two silences in a short stream",
        "silences are the pace",
    ],
)
def test_a_stall_exceeds_a_second_and_8_times_the_pace(gaps: list[int], stalls: int) -> None:
    assert len(stream_with(*gaps).stalls) == stalls


def test_a_stall_names_the_reads_on_both_sides() -> None:
    told = timeline((1_000, WORD), (2_000, WORD), (1_000_000, COMMENT), (5_000_000, WORD))
    assert told.stalls == (Stall(2_000, 5_000_000, 1, 3, event_after=3),)


@pytest.mark.parametrize(
    ("share", "value"), [(0.0, 1), (0.5, 10), (0.95, 19), (0.951, 20), (1.0, 20)]
)
def test_percentiles_are_values_that_occurred(share: float, value: int) -> None:
    assert percentile(range(1, 21), share) == value


def test_the_percentile_of_one_value_is_that_value() -> None:
    assert percentile([7], 0.5) == percentile([7], 0.95) == 7


def test_the_limit_that_a_stall_broke_is_told() -> None:
    assert stream_with(*[300_000] * 20, 9_000_000).stall_limit_us == 2_400_000
    assert (
        stall_words(2_400_000)
        == "longer than 2.4 s, eight times the p95 of this stream's other gaps"
    )
    assert stall_limit([]) is None


def test_the_wait_for_the_first_token_is_no_stall() -> None:
    told = timeline((1_000, chunk(ROLE)), (9_000_000, WORD), (9_050_000, WORD), (9_100_000, WORD))
    assert told.gaps_us is not None and told.gaps_us.max == 8_999_000
    assert told.stalls == ()


def test_the_silence_before_the_end_mark_is_told_and_is_no_stall() -> None:
    told = timeline((1_000, WORD), (2_000, WORD), (9_002_000, DONE))
    assert (told.end_silence_us, told.stalls) == (9_000_000, ())


def test_where_no_end_came_the_silence_lasts_to_the_last_comment() -> None:
    told = timeline((1_000, WORD), (2_000, WORD), (9_002_000, b": keep-alive\n\n"))
    assert told.end_silence_us == 9_000_000
    assert timeline((1_000, WORD), (2_000, WORD)).end_silence_us is None


# -- pace ------------------------------------------------------------------------------------------


def words(*moments: int, usage: bytes = b"") -> tuple[tuple[int, bytes], ...]:
    """A character a read, at these moments; then usage and the end."""
    end = chunk(more=b'"usage":{%s}' % usage) if usage else b""
    return (*((at_us, WORD) for at_us in moments), (moments[-1] + 1, end + DONE))


def test_a_lane_grows_at_the_rate_of_what_came_after_its_first_arrival() -> None:
    (lane,) = timeline(*words(1_000_000, 1_250_000, 1_500_000)).lanes
    assert (lane.length_u16, lane.span_us, lane.characters_per_second) == (3, 500_000, 4.0)


def test_a_lane_of_one_arrival_has_no_rate() -> None:
    (lane,) = timeline((1_000_000, WORD + WORD), (2_000_000, DONE)).lanes
    assert (lane.length_u16, lane.span_us, lane.characters_per_second) == (2, None, None)


def test_time_per_output_token_is_derived_from_usage_and_the_span_of_the_tokens() -> None:
    told = timeline(*words(1_000_000, 1_500_000, usage=b'"completion_tokens":11'))
    assert told.output_token_us == 50_000.0


@pytest.mark.parametrize(
    "usage",
    [
        b"",
        b'"completion_tokens":null',
        b'"completion_tokens":1',
        b'"completion_tokens":-5',
        b'"completion_tokens":9,"completion_tokens_details":{"reasoning_tokens":4}',
    ],
    ids=["no usage", "null", "one token", "no count", "reasoning that was not sent"],
)
def test_without_the_tokens_that_were_sent_there_is_no_time_per_token(usage: bytes) -> None:
    assert timeline(*words(1_000_000, 1_500_000, usage=usage)).output_token_us is None


def message(*blocks: bytes) -> tuple[tuple[int, bytes], ...]:
    """Events of a message half a second apart, which end with its output tokens."""
    begin = b'{"type":"message_start","message":{"type":"message","role":"assistant"}}'
    end = b'{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}'
    events = (begin, *blocks, end, b'{"type":"message_stop"}')
    return tuple((at * 500_000, b"data: %b\n\n" % it) for at, it in enumerate(events, 1))


RAN = (
    b'{"type":"content_block_start","index":%d,"content_block":{"type":"server_tool_use","id":"s"}}'
)
SAID = b'{"type":"content_block_delta","index":%d,"delta":{"type":"text_delta","text":"a"}}'


def test_tokens_of_a_call_that_the_provider_ran_first_have_no_times() -> None:
    assert timeline(*message(SAID % 0, RAN % 1, SAID % 2)).output_token_us == 125_000.0
    assert timeline(*message(RAN % 0, SAID % 1, SAID % 1)).output_token_us is None


def test_a_stream_that_was_held_back_has_no_pace_of_its_own() -> None:
    burst = WORD * 10
    usage = chunk(more=b'"usage":{"completion_tokens":30}')
    told = timeline((500_000, burst), (1_000_000, burst), (1_500_000, burst + usage + DONE))
    assert told.pacing == "held-back"
    assert told.output_token_us is None and told.lanes[0].characters_per_second is None


# -- times that contradict each other -------------------------------------------------------------


def test_nothing_is_derived_from_a_read_whose_time_went_back() -> None:
    told = timeline((1_000, WORD), (2_000, WORD), (1_500, WORD), (3_000, WORD), (4_000, WORD))
    assert told.odd_times == OddTimes(reads=2, first_read=2, byte_start=2 * len(WORD))
    assert told.gaps_us == Gaps(1_000, 1_000, 1_000)
    assert (told.first_byte_us, told.duration_us) == (1_000, 4_000)


def test_a_time_far_ahead_is_no_stall() -> None:
    told = timeline((1_000, WORD), (2**80, WORD), (3_000, WORD), (4_000, WORD))
    assert told.odd_times == OddTimes(reads=1, first_read=1, byte_start=len(WORD))
    assert (told.stalls, told.gaps_us) == ((), Gaps(1_000, 1_000, 1_000))


def test_a_negative_time_is_no_moment() -> None:
    told = timeline((5, WORD), (-7, WORD), (9, DONE))
    assert told.odd_times == OddTimes(reads=1, first_read=1, byte_start=len(WORD))
    assert (told.first_token_us, told.gaps_us) == (5, None)


PARTS = st.sampled_from([WORD, chunk(ROLE), COMMENT, DONE, b"data: {", b"\n\n", b""])
READS = st.lists(st.tuples(st.integers(), PARTS), max_size=12)


@given(READS)
def test_no_time_of_a_read_raises_and_all_are_in_order(reads: list[tuple[int, bytes]]) -> None:
    told = timeline(*reads)
    if told.gaps_us is not None:
        assert 0 <= told.gaps_us.p50 <= told.gaps_us.p95 <= told.gaps_us.max
    assert all(stall.start_us < stall.end_us for stall in told.stalls)
    assert all((lane.span_us or 1) > 0 for lane in told.lanes)


@given(st.lists(st.tuples(st.integers(0, 10**9), PARTS), max_size=9), st.integers(0, 40))
def test_a_read_cut_in_two_changes_no_time(reads: list[tuple[int, bytes]], cut: int) -> None:
    ordered = sorted(reads, key=lambda read: read[0])
    halves = [(at, half) for at, data in ordered for half in (data[:cut], data[cut:])]
    assert moments(timeline(*halves)) == moments(timeline(*ordered))


def moments(told: Timeline) -> Timeline:
    """All that may not depend on how the bytes of one moment were cut into reads."""
    stalls = tuple(Stall(stall.start_us, stall.end_us, 0, 0) for stall in told.stalls)
    counts = msgspec.structs.replace(told.counts, reads=0)
    return msgspec.structs.replace(told, stalls=stalls, counts=counts)


def test_reads_of_one_moment_are_one_arrival() -> None:
    told = timeline((1_000, WORD), (1_000, WORD), (3_000_000, WORD), (3_000_000, DONE))
    assert told.gaps_us == Gaps(2_999_000, 2_999_000, 2_999_000)
    assert (told.counts.arrivals, told.counts.most_together) == (2, 2)
    assert told.stalls == (Stall(1_000, 3_000_000, 1, 2, event_after=2),)


@given(st.lists(st.integers(0, 10**9), min_size=1), st.floats(0, 1), st.floats(0, 1))
def test_percentiles_grow_with_their_share(values: list[int], one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert percentile(sorted(values), low) <= percentile(sorted(values), high)


@pytest.mark.parametrize(
    ("stated", "at_us", "measured_by"),
    [
        (None, 5, MeasuredBy.SUBMITTED),
        (MeasuredBy.CLIENT, 5, MeasuredBy.CLIENT),
        (MeasuredBy.PROXY, 0, MeasuredBy.PROXY),
        (None, None, MeasuredBy.NOBODY),
        (MeasuredBy.CLIENT, None, MeasuredBy.NOBODY),
    ],
)
def test_who_measured_the_times_is_as_stated_and_nobody_where_there_are_none(
    stated: MeasuredBy | None, at_us: int | None, measured_by: MeasuredBy
) -> None:
    exchange = Exchange(reads=(Read(at_us, GOOD_STREAM),), measured_by=stated)
    assert analyze(exchange).measured_by is measured_by


def test_the_end_of_the_transport_is_the_end_of_the_duration() -> None:
    cut = Exchange(reads=(Read(1_000, b"data: {}\n\n"),), ended_at_us=9_000)
    told = analyze(cut).timeline
    assert (told.first_byte_us, told.ended_us, told.duration_us) == (1_000, 9_000, 9_000)
    assert told.closing_silence_us == 8_000


def test_an_end_before_the_last_read_changes_nothing_of_it() -> None:
    told = analyze(Exchange(reads=(Read(1_000, b"{}"),), ended_at_us=10)).timeline
    assert (told.duration_us, told.closing_silence_us) == (1_000, 0)


def test_of_a_call_without_a_read_the_duration_is_known() -> None:
    told = analyze(Exchange(reads=(), ended_at_us=9_000, measured_by=MeasuredBy.PROXY)).timeline
    assert (told.clock, told.first_byte_us, told.duration_us) == (Clock.RECORDED, None, 9_000)
    assert told.closing_silence_us is None


def test_reads_without_times_have_no_duration_by_the_end_of_the_transport() -> None:
    told = analyze(Exchange(reads=(Read(None, b"{}"),), ended_at_us=9_000)).timeline
    assert (told.clock, told.ended_us, told.duration_us) == (Clock.NONE, None, None)


def test_the_silence_before_a_stream_is_cut_off_is_a_stall_and_told() -> None:
    begun = WORD[:20]
    exchange = Exchange(
        reads=(
            Read(100_000, chunk(ROLE)),
            Read(170_000, WORD),
            Read(240_000, WORD),
            Read(1_641_000, begun),
        )
    )
    analysis = analyze(exchange)
    assert analysis.timeline.gaps_us == Gaps(70_000, 1_401_000, 1_401_000)
    assert analysis.timeline.stalls == (Stall(240_000, 1_641_000, 2, 3, 3),)
    assert analysis.verdict_reason.endswith(" bytes and 1.40 s of silence.")
    assert "Stalled for 1.40 s before event #3." in [each.message for each in analysis.findings]


def test_a_stream_that_goes_silent_and_is_closed_tells_how_long_it_was_silent() -> None:
    exchange = Exchange(
        reads=(Read(100_000, chunk(ROLE)), Read(170_000, WORD)),
        ended_at_us=2_170_000,
        outcome=TransportOutcome.UPSTREAM_ERROR,
    )
    assert " and 2.00 s of silence, " in analyze(exchange).verdict_reason
