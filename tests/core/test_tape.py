"""The tape: columns in which a character finds its event, and an event its characters."""

from bisect import bisect_right

import pytest

from inspector.core.reading import read
from inspector.core.tape import EventKind, Lane, LaneKind, LaneMode, Tape, length_u16
from inspector.core.wire.exchange import Clock, Exchange, Read
from tests.core.bodies import DONE, GOOD, ROLE, STOP, chat_stream, chunk, delta, event, reading

EMOJI = "\N{GRINNING FACE}"


def pieces_of(tape: Tape, lane: int) -> list[tuple[int, int, int]]:
    """event, start and length of every piece of one lane."""
    columns = tape.pieces
    rows = zip(columns.event, columns.lane, columns.start_u16, columns.length_u16, strict=True)
    return [(event, start, length) for event, of, start, length in rows if of == lane]


def event_of(tape: Tape, lane: int, place_u16: int) -> int:
    """The event that brought the character at a place, by bisection."""
    pieces = pieces_of(tape, lane)
    return pieces[bisect_right([start for _, start, _ in pieces], place_u16) - 1][0]


def units(text: str) -> bytes:
    return text.encode("utf-16-le")


def test_pieces_of_a_lane_join_to_its_text_in_utf16_units() -> None:
    words = ["Zażó", f"{EMOJI}{EMOJI}", "", "日本", "e"]
    machine = reading(
        chat_stream(
            ROLE, *(delta(f'"content":"{word}"'.encode(), 0) for word in words if word), STOP
        )
    )
    content = machine.analysis().choices[0].content
    pieces = pieces_of(machine.tape(), 0)
    assert pieces == [(1, 0, 4), (2, 4, 4), (3, 8, 2), (4, 10, 1)]
    said = [units(content)[2 * start : 2 * (start + length)] for _, start, length in pieces]
    assert [piece.decode("utf-16-le") for piece in said] == [word for word in words if word]


def test_bisection_finds_the_event_of_every_character() -> None:
    machine = reading(
        chunk(ROLE)
        + chunk(delta(b'"content":"ab"'), delta(b'"content":"AB"', 1))
        + b": ping\n\n"
        + chunk(delta(f'"content":"{EMOJI}"'.encode(), 1))
        + chunk(delta(b'"content":"c"'))
        + chunk(STOP, b'{"index":1,"delta":{},"finish_reason":"stop"}')
        + DONE
    )
    tape = machine.tape()
    assert [lane.choice for lane in tape.lanes] == [0, 1]
    assert [event_of(tape, 0, place) for place in range(3)] == [1, 1, 4]
    assert [event_of(tape, 1, place) for place in range(4)] == [1, 1, 3, 3]


def test_events_and_pieces_ascend_and_events_cover_their_bytes() -> None:
    body = chunk(ROLE) + b": ping\n\n" + chunk(delta(b'"content":"a"')) + chunk(STOP) + DONE
    tape = reading(body).tape()
    events = tape.events
    assert events.kind == [
        EventKind.CHUNK,
        EventKind.COMMENT,
        EventKind.CHUNK,
        EventKind.CHUNK,
        EventKind.END_MARK,
    ]
    texts = [body[start:end] for start, end in zip(events.byte_start, events.byte_end, strict=True)]
    assert texts[1] == b": ping\n"
    assert texts[4] == DONE
    assert b"".join(texts) == body.replace(b": ping\n\n", b": ping\n")
    assert tape.pieces.event == sorted(tape.pieces.event)


def test_empty_pieces_are_not_drawn() -> None:
    tape = reading(chat_stream(ROLE, delta(b'"content":""'), delta(b'"content":null'), STOP)).tape()
    assert tape.lanes == []
    assert tape.pieces.event == []


def test_a_whole_body_is_one_event() -> None:
    tape = reading(GOOD).tape()
    assert (tape.events.byte_start, tape.events.byte_end) == ([0], [len(GOOD)])
    assert tape.events.kind == [EventKind.CHUNK]
    assert tape.lanes == [Lane(0, LaneKind.CONTENT)]
    assert pieces_of(tape, 0) == [(0, 0, 5)]


def test_a_whole_error_is_one_event_like_every_whole_body() -> None:
    assert reading(b'{"error":{"message":"x"}}').tape().events.kind == [EventKind.CHUNK]


def test_each_object_of_a_streamed_list_is_an_event() -> None:
    machine = reading(b'[{"candidates":[]},{"candidates":[{"finishReason":"STOP"}]}]')
    assert machine.tape().events.kind == [EventKind.CHUNK, EventKind.CHUNK]
    assert machine.analysis().timeline.counts.chunks == 2


def test_a_list_of_another_format_is_one_event() -> None:
    machine = reading(b'[{"object":"chat.completion","choices":[]},{"id":"x"}]')
    assert machine.tape().events.kind == [EventKind.CHUNK]


def test_a_body_that_is_no_json_has_no_event() -> None:
    assert reading(b"<html>").tape().events.kind == []


def test_lanes_open_in_the_order_of_their_first_character() -> None:
    body = chat_stream(
        ROLE,
        delta(b'"reasoning_content":"Hm"'),
        delta(b'"refusal":"No"', 1),
        delta(b'"content":"a","tool_calls":[{"index":0,"id":"i","function":{"name":"f","arguments":"{}"}}]'),
        STOP,
    )  # fmt: skip
    assert reading(body).tape().lanes == [
        Lane(0, LaneKind.REASONING),
        Lane(1, LaneKind.REFUSAL),
        Lane(0, LaneKind.CONTENT),
        Lane(0, LaneKind.TOOL_CALL, 0),
    ]


SNAPSHOTS = (
    chunk(b'{"index":0,"delta":{"role":"assistant","content":"{\\"a\\":1}"}}')
    + chunk(b'{"index":0,"delta":{"role":"assistant","content":"{\\"a\\":1,\\"b\\":2}"}}')
    + chunk(b'{"index":0,"delta":{"content":""},"finish_reason":"stop","cost_usd":0.001}')
)


def test_a_lane_of_snapshots_says_so_whichever_is_asked_first() -> None:
    first, second = reading(SNAPSHOTS), reading(SNAPSHOTS)
    second.analysis()
    assert first.tape() == second.tape()
    assert first.tape().lanes == [Lane(0, LaneKind.CONTENT, None, LaneMode.SNAPSHOT)]


def test_only_the_content_of_the_choice_that_sends_snapshots_is_one() -> None:
    other = chunk(b'{"index":0,"delta":{"reasoning":"Hm"}},{"index":1,"delta":{"content":"word"}}')
    lanes = reading(other + SNAPSHOTS).tape().lanes
    assert [(lane.choice, lane.kind, lane.mode) for lane in lanes] == [
        (0, LaneKind.REASONING, LaneMode.APPEND),
        (1, LaneKind.CONTENT, LaneMode.APPEND),
        (0, LaneKind.CONTENT, LaneMode.SNAPSHOT),
    ]


def test_the_state_of_a_lane_of_snapshots_is_its_last_piece() -> None:
    machine = reading(SNAPSHOTS)
    content = machine.analysis().choices[0].content
    assert content == '{"a":1,"b":2}'
    _, start, length = pieces_of(machine.tape(), 0)[-1]
    assert (start, length) == (7, len(content))


def test_reads_have_ends_and_where_known_times() -> None:
    reads = (Read(5, b"data: "), Read(9, b"{}\n\n"))
    tape = read(Exchange(reads=reads)).tape()
    assert (tape.clock, tape.reads.at_us, tape.reads.byte_end) == (Clock.RECORDED, [5, 9], [6, 10])


def test_without_a_clock_there_are_no_times() -> None:
    tape = reading(event(b"{}")).tape()
    assert (tape.clock, tape.reads.at_us, tape.reads.byte_end) == (Clock.NONE, [], [10])


@pytest.mark.parametrize(
    ("text", "length"), [("", 0), ("abc", 3), ("é", 1), (EMOJI, 2), ("\ud83d", 1)]
)
def test_length_is_counted_in_the_units_of_browsers(text: str, length: int) -> None:
    assert length_u16(text) == length


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (event(b"{}"), EventKind.CHUNK),
        (event(b'{"error":{"message":"x"}}'), EventKind.ERROR),
        (event(b"[DONE]"), EventKind.END_MARK),
        (event(b"hello"), EventKind.IGNORED),
        (b"data\n\n", EventKind.IGNORED),
        (b"event: ping\n\n", EventKind.IGNORED),
        (b"foo: bar\n", EventKind.IGNORED),
        (b": ping\n", EventKind.COMMENT),
        (b"data: {}\n", EventKind.TAIL),
        (b'data: {"error":{"message":"x"}}', EventKind.TAIL),
        (b"data: {", EventKind.TAIL),
        (b"data: [DONE]", EventKind.TAIL),
    ],
)
def test_every_event_has_its_kind(data: bytes, kind: EventKind) -> None:
    assert reading(chunk(ROLE) + data).tape().events.kind == [EventKind.CHUNK, kind]
