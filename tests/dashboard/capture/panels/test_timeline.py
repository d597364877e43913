from dataclasses import replace

from inspector.archive.intake.envelope import parse_envelope
from inspector.core.analysis import Timeline
from inspector.core.wire.exchange import Clock, MeasuredBy, clock_of
from inspector.dashboard.capture.timeline.panel import (
    TABLE_ROWS,
    TimelineDisplay,
    draw,
    timed_envelope_example,
)
from inspector.formatting.pacing import recording_facts
from tests.dashboard.capture.samples import (
    DONE,
    TWO_CHOICES,
    analysis,
    chunk,
    delta,
    streamed,
    view,
    whole,
)


def drawn(*reads: tuple[int | None, str], as_table: bool = False) -> TimelineDisplay:
    content = draw(streamed(*reads, query_params={"timeline": "table"} if as_table else {})).content
    assert isinstance(content, TimelineDisplay)
    return content


def test_events_that_came_in_one_read_came_together() -> None:
    shown = drawn(*TWO_CHOICES, as_table=True)
    assert shown.together == 2
    assert shown.table is not None
    gaps = [(row.together, row.gap_us) for row in shown.table.rows]
    assert gaps[:4] == [(False, None), (False, 300_000), (True, None), (False, 100_000)]


def test_the_table_tells_what_each_event_gave() -> None:
    shown = drawn(*TWO_CHOICES, as_table=True)
    assert shown.table is not None
    rows = shown.table.rows
    assert (rows[0].kind, rows[0].read, rows[0].byte_length) == ("comment", 0, 13)
    assert rows[3].texts == (("choice 0 content", 10),)
    assert rows[-1].kind == "end-mark"
    assert shown.table.following is None


def test_a_long_table_goes_on() -> None:
    events = "".join(chunk(delta(content="x")) for _ in range(TABLE_ROWS + 5))
    shown = drawn((100, events + DONE), as_table=True)
    assert shown.table is not None
    assert (len(shown.table.rows), shown.table.following) == (TABLE_ROWS, TABLE_ROWS)


def test_who_measured_the_times_and_who_closed_are_shown_as_far_as_they_are_known() -> None:
    times = Timeline(client_closed_after_bytes=1)
    shown = analysis(measured_by=MeasuredBy.CLIENT, timeline=times)
    assert list(recording_facts(shown)) == [
        "times measured by the client",
        "the client closed after 1 byte",
    ]
    assert drawn((100, chunk(delta(content="x")) + DONE)).recorded == ("times as submitted",)
    assert drawn((None, chunk(delta(content="x")) + DONE)).recorded == ()


def test_how_times_are_recorded_is_said_only_of_what_was_posted() -> None:
    assert draw(view(analysis(streamed=False))).example
    assert not draw(view(analysis(streamed=False, measured_by=MeasuredBy.PROXY))).example


def test_a_whole_body_whose_client_closed_says_so_although_nothing_is_drawn() -> None:
    times = Timeline(client_closed_after_bytes=2304)
    content = draw(view(analysis(streamed=False, timeline=times))).content
    assert isinstance(content, TimelineDisplay)
    assert content.recorded == ("the client closed after 2,304 bytes",)
    assert content.why_undrawn


def test_without_a_clock_no_seconds_are_shown() -> None:
    shown = drawn((None, chunk(delta(content="x")) + DONE), as_table=True)
    assert "in order" in shown.clock_sentence
    assert shown.together == 0
    assert shown.table is not None
    assert (
        {row.at_us for row in shown.table.rows} == {row.read for row in shown.table.rows} == {None}
    )
    assert all(first.at_us is None for first in shown.firsts)


def test_a_partial_clock_says_that_first_times_are_not_known() -> None:
    shown = drawn((0, chunk(delta(content="x"))), (100, DONE))
    assert "not first times" in shown.clock_sentence


def test_a_body_that_came_as_one_says_what_is_known_of_its_times() -> None:
    body = {"object": "chat.completion", "choices": [{"index": 0, "message": {"content": "x"}}]}
    assert "no arrival times" in draw(whole(body)).why_empty
    times = Timeline(first_byte_us=100_000, duration_us=3_700_000)
    assert draw(view(analysis(streamed=False, timeline=times))).why_empty == (
        "The answer was not streamed; it came in 0 reads: first byte at 0.100 s, last at 3.700 s; "
        "whether the request asked for a stream is unknown."
    )
    assert "no event" in draw(view(analysis())).why_empty
    assert "Not analysed yet" in draw(view()).why_empty


def test_without_times_from_the_request_on_the_panel_says_how_to_record_them() -> None:
    event = chunk(delta(content="x"))
    assert draw(streamed((None, event + DONE))).example
    assert draw(streamed((0, event), (100, DONE))).example
    assert draw(streamed((300, event), (400, DONE))).example == ""
    shown = draw(whole({"object": "chat.completion", "choices": []}))
    assert "no arrival times" in shown.why_empty and '"at_us": 655204' in shown.example


def test_what_the_example_sends_has_times() -> None:
    exchange = parse_envelope(timed_envelope_example().encode()).exchange
    assert [read.at_us for read in exchange.reads] == [655_204, 696_622]
    assert clock_of(exchange.reads) is Clock.RECORDED


def test_a_read_that_brought_several_events_is_one_arrival() -> None:
    word = chunk(delta(content="x"))
    shown = drawn((100, word), (200, word * 7), (300, DONE), as_table=True)
    assert shown.table is not None
    assert [row.arrived for row in shown.table.rows] == [1, 7, 0, 0, 0, 0, 0, 0, 1]


def test_a_stall_is_listed_with_the_rule_that_it_broke_and_what_came_after() -> None:
    word = chunk(delta(content="x"))
    times = [1_000 + 50_000 * n for n in range(9)]
    pace = drawn(*((at, word) for at in times), (times[-1] + 3_000_000, word)).pace
    (row,) = pace.stalls
    assert (row.length_us, row.stall.event_after) == (3_000_000, 9)
    assert pace.stall_rule == (
        "a stall is longer than 1.0 s and than eight times the p95 of the other gaps"
    )


def test_what_stalled_was_not_steady() -> None:
    word = chunk(delta(content="x"))
    times = [1_000 + 50_000 * n for n in range(9)]
    assert drawn(*((at, word) for at in times)).pace.word == "steady"
    stalled = drawn(*((at, word) for at in times), (times[-1] + 3_000_000, word))
    assert stalled.pace.word == "interrupted"


def test_each_lane_has_its_rate() -> None:
    pace = drawn(
        (1_000_000, chunk(delta(content="ab"))), (2_000_000, chunk(delta(content="cde")))
    ).pace
    (lane,) = pace.lanes
    assert (lane.name, lane.length, lane.span_us, lane.rate) == (
        "choice 0 content",
        5,
        1_000_000,
        3.0,
    )


def test_times_that_the_provider_states_are_shown_of_a_body_that_nobody_timed() -> None:
    body = {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": {"content": "x"}}],
        "usage": {"total_time": 1.5},
    }
    shown = draw(whole(body)).content
    assert isinstance(shown, TimelineDisplay) and shown.clocks is not None
    assert [(clock.name, clock.value) for clock in shown.clocks.clocks] == [("total_time", "1.5")]
    assert "no arrival times" in shown.why_undrawn
    assert not shown.pace.is_known


def test_one_created_for_all_chunks_is_no_clock() -> None:
    assert drawn((100, chunk(delta(content="x"))), (200, DONE)).clocks is None


def test_a_stream_that_is_too_large_to_be_kept_keeps_its_number_of_events() -> None:
    drawn = draw(replace(streamed(*TWO_CHOICES), tape=None))
    assert (drawn.count, drawn.why_empty) == (
        "10",
        "This response is too large for its events to be kept; the raw bytes have them.",
    )


def test_a_stream_without_events_says_so() -> None:
    assert draw(view(analysis())).why_empty == "The stream has no events."
