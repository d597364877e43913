"""Plans: what is sent, when, and how it ends, for each option."""

from __future__ import annotations

import gzip

import pytest

from inspector.core.wire.exchange import Exchange, Read, TransportOutcome
from inspector.replay.plan import PlanEnding, plan
from inspector.replay.recorded_answer import RecordedAnswer, answer_of
from tests.replay.answers import (
    CHAT,
    DONE,
    EVENTS,
    FIRST,
    LAST,
    answer,
    body,
    options,
    planned,
    refused,
    sends,
)

ALL = FIRST + LAST + DONE


def header(name: str, found: tuple[tuple[str, str], ...]) -> str | None:
    return next((value for each, value in found if each == name), None)


# -- as recorded ----------------------------------------------------------------------------------


def test_reads_are_sent_at_their_times_and_the_end_with_the_last() -> None:
    found = planned(CHAT)
    assert sends(found) == [(200_000, FIRST), (500_000, LAST), (700_000, DONE)]
    assert (found.head.status, found.head.at_us) == (200, 200_000)
    assert (found.head.ending, found.head.end_at_us) == (PlanEnding.WHOLE, 700_000)


def test_a_silence_before_the_end_is_kept() -> None:
    found = planned(answer((5, DONE), ended_at_us=900_000))
    assert found.head.end_at_us == 900_000


def test_the_head_names_answer_and_clock() -> None:
    assert planned(CHAT).head.headers == (
        ("content-type", "text/event-stream"),
        ("x-inspector-replay", "c-1"),
        ("x-inspector-replay-clock", "recorded"),
    )


def test_without_recorded_times_all_is_sent_at_once_and_the_head_says_so() -> None:
    found = planned(answer((None, FIRST), (None, DONE)), speed="2", jitter="1")
    assert sends(found) == [(0, FIRST), (0, DONE)]
    assert header("x-inspector-replay-clock", found.head.headers) == "none"


@pytest.mark.parametrize(
    ("first_us", "clock", "is_from_first"),
    [(200_000, "recorded", False), (0, "partial", True), (None, "none", False)],
)
def test_where_only_arrivals_are_known_times_count_from_the_first_read(
    first_us: int | None, clock: str, is_from_first: bool
) -> None:
    last_us = None if first_us is None else 500_000
    found = planned(answer((first_us, FIRST), (last_us, DONE)))
    assert dict(found.head.headers)["x-inspector-replay-clock"] == clock
    assert found.head.is_from_first == is_from_first


def test_what_was_assumed_stands_in_the_head() -> None:
    found = planned(answer((None, b"{}"), status=None, headers=None))
    assert header("x-inspector-replay-assumed", found.head.headers) == "status, content-type"


@pytest.mark.parametrize(
    "outcome",
    [TransportOutcome.UPSTREAM_ERROR, TransportOutcome.CLIENT_CANCELLED, TransportOutcome.CAPPED],
)
def test_a_response_that_broke_off_breaks_off_again(outcome: TransportOutcome) -> None:
    found = planned(answer((200_000, FIRST), outcome=outcome, ended_at_us=300_000))
    assert (found.head.ending, found.head.end_at_us) == (PlanEnding.CUT, 300_000)
    assert header("x-inspector-replay-outcome", found.head.headers) == outcome


def test_a_response_without_bytes_ends_at_once() -> None:
    found = planned(answer(status=204, headers=(), ended_at_us=40))
    assert (sends(found), found.head.at_us, found.head.end_at_us) == ([], 0, 0)


@pytest.mark.parametrize(
    ("stated", "outcome", "kept"),
    [
        ("2", TransportOutcome.ENDED, "2"),
        ("3", TransportOutcome.ENDED, None),
        ("3", TransportOutcome.UPSTREAM_ERROR, "3"),
        ("1", TransportOutcome.UPSTREAM_ERROR, None),
        ("two", TransportOutcome.ENDED, None),
        ("²", TransportOutcome.ENDED, None),
    ],
)
def test_the_content_length_is_kept_where_it_can_be_that_of_the_body(
    stated: str, outcome: TransportOutcome, kept: str | None
) -> None:
    headers = (("content-type", "application/json"), ("content-length", stated))
    found = planned(answer((0, b"{}"), headers=headers, outcome=outcome))
    assert header("content-length", found.head.headers) == kept


# -- times ----------------------------------------------------------------------------------------


def test_at_speed_4_times_are_a_quarter() -> None:
    assert [at for at, _ in sends(planned(CHAT, speed="4"))] == [50_000, 125_000, 175_000]


def test_at_speed_0_everything_is_sent_at_once() -> None:
    found = planned(CHAT, speed="0")
    assert [at for at, _ in sends(found)] == [0, 0, 0]
    assert (found.head.at_us, found.head.end_at_us) == (0, 0)


def test_jitter_changes_each_gap_by_up_to_its_share_the_same_way_each_time() -> None:
    times = [at for at, _ in sends(planned(CHAT, jitter="0.5", seed="7"))]
    gaps = [later - earlier for earlier, later in zip([0, *times], times, strict=False)]
    for gap, recorded in zip(gaps, (200_000, 300_000, 200_000), strict=True):
        assert recorded * 0.5 - 1 <= gap <= recorded * 1.5 + 1
        assert gap != recorded
    assert times == [at for at, _ in sends(planned(CHAT, jitter="0.5", seed="7"))]
    assert times != [at for at, _ in sends(planned(CHAT, jitter="0.5", seed="8"))]
    assert times != [at for at, _ in sends(planned(CHAT, 1, jitter="0.5", seed="7"))]


def test_times_that_go_back_count_as_the_same() -> None:
    found = planned(answer((300, b"a"), (100, b"b"), (-5, b"c"), (400, b"d")))
    assert [at for at, _ in sends(found)] == [300, 300, 300, 400]


# -- cuts -----------------------------------------------------------------------------------------


def test_a_cut_by_bytes_sends_so_many() -> None:
    place = len(FIRST) + 3
    found = planned(CHAT, cut_byte=str(place))
    assert sends(found) == [(200_000, FIRST), (500_000, LAST[:3])]
    assert (found.head.ending, found.head.end_at_us) == (PlanEnding.CUT, 500_000)


def test_a_cut_before_the_first_byte_sends_the_head_alone() -> None:
    found = planned(CHAT, cut_byte="0")
    assert (sends(found), found.head.at_us) == ([], 200_000)
    assert (found.head.ending, found.head.end_at_us) == (PlanEnding.CUT, 200_000)


def test_a_cut_behind_the_last_byte_only_lacks_the_end() -> None:
    found = planned(CHAT, cut_byte=str(len(ALL)))
    assert (body(found), found.head.ending) == (ALL, PlanEnding.CUT)


def test_a_cut_beyond_the_end_is_refused_with_the_length() -> None:
    assert refused(CHAT, cut_byte="99999") == (
        "The option cut-byte=99999 cannot be met: it may be a whole number from 0 to "
        f"{len(ALL)}, the length of the body, or any."
    )


@pytest.mark.parametrize(
    ("events", "sent"), [("0", b""), ("1", FIRST), ("2", FIRST + LAST), ("3", ALL)]
)
def test_a_cut_by_events_sends_so_many(events: str, sent: bytes) -> None:
    found = planned(CHAT, cut_event=events)
    assert (body(found), found.head.ending) == (sent, PlanEnding.CUT)


def test_comments_count_as_events_as_they_do_on_the_tape() -> None:
    commented = answer((1, b": keep-alive\n" + FIRST), (2, LAST + DONE))
    assert body(planned(commented, cut_event="2")) == b": keep-alive\n" + FIRST


def test_a_cut_beyond_the_last_event_is_refused_with_their_number() -> None:
    assert "from 0 to 3, the number of events" in refused(CHAT, cut_event="4")


def test_a_cut_by_events_of_a_body_without_any_is_refused() -> None:
    empty = answer((1, b""), headers=(("content-type", "text/plain"),))
    assert "the body has no events" in refused(empty, cut_event="0")


def test_a_cut_by_seconds_sends_what_had_come_by_then() -> None:
    found = planned(CHAT, cut_second="0.6")
    assert sends(found) == [(200_000, FIRST), (500_000, LAST)]
    assert (found.head.ending, found.head.end_at_us) == (PlanEnding.CUT, 600_000)


def test_seconds_of_a_cut_are_those_of_the_recording_at_any_speed() -> None:
    found = planned(CHAT, cut_second="0.6", speed="2")
    assert sends(found) == [(100_000, FIRST), (250_000, LAST)]
    assert found.head.end_at_us == 300_000
    assert body(planned(CHAT, cut_second="0.6", speed="0")) == FIRST + LAST


def test_a_cut_beyond_the_last_second_is_refused_with_the_duration() -> None:
    assert "from 0 to 0.7, the seconds of the recording" in refused(CHAT, cut_second="0.8")


def test_a_cut_by_seconds_needs_times() -> None:
    assert "no times were recorded" in refused(answer((None, ALL)), cut_second="0")


def test_any_cut_is_chosen_by_seed_and_request() -> None:
    lengths = [len(body(planned(CHAT, number, cut_byte="any", seed="3"))) for number in range(20)]
    assert lengths == [
        len(body(planned(CHAT, number, cut_byte="any", seed="3"))) for number in range(20)
    ]
    assert len(set(lengths)) > 10
    assert max(lengths) <= len(ALL)


# -- stalls ---------------------------------------------------------------------------------------


def test_a_stall_delays_everything_behind_it() -> None:
    found = planned(CHAT, stall_event="1", stall_seconds="2")
    assert sends(found) == [(200_000, FIRST), (2_500_000, LAST), (2_700_000, DONE)]
    assert (found.head.ending, found.head.end_at_us) == (PlanEnding.WHOLE, 2_700_000)


def test_the_length_of_a_stall_does_not_depend_on_the_speed() -> None:
    found = planned(CHAT, stall_byte="4", stall_seconds="1", speed="0")
    assert sends(found) == [
        (0, FIRST[:4]), (1_000_000, FIRST[4:]), (1_000_000, LAST), (1_000_000, DONE),
    ]  # fmt: skip


def test_a_stall_before_the_first_byte_comes_behind_the_head() -> None:
    found = planned(CHAT, stall_byte="0", stall_seconds="1")
    assert (found.head.at_us, found.steps[0].at_us) == (200_000, 1_200_000)


def test_a_stall_behind_the_last_byte_delays_the_end() -> None:
    found = planned(CHAT, stall_event="3", stall_seconds="1")
    assert sends(found)[-1] == (700_000, DONE)
    assert found.head.end_at_us == 1_700_000


def test_a_stall_without_length_lasts_until_the_caller_leaves_or_ten_minutes() -> None:
    found = planned(CHAT, stall_event="2")
    assert body(found) == FIRST + LAST
    assert (found.head.ending, found.head.end_at_us) == (PlanEnding.STALL, 600_500_000)


def test_a_stall_and_then_a_cut_at_the_same_place() -> None:
    found = planned(CHAT, stall_event="1", stall_seconds="1", cut_event="1")
    assert sends(found) == [(200_000, FIRST)]
    assert (found.head.ending, found.head.end_at_us) == (PlanEnding.CUT, 1_200_000)


def test_a_cut_before_a_stall_leaves_nothing_to_wait_for() -> None:
    found = planned(CHAT, stall_event="2", stall_seconds="9", cut_event="1")
    assert found.head.end_at_us == 200_000


def test_a_cut_by_seconds_behind_a_stall_comes_later() -> None:
    found = planned(CHAT, stall_event="1", stall_seconds="1", cut_second="0.5")
    assert sends(found) == [(200_000, FIRST), (1_500_000, LAST)]
    assert (found.head.ending, found.head.end_at_us) == (PlanEnding.CUT, 1_500_000)


# -- other reads ----------------------------------------------------------------------------------


def test_characters_are_split_between_their_bytes() -> None:
    found = planned(answer((1, "a€b".encode()), (2, "ü".encode())), split="utf8")
    assert sends(found) == [(1, b"a\xe2"), (1, b"\x82"), (1, b"\xacb"), (2, b"\xc3"), (2, b"\xbc")]


def test_characters_of_one_byte_cannot_be_split() -> None:
    assert "the body has not a character of several bytes" in refused(
        answer((1, LAST)), split="utf8"
    )


def test_line_ends_are_split_between_cr_and_lf() -> None:
    found = planned(answer((1, b"data: 1\r\n\r\n"), (2, b"data: 2\n\n")), split="crlf")
    assert [data for _, data in sends(found)] == [b"data: 1\r", b"\n\r", b"\n", b"data: 2\n\n"]


def test_line_ends_that_the_reads_split_already_are_left() -> None:
    found = planned(answer((1, b"data: 1\r"), (2, b"\n\r\n")), split="crlf")
    assert [data for _, data in sends(found)] == [b"data: 1\r", b"\n\r", b"\n"]


def test_lines_without_cr_cannot_be_split() -> None:
    assert "CR and LF" in refused(CHAT, split="crlf")


def test_every_byte_is_a_send() -> None:
    found = planned(answer((1, b"abc"), (2, b"d")), split="bytes")
    assert sends(found) == [(1, b"a"), (1, b"b"), (1, b"c"), (2, b"d")]


def test_each_read_is_split_into_pieces_of_so_many_bytes() -> None:
    found = planned(answer((1, b"abcde"), (2, b"fg")), split="2")
    assert [data for _, data in sends(found)] == [b"ab", b"cd", b"e", b"fg"]


def test_more_than_a_million_pieces_are_refused() -> None:
    assert "more than 1,000,000 pieces" in refused(answer((1, b"a" * 1_000_002)), split="bytes")


def test_reads_are_glued_and_come_with_the_last_of_them() -> None:
    assert sends(planned(CHAT, glue="2")) == [(500_000, FIRST + LAST), (700_000, DONE)]
    assert sends(planned(CHAT, glue="all")) == [(700_000, ALL)]


def test_two_reads_change_places_but_not_times() -> None:
    assert sends(planned(CHAT, swap="1")) == [(200_000, FIRST), (500_000, DONE), (700_000, LAST)]


def test_a_swap_beyond_the_reads_is_refused() -> None:
    assert "from 0 to 1, or any" in refused(CHAT, swap="2")
    assert "fewer than two reads" in refused(answer((1, ALL)), swap="0")


# -- the end mark ---------------------------------------------------------------------------------


def test_the_end_mark_is_left_out_and_the_end_comes_when_it_came() -> None:
    found = planned(CHAT, end_mark="drop")
    assert body(found) == FIRST + LAST
    assert (found.head.ending, found.head.end_at_us) == (PlanEnding.WHOLE, 700_000)


def test_the_end_mark_comes_twice() -> None:
    assert sends(planned(CHAT, end_mark="double"))[-1] == (700_000, DONE + DONE)


def test_a_body_without_an_end_mark_cannot_lose_it() -> None:
    message = "the body has nothing that ends its stream"
    assert message in refused(answer((1, FIRST + LAST)), end_mark="drop")


def test_a_changed_length_is_not_announced() -> None:
    headers = (*EVENTS, ("content-length", str(len(ALL))))
    whole = answer((1, ALL), headers=headers)
    assert header("content-length", planned(whole).head.headers) == str(len(ALL))
    assert header("content-length", planned(whole, split="7").head.headers) == str(len(ALL))
    assert header("content-length", planned(whole, cut_byte="7").head.headers) == str(len(ALL))
    assert header("content-length", planned(whole, end_mark="drop").head.headers) is None


def test_events_behind_the_end_mark_keep_their_places() -> None:
    trailing = answer((1, FIRST + LAST + DONE + b": bye\n"))
    found = planned(trailing, end_mark="drop", cut_event="3")
    assert body(found) == FIRST + LAST
    found = planned(trailing, end_mark="double", cut_event="3")
    assert body(found) == FIRST + LAST + DONE + DONE


# -- coded bodies ---------------------------------------------------------------------------------


def coded() -> bytes:
    return gzip.compress(ALL)


def gzipped() -> RecordedAnswer:
    return answer(
        (100, coded()[:50]),
        (200, coded()[50:]),
        headers=(*EVENTS, ("content-encoding", "gzip"), ("content-length", str(len(coded())))),
    )


def test_a_coded_body_is_sent_as_it_is_stored() -> None:
    found = planned(gzipped())
    assert body(found) == coded()
    assert header("content-encoding", found.head.headers) == "gzip"
    assert header("content-length", found.head.headers) == str(len(coded()))


def test_faults_by_bytes_count_the_bytes_that_are_sent() -> None:
    found = planned(gzipped(), cut_byte="60")
    assert body(found) == coded()[:60]


def test_faults_by_events_are_put_into_the_decoded_body_and_the_head_says_so() -> None:
    found = planned(gzipped(), cut_event="1")
    assert body(found) == FIRST
    assert header("content-encoding", found.head.headers) is None
    assert header("content-length", found.head.headers) is None
    assert header("x-inspector-replay-decoded-from", found.head.headers) == "gzip"


def test_faults_by_events_of_a_broken_coding_are_refused() -> None:
    broken = answer((1, coded()[:-12]), headers=(*EVENTS, ("content-encoding", "gzip")))
    assert "the body's coding gzip cannot be undone" in refused(broken, cut_event="1")


# -- errors in place of the answer ----------------------------------------------------------------


def test_the_first_requests_get_an_error_and_the_next_the_answer() -> None:
    given = {"status": "429", "status_times": "2", "retry_after": "3"}
    statuses = [planned(CHAT, number, **given).head.status for number in range(4)]
    assert statuses == [429, 429, 200, 200]


def test_an_error_is_in_the_form_of_the_answers_format_and_says_that_it_is_made() -> None:
    found = planned(CHAT, status="429", retry_after="3")
    assert sends(found) == [
        (0, b'{"error":{"message":"Rate limit reached for requests.","type":"requests","param":null,"code":"rate_limit_exceeded"}}')
    ]  # fmt: skip
    assert found.head.headers == (
        ("content-type", "application/json"),
        ("content-length", "116"),
        ("retry-after", "3"),
        ("x-inspector-replay", "c-1"),
        ("x-inspector-replay-fault", "status"),
    )


def test_without_a_number_of_times_every_request_gets_the_error() -> None:
    assert {planned(CHAT, number, status="500").head.status for number in (0, 1, 5_000)} == {500}


def test_faults_of_the_body_are_for_the_answer_behind_the_errors() -> None:
    given = {"status": "503", "status_times": "1", "cut_event": "1"}
    assert planned(CHAT, 0, **given).head.ending is PlanEnding.WHOLE
    assert body(planned(CHAT, 1, **given)) == FIRST


# -- headers --------------------------------------------------------------------------------------


def test_the_content_type_is_another() -> None:
    found = planned(CHAT, content_type="application/json").head.headers
    assert [value for name, value in found if name == "content-type"] == ["application/json"]


def test_headers_are_dropped_and_added() -> None:
    found = planned(CHAT, drop_header="Content-Type", add_header="X-Slow: yes").head.headers
    assert header("content-type", found) is None
    assert header("x-slow", found) == "yes"


# -- what is not asked for ------------------------------------------------------------------------


def test_the_events_are_not_looked_for_where_no_fault_needs_them() -> None:
    def never() -> None:
        raise AssertionError

    given = options(speed="0", cut_byte="3", glue="all", content_type="a/b")
    assert plan(CHAT, given, 0, never)  # type: ignore[arg-type]


def test_a_name_of_any_characters_stands_in_the_head() -> None:
    found = answer_of(Exchange(reads=(Read(1, b"{}"),)), "Grüezi\r\nx: y.json")
    assert found is not None
    named = header("x-inspector-replay", planned(found).head.headers)
    assert named == "Gr%C3%BCezi%0D%0Ax: y.json"
