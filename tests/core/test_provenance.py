"""Every character leads to the event that brought it and to the bytes that spell it."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.archive.intake.submission import Submission
from inspector.core.json import strings
from inspector.core.provenance import Origins
from inspector.core.wire.exchange import Read
from tests.core.bodies import (
    DONE,
    GOOD,
    ROLE,
    STOP,
    calls_stream,
    chat_stream,
    choice,
    chunk,
    completion,
    delta,
    event,
    exchange,
)
from tests.core.tracing import Traced
from tests.operations.recordings import recordings


def traced(body: bytes, **known: object) -> Traced:
    found = Traced(exchange(body, **known))
    assert list(found.faults()) == []
    return found


def spelt(found: Traced, start: int, end: int, lane: int = 0) -> list[bytes]:
    """The bytes of each range that spells these characters."""
    return [
        found.body[first:last]
        for origin in found.origins.of(lane, start, end)
        for first, last in origin.byte_ranges
    ]


def contents(*texts: bytes) -> bytes:
    return chat_stream(ROLE, *(delta(b'"content":"%s"' % text) for text in texts), STOP)


def test_half_a_chunk_gives_only_its_bytes() -> None:
    found = traced(contents(b"one day", b" faster", b" than"))
    assert spelt(found, 4, 10) == [b"day", b" fa"]
    assert [(o.event, o.start_u16, o.end_u16) for o in found.origins.of(0, 4, 10)] == [
        (1, 4, 7),
        (2, 7, 10),
    ]


def test_an_escape_is_one_character() -> None:
    found = traced(contents(rb"a\nb\u00e9\"c\/"))
    assert [spelt(found, at, at + 1) for at in range(7)] == [
        [b"a"], [rb"\n"], [b"b"], [rb"\u00e9"], [rb"\""], [b"c"], [rb"\/"],
    ]  # fmt: skip


def test_a_character_beyond_the_basic_plane_is_two_units() -> None:
    found = traced(contents("a\N{GRINNING FACE}b".encode(), rb"\uD83D\uDE00!"))
    assert spelt(found, 1, 3) == ["\N{GRINNING FACE}".encode()]
    assert spelt(found, 3, 4) == [b"b"]
    assert spelt(found, 4, 6) == [rb"\uD83D\uDE00"]


def test_two_chunks_may_share_one_character() -> None:
    found = traced(contents(rb"\ud83d", rb"\ude00!"))
    assert spelt(found, 0, 2) == [rb"\ud83d", rb"\ude00"]
    assert [origin.event for origin in found.origins.of(0, 0, 2)] == [1, 2]


def test_bytes_that_are_no_utf8_are_one_character_for_each_part() -> None:
    found = traced(contents(b"a\xff\xe2\x82b"))
    assert [spelt(found, at, at + 1) for at in range(4)] == [
        [b"a"], [b"\xff"], [b"\xe2\x82"], [b"b"],
    ]  # fmt: skip


REASONING = delta(b'"reasoning":"thought","reasoning_content":"tokens"')


def test_reasoning_under_two_names_comes_from_the_one_that_was_first() -> None:
    found = traced(chat_stream(delta(b'"reasoning_content":"first"'), REASONING, STOP))
    assert spelt(found, 0, 11) == [b"first", b"tokens"]


def call(arguments: bytes, index: int = 0) -> bytes:
    return b'{"index":%d,"function":{"arguments":%s}}' % (index, arguments)


def test_arguments_of_two_calls_are_kept_apart() -> None:
    found = traced(calls_stream(call(rb'"{\"a\""'), call(rb'"[0"', 1), call(b'": 1}"')))
    assert spelt(found, 3, 8) == [rb"\"", b": 1}"]
    assert spelt(found, 0, 2, lane=1) == [b"[0"]


def test_arguments_that_were_sent_as_an_object_are_the_bytes_of_that_value() -> None:
    found = traced(calls_stream(call('{"to": "Zażó"}'.encode())))
    assert spelt(found, 1, 5) == [b'"to"']
    assert spelt(found, 8, 12) == ["Zażó".encode()]


def test_a_custom_tool_and_a_function_call_have_texts_too() -> None:
    custom = b'{"index":0,"type":"custom","custom":{"name":"sql","input":"select"}}'
    assert spelt(traced(calls_stream(custom)), 0, 6) == [b"select"]
    legacy = delta(b'"function_call":{"name":"f","arguments":"[]"}')
    assert spelt(traced(chat_stream(legacy, STOP)), 1, 2) == [b"]"]


def test_content_that_came_as_a_list_leads_into_its_parts() -> None:
    parts = b'"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"},{"text":"?"}]},'
    parts += b'{"type":"text","text":"Yes"},{"type":"image"}]'
    found = traced(chat_stream(delta(parts), STOP))
    assert spelt(found, 0, 3) == [b"hm", b"?"]
    assert spelt(found, 1, 3, lane=1) == [b"es"]


def test_a_name_that_stands_twice_says_the_last() -> None:
    found = traced(chat_stream(delta(b'"content":"one","content":"two"'), STOP))
    (origin,) = found.origins.of(0, 0, 3)
    ((start, end),) = origin.byte_ranges
    assert (found.body[start:end], start) == (b"two", found.body.index(b'"two"') + 1)


def test_an_escaped_name_is_the_same_name() -> None:
    assert spelt(traced(chat_stream(delta(rb'"cont\u0065nt":"x"'), STOP)), 0, 1) == [b"x"]


SNAPSHOT = b'{"choices":[{"index":0,"delta":{"content":"%s"},"cost_usd":0.001}]}'


def test_of_snapshots_each_has_its_own_bytes() -> None:
    found = traced(event(SNAPSHOT % rb"{\"a\":1}") + event(SNAPSHOT % rb"{\"a\":12}"))
    assert spelt(found, 7, 15) == [rb"{\"a\":12}"]


def test_legacy_text_leads_to_its_bytes() -> None:
    body = b"".join(
        event(b'{"object":"text_completion","choices":[{"index":0,"text":"%s"}]}' % text)
        for text in (b"Once", b" upon")
    )
    assert spelt(traced(body + DONE), 2, 6) == [b"ce", b" u"]


LINES = b'data: {"choices": [{"index": 0, "delta":\ndata: {"content": "one"}}]}\n\n'


def test_data_may_stand_on_several_lines() -> None:
    assert spelt(traced(LINES + DONE), 0, 3) == [b"one"]
    lines = b'data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":{"a":\ndata: 1}}}]}}]}\n\n'
    found = traced(lines + DONE)
    assert spelt(found, 0, 8) == [b'{"a":\n', b"1}"]


@pytest.mark.parametrize(
    "body",
    [
        contents(b"one", b"two").replace(b"\n", b"\r\n"),
        contents(b"one", b"two").replace(b"\n", b"\r"),
        b"\xef\xbb\xbf" + contents(b"one", b"two"),
        contents(b"one", b"two").replace(b"data: ", b"event: chunk\nid: 1\n: keep\ndata:"),
        contents(b"one", b"two").removesuffix(b"\n\n"),
        contents(b"one", b"two").replace(b"data: [DONE]", b"").replace(b"data: ", b""),
        b"As it was pasted:\n\n" + contents(b"one", b"two"),
    ],
    ids=["crlf", "cr", "mark", "fields", "tail", "lines", "pasted"],
)
def test_every_framing_leads_to_the_same_bytes(body: bytes) -> None:
    assert spelt(traced(body), 1, 5) == [b"ne", b"tw"]


def test_a_stream_that_was_quoted_leads_behind_the_marks() -> None:
    body = b'> data: {\n>   "choices": [{\n>     "delta": {"content": "one"}\n>   }]\n> }\n'
    assert spelt(traced(body + b"> \n> data: [DONE]\n"), 1, 3) == [b"ne"]


def test_places_in_a_compressed_body_are_those_of_what_comes_out() -> None:
    packed = gzip.compress(contents(b"one", b"two"))
    found = traced(packed, headers=(("Content-Encoding", "gzip"),))
    assert spelt(found, 2, 4) == [b"e", b"t"]


def test_a_whole_body_has_places_too() -> None:
    body = completion(
        choice(b'"content":"first"'),
        choice(b'"content":"second","reasoning":"why"').replace(b'"index":0', b'"index":1'),
    )
    found = traced(b"\xef\xbb\xbf \n" + body)
    assert [spelt(found, 0, 3, lane) for lane in range(3)] == [[b"fir"], [b"sec"], [b"why"]]


def test_times_and_reads_are_those_of_the_events() -> None:
    first, second = chunk(delta(b'"content":"one"')), chunk(delta(b'"content":"two"'))
    known = {
        "reads": (Read(100, first[:9]), Read(200, first[9:] + second[:5]), Read(300, second[5:]))
    }
    origins = list(traced(b"", **known).origins.of(0, 0, 6))
    assert [(each.read, each.at_us) for each in origins] == [(1, 200), (2, 300)]
    (untimed,) = traced(first + DONE).origins.of(0, 0, 3)
    assert untimed.at_us is None


def test_no_byte_is_told_where_the_body_says_something_else() -> None:
    found = traced(contents(b"one", b"two"))
    other = Origins(found.tape, found.body.replace(b'"two"', b'"to" '))
    assert [bool(origin.byte_ranges) for origin in other.of(0, 0, 6)] == [True, False]
    assert [origin.event for origin in other.of(0, 0, 6)] == [1, 2]


def test_a_range_beyond_a_lane_gives_what_there_is() -> None:
    found = traced(contents(b"one"))
    assert spelt(found, 2, 99) == [b"e"]
    assert list(found.origins.of(0, 3, 99)) == []


def test_far_into_a_long_text_characters_have_their_own_bytes() -> None:
    content = (rb"\u00e9" + "\N{GRINNING FACE}x".encode() + rb"\n") * 6_000 + b"the end"
    assert strings.encoded_length_u16(content) == 5 * 6_000 + 7
    for start, end, due in (
        (25_000, 25_001, rb"\u00e9"),
        (29_996, 29_998, "\N{GRINNING FACE}".encode()),
        (29_999, 30_003, rb"\nthe"),
    ):
        first, last = strings.bytes_of(content, start, end)
        assert content[first:last] == due
    first, _ = strings.bytes_of(content, 29_995, 29_996)
    assert first == len(content) - len(rb"\u00e9xxxxx\nthe end")


# -- the promise ----------------------------------------------------------------------------------


@pytest.mark.parametrize("sample", list(recordings()), ids=lambda arrival: arrival.note)
def test_every_character_of_the_samples_has_bytes_that_decode_to_it(sample: Submission) -> None:
    found = Traced(sample.exchange)
    assert list(found.faults()) == []
    assert found.characters == sum(found.tape.pieces.length_u16)


PARTS = [rb"\n", rb"\u00e9", rb"\ud83d", rb"\ude00", rb"\\", b"a", "é".encode(), "😀".encode(), b"\xff", b"\xf0\x9f"]  # fmt: skip


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=12))
def test_every_unit_of_a_string_is_spelt_by_bytes_of_it(parts: list[bytes]) -> None:
    content = b"".join(parts)
    found = Traced(exchange(contents(content)))
    assert list(found.faults()) == []
    assert strings.encoded_length_u16(content) == found.origins.length_u16(0)


def test_a_whole_answer_is_one_event() -> None:
    (origin,) = traced(GOOD).origins.of(0, 1, 3)
    assert (origin.event, GOOD[slice(*origin.byte_ranges[0])]) == (0, b"el")
