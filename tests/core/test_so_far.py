"""What is told while a stream comes in adds up to what is read of it at its end."""

from __future__ import annotations

import gzip
import json
from functools import partial

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.completion import TOKEN_COUNTS, BlockKind
from inspector.core.reading import Reading
from inspector.core.so_far import HeadSoFar, SoFar
from inspector.core.tape import EventKind, LaneMode, MarkKind
from inspector.core.wire.exchange import Clock, Exchange, Read, TransportOutcome
from inspector.core.wire.framing import Framing
from tests.core.bodies import (
    DONE,
    GOOD,
    GOOD_STREAM,
    ROLE,
    STOP,
    USAGE,
    calls_stream,
    chat_stream,
    chunk,
    delta,
    event,
)
from tests.core.follower import Follower, cut_at, differences, followed, rows, timed
from tests.core.formats import (
    test_anthropic,
    test_bedrock_converse,
    test_cohere,
    test_dialects,
)
from tests.core.frames import exception, frame
from tests.core.native_bodies import GEMINI_CHUNKS, NATIVES, OLLAMA_LINES, as_array, as_lines
from tests.core.test_reading import ABOUTS, BODIES
from tests.core.test_tape import SNAPSHOTS
from tests.steps import steps

OPEN = Exchange(reads=(), outcome=TransportOutcome.OPEN)
CALLS = calls_stream(
    b'{"index":0,"id":"call_1","type":"function","function":{"name":"send","arguments":""}}',
    b'{"index":0,"function":{"arguments":"{\\"to\\":"}}',
    b'{"index":1,"id":"call_2","type":"function","function":{"name":"stop","arguments":"{}"}}',
    b'{"index":0,"function":{"arguments":"1}"}}',
)
TWO_CHOICES = chat_stream(
    ROLE,
    b'{"index":1,"delta":{"role":"assistant"},"finish_reason":null}',
    delta(b'"reasoning_content":"Hm."'),
    delta(b'"content":"One"'),
    delta(b'"content":"Two"', 1),
    delta(b'"content":" more"'),
    STOP,
    b'{"index":1,"delta":{},"finish_reason":"length"}',
)
SAMPLES = {
    **{native.name: native.body for native in NATIVES},
    **{f"anthropic, {name}": body for name, body in test_anthropic.STREAMS.items()},
    **{f"bedrock {n}": body for n, body in enumerate(test_bedrock_converse.RECORDINGS)},
    **{f"cohere {n}": body for n, body in enumerate(test_cohere.RECORDINGS)},
    "chat": GOOD_STREAM,
    "chat, whole": GOOD,
    "two choices": TWO_CHOICES,
    "calls": CALLS,
    "snapshots": SNAPSHOTS,
    "workflowai": test_dialects.WORKFLOWAI_STREAM,
    "responses, named": test_dialects.RESPONSES_STREAM,
    "anthropic, named": test_dialects.ANTHROPIC_STREAM,
}
STREAMED = sorted(set(SAMPLES) - {"anthropic, cut"})


def head_of(follower: Follower) -> HeadSoFar:
    assert follower.head is not None
    return follower.head


# -- what came adds up ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("size", [1, 7, 60, 10**6])
def test_what_came_adds_up_to_the_finished_tape(name: str, size: int) -> None:
    body = SAMPLES[name]
    reads = timed([body[at : at + size] for at in range(0, len(body), size)])
    reading, follower = followed(reads)
    assert differences(follower, reading) == []
    if reading.analysis().streamed and name != "anthropic, cut":
        tape = reading.tape()
        assert follower.events == rows(tape.events)
        assert len(follower.lanes) == len(tape.lanes)
        held = rows(tape.marks)[len(follower.marks) :]
        # Those of a choice without a text wait for one.
        assert held == [] or held[0][1] is None


@given(
    name=st.sampled_from(sorted(SAMPLES)),
    cuts=st.lists(st.integers(0, 10_000), max_size=12),
    every=st.integers(1, 5),
)
def test_any_cutting_and_any_asking_adds_up(name: str, cuts: list[int], every: int) -> None:
    reading, follower = followed(timed(cut_at(SAMPLES[name], cuts)), every=every)
    assert differences(follower, reading) == []
    late = Follower()
    late.ask(reading)
    assert (late.events, late.pieces, late.marks) == (
        follower.events,
        follower.pieces,
        follower.marks,
    )
    assert (late.texts, late.snapshots, late.head) == (
        follower.texts,
        follower.snapshots,
        follower.head,
    )


@given(
    body=BODIES,
    cuts=st.lists(st.integers(0, 10_000), max_size=8),
    every=st.integers(1, 4),
    about=ABOUTS,
)
def test_of_any_bytes_something_is_told_that_adds_up(
    body: bytes, cuts: list[int], every: int, about: Exchange
) -> None:
    reading, follower = followed(timed(cut_at(body, cuts)), about, every)
    # Only the end shows that a text prints a response.
    if reading._finished().facts.framing not in (Framing.PASTED, Framing.PASTED_STREAM):
        assert differences(follower, reading) == []


@given(body=BODIES, cuts=st.lists(st.integers(0, 10_000), max_size=5), about=ABOUTS)
def test_following_changes_nothing_of_what_is_read(
    body: bytes, cuts: list[int], about: Exchange
) -> None:
    reads = timed(cut_at(body, cuts))
    reading, _ = followed(reads, about)
    alone = Reading(about)
    for read in reads:
        alone.feed(read)
    assert reading.tape() == alone.tape()
    assert reading.analysis() == alone.analysis()


# -- the head -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", STREAMED)
def test_the_head_of_a_whole_stream_is_that_of_its_analysis(name: str) -> None:
    body = SAMPLES[name]
    reading, follower = followed(timed([body[at : at + 40] for at in range(0, len(body), 40)]))
    head, result = head_of(follower), reading.analysis()
    assert head.byte_length == len(body)
    if not result.streamed:
        return
    times, id_ = result.timeline, result.identity.id
    counts = {name: getattr(result.usage, name) for name in TOKEN_COUNTS}
    stated = {name: count for name, count in counts.items() if count is not msgspec.UNSET}
    assert (head.dialect, head.object, head.model) == (result.dialect, result.object, result.model)
    assert head.response_id == (None if id_ is msgspec.UNSET else id_)
    assert [(each.choice, each.reason) for each in head.finishes] == [
        (choice.index, choice.finish_reason)
        for choice in result.choices
        if choice.finish_reason not in (None, msgspec.UNSET)
    ]
    assert (head.usage or {}) == stated
    assert (head.chunks, head.events) == (times.counts.chunks, len(reading.tape().events.kind))
    assert [
        head.first_byte_us,
        head.first_reasoning_us,
        head.first_content_us,
        head.first_tool_call_us,
        head.longest_gap_us,
    ] == [
        times.first_byte_us,
        times.first_reasoning_us,
        times.first_content_us,
        times.first_tool_call_us,
        times.gaps_us.max if times.gaps_us else None,
    ]


@pytest.mark.parametrize("name", STREAMED)
def test_the_blocks_of_a_whole_stream_are_those_of_its_analysis(name: str) -> None:
    reading, follower = followed([Read(1, SAMPLES[name])])
    if not reading.analysis().streamed:
        return
    listed = {
        (block.choice, block.kind, block.lane, block.first_event)
        for block in head_of(follower).blocks
    }
    read = {
        (choice.index, block.kind, block.lane, block.places[0].event)
        for choice in reading.analysis().choices
        for block in choice.blocks
    }
    # A text that stays empty is no block in the end.
    assert {kind for _, kind, lane, _ in listed - read if lane is not None} == set()
    assert read - listed == set()


def test_the_open_block_is_the_one_that_grew_last() -> None:
    reading, follower = Reading(OPEN), Follower()
    told = []
    for part in TWO_CHOICES.split(b"\n\n")[:-1]:
        reading.feed(Read(1, part + b"\n\n"))
        follower.ask(reading)
        head = head_of(follower)
        block = None if head.open_block is None else head.blocks[head.open_block]
        told.append(None if block is None else (block.choice, block.kind, block.lane))
    assert told == [
        None,
        None,
        (0, BlockKind.REASONING, 0),
        (0, BlockKind.TEXT, 1),
        (1, BlockKind.TEXT, 2),
        (0, BlockKind.TEXT, 1),
        None,
        None,
        None,
    ]


def test_a_call_is_listed_with_its_name_before_its_arguments_come() -> None:
    announced = b"\n\n".join(CALLS.split(b"\n\n")[:2]) + b"\n\n"
    reading, follower = followed([Read(1, announced)])
    assert reading.tape().lanes == []
    (block,) = head_of(follower).blocks
    assert (block.kind, block.name, block.lane) == (BlockKind.TOOL_CALL, "send", None)


def test_long_names_are_cut_and_lone_surrogates_replaced() -> None:
    odd = b'{"id":"%s","object":"chat.completion.chunk","model":"m\\ud83d","choices":[%s]}'
    finish = b'{"index":0,"delta":{"content":"a"},"finish_reason":{"a":"\\ude00"}}'
    _, follower = followed([Read(1, event(odd % (b"x" * 5_000, finish)))])
    head = head_of(follower)
    assert (head.model, len(head.response_id or "")) == ("m\ufffd", 200)
    assert head.finishes[0].reason == '{"a": "\ufffd"}'


def test_an_error_is_told_when_it_comes() -> None:
    reading, follower = Reading(OPEN), Follower()
    reading.feed(Read(1, chunk(ROLE)))
    follower.ask(reading)
    assert head_of(follower).error is None
    reading.feed(Read(2, event(b'{"error":{"message":"Overloaded"}}')))
    follower.ask(reading)
    assert head_of(follower).error == "Overloaded"
    assert follower.events[-1][2] == EventKind.ERROR


# -- what only later shows ------------------------------------------------------------------------


def asked_after_each(
    *parts: bytes, about: Exchange = OPEN
) -> tuple[Reading, Follower, list[SoFar]]:
    """One read a part; everything that was answered."""
    reading, follower = Reading(about), Follower()
    answers = []
    for read in timed(list(parts)):
        reading.feed(read)
        answers.append(follower.ask(reading))
    return reading, follower, answers


def test_nothing_is_told_of_nothing() -> None:
    more = Reading().so_far()
    assert (more.clock, more.reads.byte_end, more.events.kind, more.lanes) == (
        Clock.NONE, [], [], [])  # fmt: skip
    assert (more.head.byte_length, more.head.dialect, more.head.error) == (0, None, None)


def test_an_error_before_the_format_shows_is_told_at_once() -> None:
    *_, answers = asked_after_each(event(b'{"error":{"message":"Too many"}}'))
    assert answers[0].events.kind == [EventKind.CHUNK]
    assert answers[0].head.error == "Too many"


def test_an_event_that_turns_out_to_be_an_error_starts_the_telling_over() -> None:
    error = event(b'{"error":{"message":"Too many"}}')
    reading, follower, answers = asked_after_each(error, chunk(ROLE), chunk(STOP))
    assert [answer.starts_over for answer in answers] == [True, True, False]
    assert follower.events[0][2] == EventKind.ERROR
    assert differences(follower, reading) == []


def test_objects_before_the_format_shows_are_told_at_once_and_hold() -> None:
    reading, follower, answers = asked_after_each(event(b'{"a":1}'), chunk(ROLE), chunk(STOP))
    assert [answer.starts_over for answer in answers] == [True, False, False]
    assert [len(answer.events.kind) for answer in answers] == [1, 1, 1]
    assert differences(follower, reading) == []


def test_asking_before_the_format_shows_does_not_decide_it() -> None:
    begun = b'{"type":"message_start","message":{"id":"m","type":"message","model":"parcel-1","content":[]}}'
    reading = Reading(OPEN)
    reading.feed(Read(1, event(b'{"a":1}')))
    reading.so_far()
    assert reading.analysis().dialect is None
    reading.feed(Read(2, event(begun)))
    assert (reading.analysis().dialect, reading.so_far().head.model) == ("anthropic", "parcel-1")


def test_snapshots_start_the_telling_over_when_the_last_chunk_shows_them() -> None:
    first, second, last, _ = SNAPSHOTS.split(b"\n\n")
    reading, follower, answers = asked_after_each(
        first + b"\n\n", second + b"\n\n", last + b"\n\n", DONE
    )
    assert [answer.starts_over for answer in answers] == [True, False, True, False]
    assert [answer.texts for answer in answers] == [
        [(0, '{"a":1}')],
        [(0, '{"a":1,"b":2}')],
        [(0, [(0, '{"a":1}'), (6, ',"b":2}')])],
        [],
    ]
    assert differences(follower, reading) == []


def snapshot(choice: int, said: str) -> bytes:
    said = json.dumps({"index": choice, "delta": {"content": said}, "cost_usd": 1})
    return chunk(said.encode())


def test_snapshots_of_a_known_format_go_on_from_the_last_that_was_told() -> None:
    reading, follower, answers = asked_after_each(
        snapshot(0, "[]"), snapshot(0, "[1]"), snapshot(0, '["\N{PACKAGE}"]'), snapshot(0, '["\N{PACKAGE}",2]')
    )  # fmt: skip
    assert [answer.starts_over for answer in answers] == [True, True, False, False]
    assert answers[3].texts == [(0, [(5, ",2]")])]
    assert follower.snapshots == {0: ["[]", "[1]", '["\N{PACKAGE}"]', '["\N{PACKAGE}",2]']}
    assert differences(follower, reading) == []


def test_lanes_that_turn_one_after_the_other_start_over_only_so_often() -> None:
    said = [snapshot(choice, "[]") for choice in range(40)]
    said += [snapshot(choice, "[1]") for choice in range(40)]
    _, follower, answers = asked_after_each(*said)
    assert sum(answer.starts_over for answer in answers) == 17
    assert [lane.mode for lane in follower.lanes[:2]] == [LaneMode.SNAPSHOT, LaneMode.SNAPSHOT]
    assert len(follower.pieces) == 80


def test_a_mark_waits_for_the_lane_that_it_is_drawn_on() -> None:
    reading, follower, answers = asked_after_each(
        chunk(ROLE), chunk(delta(b'"content":"Hi"')), chunk(STOP), chunk(more=USAGE)
    )
    assert [rows(answer.marks) for answer in answers] == [
        [],
        [(0, 0, MarkKind.ROLE)],
        [(2, 0, MarkKind.FINISH)],
        [(3, None, MarkKind.USAGE)],
    ]
    assert differences(follower, reading) == []


def test_halves_of_a_surrogate_pair_are_told_together() -> None:
    said = [rb"a\ud83d", rb"\udce6b", rb"c\ud83d", rb"d\udce6", rb"\ud83d"]
    reading, follower, answers = asked_after_each(
        *(chunk(delta(b'"content":"%s"' % each)) for each in said)
    )
    assert [text for answer in answers for _, text in answer.texts] == [
        "a", "\N{PACKAGE}b", "c", "\ufffdd\ufffd", ""
    ]  # fmt: skip
    assert reading.analysis().choices[0].content == "a\N{PACKAGE}bc\ufffdd\ufffd\ufffd"
    assert differences(follower, reading) == []


def test_a_read_without_a_time_takes_back_all_times() -> None:
    reading, follower = Reading(OPEN), Follower()
    for read in (Read(5, chunk(ROLE)), Read(9, chunk(STOP)), Read(None, DONE), Read(12, b": ok\n")):
        reading.feed(read)
        follower.ask(reading)
    assert (follower.starts, follower.clock, follower.times) == (2, Clock.NONE, [])
    assert head_of(follower).first_byte_us is None
    assert differences(follower, reading) == []


def test_no_gap_is_derived_from_times_that_contradict_each_other() -> None:
    reading, follower = Reading(OPEN), Follower()
    for at_us in (5, 90, 20):
        reading.feed(Read(at_us, chunk(delta(b'"content":"a"'))))
        follower.ask(reading)
    head = head_of(follower)
    assert (head.longest_gap_us, head.first_byte_us, follower.starts) == (None, None, 1)
    assert follower.times == [5, 90, 20]


def test_without_the_moment_of_the_request_there_are_gaps_and_no_first_times() -> None:
    reads = [Read(0, chunk(ROLE)), Read(700, chunk(delta(b'"content":"a"')))]
    _, follower = followed(reads)
    head = head_of(follower)
    assert follower.clock is Clock.PARTIAL
    assert (head.first_byte_us, head.first_content_us, head.longest_gap_us) == (None, None, 700)


# -- framings -------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [GOOD, b'"text"', b"[1,2]", b'[{"a":[{}]},{}]', b"{\n}\n"])
def test_of_a_document_only_bytes_and_reads_are_told(body: bytes) -> None:
    reading, follower = followed(timed([body[:1], body[1:3], body[3:]]))
    assert (follower.events, follower.lanes, follower.starts) == ([], [], 1)
    assert follower.ends == reading.tape().reads.byte_end
    assert head_of(follower).byte_length == len(body)


def test_a_document_over_several_lines_is_never_taken_for_lines() -> None:
    body = json.dumps(json.loads(GOOD), indent=1).encode()
    _, follower = followed(timed([body[at : at + 1] for at in range(len(body))]))
    assert (follower.events, follower.starts) == ([], 1)


def test_lines_are_told_from_the_second_on_and_the_first_with_it() -> None:
    lines = [line + b"\n" for line in OLLAMA_LINES]
    reading, follower, answers = asked_after_each(lines[0], lines[1][:1], lines[1][1:], *lines[2:])
    assert [len(answer.events.kind) for answer in answers] == [0, 1, 1, 1, 1, 1]
    assert differences(follower, reading) == []
    assert head_of(follower).dialect == "ollama"


def test_lines_that_turn_out_to_be_several_answers_are_taken_back() -> None:
    piece = chunk(delta(b'"content":"Hi"')).removeprefix(b"data: ").strip()
    reading, follower, answers = asked_after_each(
        GOOD + b"\n", piece + b"\n", GOOD + b"\n", GOOD + b"\n"
    )
    assert [len(answer.events.kind) for answer in answers] == [0, 2, 0, 0]
    assert [answer.starts_over for answer in answers] == [True, False, True, False]
    assert follower.events == rows(reading.tape().events) == []
    assert differences(follower, reading) == []


@pytest.mark.parametrize("size", [1, 5, 64])
def test_a_list_of_objects_is_told_object_by_object(size: int) -> None:
    odd = GEMINI_CHUNKS[0].replace(b"Two words", rb"Two \"]}words\\")
    body = b" \n" + as_array([odd, *GEMINI_CHUNKS[1:]])
    reads = timed([body[at : at + size] for at in range(0, len(body), size)])
    reading, follower = followed(reads)
    assert follower.events == rows(reading.tape().events)
    assert differences(follower, reading) == []
    assert follower.starts == 1


@pytest.mark.parametrize("behind", [b"7", b'"a"', b'"a', b"x", b"]]", b"] {}"])
def test_what_is_no_object_ends_what_is_told_of_a_list(behind: bytes) -> None:
    body = b"[" + b",".join(GEMINI_CHUNKS[:2]) + b"," + behind
    _, follower = followed(timed([body[:9], body[9:], b",{}]"]))
    assert len(follower.events) == 2


def test_a_text_that_is_no_event_stream_has_no_events() -> None:
    reading, follower = followed(timed([b"<html>\n<body>\n", b"502 Bad Gateway\n"]))
    assert (follower.events, rows(reading.tape().events)) == ([], [])


def test_lines_before_the_first_event_are_told_with_it() -> None:
    reading, follower, answers = asked_after_each(b"retrying\n", GOOD_STREAM)
    assert [answer.events.kind[:1] for answer in answers] == [[], [EventKind.IGNORED]]
    assert differences(follower, reading) == []


@pytest.mark.parametrize("size", [1, 3, 50])
def test_a_compressed_stream_is_told_as_far_as_it_can_be_decompressed(size: int) -> None:
    body = gzip.compress(TWO_CHOICES)
    about = Exchange(reads=(), headers=(("content-encoding", "gzip"),))
    reads = timed([body[at : at + size] for at in range(0, len(body), size)])
    reading, follower = followed(reads, about)
    assert head_of(follower).byte_length == len(TWO_CHOICES)
    assert follower.events == rows(reading.tape().events)
    assert differences(follower, reading) == []


def test_reads_that_may_be_compressed_wait() -> None:
    reading, follower, answers = asked_after_each(b"\x1f", b"\x8b")
    assert [answer.reads.byte_end for answer in answers] == [[], []]


def test_a_fault_between_frames_is_told_as_an_error() -> None:
    delta = frame("contentBlockDelta", b'{"contentBlockIndex":0,"delta":{"text":"Basel"}}')
    started = frame("messageStart", b'{"role":"assistant"}')
    fault = exception("throttlingException", b'{"message":"Too many requests"}')
    reading, follower, answers = asked_after_each(started + delta[:9], delta[9:] + fault)
    assert [kind for *_, kind in follower.events] == ["chunk", "chunk", "error"]
    assert answers[1].texts == [(0, "Basel")]
    assert "Too many requests" in (head_of(follower).error or "")
    assert differences(follower, reading) == []


def test_an_event_that_has_not_ended_is_not_told() -> None:
    whole = chunk(delta(b'"content":"Hi"'))
    reading, follower = followed([Read(1, chunk(ROLE) + whole[:-1])])
    assert len(follower.events) == 1
    assert [kind for *_, kind in rows(reading.tape().events)] == ["chunk", "tail"]


# -- how much it costs ----------------------------------------------------------------------------


def test_each_row_comes_once() -> None:
    body = b"".join(chunk(delta(b'"content":"word"')) for _ in range(300))
    parts = [body[at : at + 100] for at in range(0, len(body), 100)]
    reading, follower = followed(timed(parts))
    tape = reading.tape()
    due = len(tape.reads.byte_end) + len(tape.events.kind) + len(tape.pieces.event)
    assert (follower.appended_rows, follower.starts) == (due, 1)


@pytest.mark.parametrize("name", ["chat", "anthropic events", "responses events", "ollama lines"])
def test_what_is_new_costs_the_same_however_much_came_before(name: str) -> None:
    piece = {
        "chat": chunk(delta(b'"content":"word"')),
        "anthropic events": event(NATIVES[1].objects[8]),
        "responses events": event(b'{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"word"}'),
        "ollama lines": OLLAMA_LINES[1] + b"\n",
    }[name]  # fmt: skip
    begun = {
        "chat": chunk(ROLE),
        "anthropic events": b"".join(event(one) for one in NATIVES[1].objects[:8]),
        "responses events": b"".join(event(one) for one in NATIVES[3].objects[:10]),
        "ollama lines": as_lines(OLLAMA_LINES[:2]),
    }[name]
    taken = []
    for before in (10, 3_000):
        reading = Reading(OPEN)
        reading.feed(Read(1, begun + piece * before))
        position = reading.so_far().position
        for _ in range(3):
            reading.feed(Read(2, piece))
            position = reading.so_far(position).position
        reading.feed(Read(3, piece))
        taken.append(steps(partial(reading.so_far, position)))
    assert taken[1] <= taken[0] * 1.1


def test_the_head_of_thousands_of_choices_and_calls_stays_small() -> None:
    body = b"".join(chunk(delta(b'"content":"a"', index)) for index in range(300))
    body += b"".join(
        chunk(delta(b'"tool_calls":[{"index":%d,"function":{"name":"f","arguments":"{}"}}]' % n))
        for n in range(300)
    )
    _, follower = followed([Read(1, body)])
    head = head_of(follower)
    assert (len(head.blocks), len(follower.lanes)) == (100, 600)
    assert len(msgspec.json.encode(head)) < 20_000
