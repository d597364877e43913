"""A chunk that is read by its difference gives what reading it whole gives."""

from unittest.mock import patch

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.core.analysis import analysis_to_json
from inspector.core.fold import assembly
from inspector.core.fold.chunk_fast_path import ChunkShape
from tests.core.bodies import DONE, ROLE, STOP, calls_stream, chunk, codes, delta, event, reading

HEAD = b'{"id":"c","choices":[{"index":0,"delta":{"content":'
TAIL = b'},"finish_reason":null}]}'


def learned(text: bytes = HEAD + b'"one"' + TAIL) -> ChunkShape | None:
    """The shape that the fold learns from one chunk."""
    fold = assembly.Assembly()
    fold.event(0, len(text), text)
    return fold.shapes.last


def result(body: bytes) -> tuple[bytes, bytes]:
    done = reading(body)
    return analysis_to_json(done.analysis()), msgspec.json.encode(done.tape())


def read_whole(body: bytes) -> tuple[bytes, bytes]:
    """The same without a shape ever being learned, and without a look at the last chunk."""
    repeats = patch.object(assembly.Assembly, "_repeats", return_value=False)
    with repeats, patch.object(assembly, "chunk_shape_of", return_value=None):
        return result(body)


def count_parsed(body: bytes) -> int:
    """How many chunks were parsed."""
    with patch.object(
        assembly.Assembly, "_take_object", autospec=True, side_effect=assembly.Assembly._take_object
    ) as taken:
        result(body)
    return taken.call_count


def count_alike(body: bytes) -> int:
    """How many chunks were read by their difference."""
    return body.count(b"data: {") - count_parsed(body)


def test_the_text_alone_is_decoded() -> None:
    shape = learned()
    assert shape is not None
    assert shape.differences(HEAD + b'"two \\"words\\"\\n"' + TAIL) == ('two "words"\n', {})
    assert shape.differences(HEAD + '"日本"'.encode() + TAIL) == ("日本", {})
    assert shape.differences(HEAD + b'""' + TAIL) == ("", {})


@pytest.mark.parametrize(
    "chunk_text",
    [
        HEAD + b"null" + TAIL,
        HEAD + b'["two"]' + TAIL,
        HEAD + b'"two","content":"three"' + TAIL,
        HEAD + b'"two","refusal":"no"' + TAIL,
        HEAD + b'"\\u0000"' + TAIL,
        HEAD + b'"\\ud83d"' + TAIL,
        HEAD + b'"raw \n line"' + TAIL,
        HEAD + b'"two"\n' + TAIL,
        HEAD + b'"\xff"' + TAIL,
        HEAD + b'"two"' + TAIL + b" ",
        HEAD + TAIL,
        HEAD[:-1] + b'"two"' + TAIL,
        b"[DONE]",
        b"",
    ],
)
def test_what_differs_in_more_than_a_plain_text_is_read_whole(chunk_text: bytes) -> None:
    shape = learned()
    assert shape is not None
    assert shape.differences(chunk_text) is None


def test_padding_may_differ_beside_the_text() -> None:
    text = HEAD + b'"one"},"finish_reason":null}],"obfuscation":"xK"}'
    shape = learned(text)
    assert shape is not None
    other = HEAD + b'"two"},"finish_reason":null}],"obfuscation":"9"}'
    assert shape.differences(other) == ("two", {"obfuscation": "9"})


def test_usage_may_differ_beside_the_text() -> None:
    text = HEAD + b'"one"},"finish_reason":null}],"usage":{"total_tokens":1},"p":"x"}'
    shape = learned(text)
    assert shape is not None
    other = HEAD + b'"two"},"finish_reason":null}],"usage":{"total_tokens":%b},"p":"y"}'
    assert shape.differences(other % b"2") == ("two", {"usage": {"total_tokens": 2}, "p": "y"})
    assert shape.differences(other % b'2,"total_tokens":3') is None
    assert shape.differences(other % b"NaN") is None
    assert shape.differences(other % b"\n2") is None
    assert shape.differences(other % (b"[" * 63 + b"]" * 63)) is None


def test_log_probabilities_may_differ_beside_the_text() -> None:
    text = HEAD + b'"one"},"logprobs":{"content":[{"token":"one"}]}}]}'
    shape = learned(text)
    assert shape is not None
    other = HEAD + b'"two"},"logprobs":%b}]}'
    tokens = {"content": [{"token": "tw"}, {"token": "o"}], "refusal": None}
    sent = b'{"content":[{"token":"tw"},{"token":"o"}],"refusal":null}'
    assert shape.differences(other % sent) == ("two", {"logprobs": tokens})
    for odd in (b"null", b"[]", b'{"a":1,"a":2}', b"{},{}", b"{}]],[[{}", b'{"a":NaN}', b"{"):
        assert shape.differences(other % odd) is None
    assert shape.differences(other % (b'{"a":' + b"[" * 61 + b"]" * 61 + b"}")) is None


@pytest.mark.parametrize(
    "logprobs",
    [
        b'{"content":[{"token":"%d","logprob":-0.5,"bytes":[1],"top_logprobs":[]}],"refusal":null}',
        b'{"tokens":["%d"],"token_logprobs":[-0.5],"text_offset":[0]}',
        b'{"content":[{"token":"},\\"logprobs\\":{%d","logprob":-0.5}]}',
        b'{"note":"%d"}',
    ],
)
def test_a_stream_with_log_probabilities_is_read_by_differences(logprobs: bytes) -> None:
    more = b'"delta":{"content":"%d"},"logprobs":' + logprobs
    words = [chunk(b'"index":0,' + more % (number, number)) for number in range(10)]
    body = b"".join(words) + chunk(STOP) + DONE
    assert count_alike(body) == 9
    assert result(body) == read_whole(body)


@pytest.mark.parametrize(
    "text",
    [
        HEAD + b'"one"},"logprobs":[]}]}',
        HEAD + b'"one"},"logprobs":{"content":[{"logprobs":1}]}}]}',
        HEAD + b'"one"},"l\\u006fgprobs":{"content":[]},"x":"logprobs"}]}',
        HEAD + b'"one","refusal":"no"' + TAIL,
        HEAD + b'"one","channel":"final"' + TAIL,
        HEAD + b'"one","reasoning_details":[{"text":"one"}]' + TAIL,
        HEAD + b'"one"},"finish_reason":null},{"index":1,"delta":{}}]}',
        b'{"id":"content","choices":[{"index":0,"delta":{"content":"one"}}]}',
        b'{"choices":[]}',
        b'{"content":"x","choices":[{"index":0,"delta":{"cont\\u0065nt":"one"}}]}',
        b'{"choices":[{"index":0,"delta":{"content":"one"}}],"us\\u0061ge":{},"x":"usage"}',
    ],
)
def test_a_chunk_whose_likes_may_say_more_is_no_shape(text: bytes) -> None:
    assert learned(text) is None


def test_a_plain_stream_is_read_by_differences() -> None:
    words = [chunk(delta(b'"content":"word %d"' % number)) for number in range(10)]
    assert count_alike(b"".join(words) + DONE) == 9


def test_a_chunk_that_changes_a_field_is_a_model_for_those_that_repeat_it() -> None:
    words = [
        chunk(delta(b'"content":"w"'), more=b'"system_fingerprint":"%d"' % (number // 5))
        for number in range(10)
    ]
    assert count_alike(b"".join(words) + DONE) == 8


def test_reasoning_beside_its_details_is_read_by_differences() -> None:
    details = b'"reasoning":"%d","reasoning_details":[{"type":"reasoning.text","text":"%d"}]'
    words = [chunk(delta(details % (number, number))) for number in range(10)]
    body = b"".join(words) + DONE
    assert count_alike(body) == 8
    assert result(body) == read_whole(body)


@pytest.mark.parametrize(
    "entries",
    [
        b'{"type":"a","text":"%d"},{"type":"b"}',
        b'{"type":"a","text":"%d","summary":"x"}',
        b'{"type":"a","data":["%d"]}',
        b'"%d"',
    ],
)
def test_details_that_may_say_more_are_parsed(entries: bytes) -> None:
    details = b'"reasoning":"w","reasoning_details":[' + entries + b"]"
    body = b"".join(chunk(delta(details % number)) for number in range(10)) + DONE
    assert count_alike(body) == 0
    assert result(body) == read_whole(body)


def test_a_chunk_with_what_is_noted_once_is_a_model() -> None:
    words = [chunk(b'{"index":0,"delta":{"role":"assistant","content":"w"}}')] * 10
    body = b"".join(words) + DONE
    assert count_alike(body) == 8
    assert result(body) == read_whole(body)


def test_a_chunk_that_changed_nothing_is_not_parsed_again() -> None:
    wait = chunk(b'{"index":0,"delta":{}}')
    body = chunk(ROLE) + wait * 10 + chunk(delta(b'"content":"w"')) + wait * 10 + DONE
    assert count_parsed(body) == 4
    assert result(body) == read_whole(body)


@pytest.mark.parametrize(
    "between",
    [
        DONE,
        chunk(STOP),
        chunk(delta(b'"content":"w"', 1)),
        chunk(b'{"index":0,"delta":{}}', more=b'"system_fingerprint":"b"'),
        chunk(b'{"index":0,"delta":{}}', more=b'"usage":{"prompt_tokens":1}'),
        b"event: x\n",
        b": wait\n\n",
    ],
)
def test_a_chunk_that_changed_nothing_may_change_something_after_another(between: bytes) -> None:
    wait = chunk(b'{"index":0,"delta":{}}', more=b'"system_fingerprint":"a"')
    body = chunk(ROLE, more=b'"system_fingerprint":"a"') + wait * 3 + between + wait * 3 + DONE
    assert result(body) == read_whole(body)


def test_an_event_that_came_twice_is_noted_by_its_number_though_it_changed_nothing() -> None:
    kind = b"response.output_text.delta"
    first, again = (
        b'data: {"type":"%b","output_index":0,"content_index":0,"item_id":"m","delta":"%b",'
        b'"sequence_number":%d}\n\n' % (kind, text, number)
        for text, number in ((b"w", 7), (b"", 8))
    )
    typed = b"event: " + kind + b"\n" + again
    body = first + typed * 3
    assert "block.sequence-gap" in codes(reading(body).analysis())
    assert result(body) == read_whole(body)


@pytest.mark.parametrize(
    "data",
    [
        b'{"message":"overloaded"}',
        b'{"model":"other","system_fingerprint":"b","obfuscation":"x","message":"overloaded"}',
        b'{"usage":{"prompt_tokens":1,"service_tier":"flex"},"service_tier":"default","note":{"b":1}}',
    ],
)
def test_chunks_behind_an_error_event_are_read_by_differences(data: bytes) -> None:
    """An event that the framing calls an error leaves what chunks are compared with."""
    more = b'"system_fingerprint":"a","note":{"a":1}'
    words = [chunk(delta(b'"content":"%d"' % number), more=more) for number in range(4)]
    wait = chunk(b'{"index":0,"delta":{}}', more=more)
    error = b"event: error\n" + event(data)
    body = b"".join([*words, error, *words, error, wait, wait, error, wait]) + DONE
    assert count_parsed(b"".join([*words, error, *words]) + DONE) == 2
    assert result(body) == read_whole(body)


def test_choices_and_padding_that_take_turns_are_read_by_differences() -> None:
    words = [
        chunk(delta(b'"content":"w"', number % 2), more=b'"obfuscation":"%d"' % number)
        for number in range(10)
    ]
    assert count_alike(b"".join(words) + DONE) == 8


def test_arguments_of_a_call_are_read_by_differences() -> None:
    entry = b'{"index":0,"function":{"arguments":"%d"}}'
    first = b'{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":""}}'
    assert count_alike(calls_stream(first, *(entry % number for number in range(10)))) == 9


def test_padding_of_the_last_chunk_holds() -> None:
    body = b"".join(
        chunk(delta(b'"content":"w"'), more=b'"obfuscation":"%d"' % number) for number in (1, 2, 3)
    )
    assert reading(body + DONE).analysis().extras["/obfuscation"] == "3"


@pytest.mark.parametrize("fault", [b'"id":"again"', b'"x":1e999', b'"x":"\xff"', b'"x":"\\u0000"'])
def test_a_fault_is_counted_at_every_chunk_that_repeats_it(fault: bytes) -> None:
    body = chunk(delta(b'"content":"w"'), more=fault) * 3 + DONE
    assert result(body) == read_whole(body)


def test_an_event_after_the_end_mark_is_noted_though_it_is_like_the_one_before() -> None:
    same = chunk(delta(b'"content":"w"'))
    body = same + same + DONE + same
    assert result(body) == read_whole(body)


_TEXTS = st.sampled_from(
    [
        "",
        "a",
        " :",
        '"',
        "\\",
        "é",
        "🎉",
        "\n",
        "\\u00e9",
        '{"a":',
        "},{",
        '"content":"x"',
        "[DONE]",
    ]
)
_DELTAS = st.one_of(
    _TEXTS.map(lambda text: {"content": text}),
    _TEXTS.map(lambda text: {"reasoning": text, "content": None}),
    _TEXTS.map(lambda text: {"role": "assistant", "content": text}),
    _TEXTS.map(
        lambda text: {
            "reasoning": text,
            "reasoning_details": [{"type": "reasoning.text", "text": text, "index": 0}],
        }
    ),
    _TEXTS.map(lambda text: {"content": text, "channel": text}),
    st.sampled_from(["", "assistant"]).map(lambda role: {"role": role}),
    st.sampled_from(["{}", "{", "}", '{"a":1}', None]).map(
        lambda text: {"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": text}}]}
    ),
    _TEXTS.map(lambda text: {"tool_calls": [{"index": 0, "function": {"arguments": text}}]}),
    _TEXTS.map(
        lambda text: {
            "tool_calls": [{"index": 1, "id": "b", "function": {"name": "f", "arguments": text}}]
        }
    ),
    st.just({}),
)
_EXTRAS = st.sampled_from(
    [
        {},
        {"obfuscation": "x"},
        {"obfuscation": "yy"},
        {"p": "z"},
        {"created": 1},
        {"created": 2},
        {"model": ""},
        {"model": "m"},
        {"note": {"a": 1}},
        {"note": {"b": [2]}},
        {"usage": None},
        {"usage": {"prompt_tokens": 1}},
        {"usage": {"prompt_tokens": 2, "details": {"cached_tokens": 0}}},
        {"usage": {"prompt_tokens": 2}, "p": "z"},
        {"p": "z", "usage": {"prompt_tokens": 2}},
        {"content": "x"},
        {"content": "y"},
    ]
)
_MORE = st.sampled_from(
    [
        {},
        {"logprobs": None},
        {"logprobs": {}},
        {"logprobs": []},
        {"logprobs": {"content": [{"token": "a", "logprob": -1}]}},
        {"logprobs": {"content": [{"token": "b"}], "refusal": None}},
        {"logprobs": {"content": None, "x": "y"}},
        {"finish_reason": None},
        {"seed": 1},
        {"seed": 2},
    ]
)


@st.composite
def _chunks(draw: st.DrawFn) -> bytes:
    field = draw(st.sampled_from(["delta", "delta", "delta", "message"]))
    choice = {"index": draw(st.integers(0, 1)), field: draw(_DELTAS), **draw(_MORE)}
    return event(msgspec.json.encode({"id": "c", **draw(_EXTRAS), "choices": [choice]}))


_EVENTS = st.one_of(
    _chunks(),
    st.sampled_from([chunk(STOP), chunk(ROLE), DONE, b": wait\n\n", event(b'{"choices":[')]),
)


@given(st.lists(st.tuples(_EVENTS, st.integers(1, 3)), max_size=12))
@settings(max_examples=300, deadline=None)
def test_both_ways_give_the_same_reading(events: list[tuple[bytes, int]]) -> None:
    body = b"".join(one * times for one, times in events)
    assert result(body) == read_whole(body)


@pytest.mark.parametrize("tier", [b"", b',"service_tier":"default"', b',"service_tier":"flex"'])
def test_the_tier_in_usage_is_held_against_the_one_beside_it(tier: bytes) -> None:
    """Wherever in a stream usage states one, and whatever the chunks around it state."""
    default, counts = b'"service_tier":"default"', b'"usage":{"prompt_tokens":3%s}'
    words = [chunk(delta(b'"content":"%d"' % n), more=default) for n in range(4)]
    stating = chunk(delta(b'"content":"x"'), more=counts % b',"service_tier":"flex"' + tier)
    silent = chunk(delta(b'"content":"y"'), more=counts % b"" + tier)
    body = b"".join([*words, stating, silent, *words, silent, silent, stating, stating]) + DONE
    assert count_alike(body) > 0
    assert result(body) == read_whole(body)


def count_single(body: bytes) -> int:
    """How many events were taken one by one, and not in a run."""
    with patch.object(
        assembly.Assembly, "event", autospec=True, side_effect=assembly.Assembly.event
    ) as taken:
        result(body)
    return taken.call_count


PADDED = b'data: {"id":"c","choices":[{"index":0,"delta":{"content":"%d"}}],"p":"%d"}\n\n'
COUNTED = (
    b'data: {"id":"c","choices":[{"index":0,"delta":{"content":"%d"}}],'
    b'"usage":{"prompt_tokens":1,"completion_tokens":%d,"total_tokens":2}}\n\n'
)
TYPED = b'event: add\ndata: {"id":"c","choices":[{"index":0,"delta":{"content":"%d%d"}}]}\n\n'
TYPED_ALIKE = TYPED.replace(b"add", b"more")


@pytest.mark.parametrize("pattern", [PADDED, COUNTED, TYPED])
def test_alike_events_come_as_a_run_whatever_varies_in_them(pattern: bytes) -> None:
    body = b"".join(pattern % (number, number) for number in range(9)) + DONE
    # The first is the model of the seven behind it, and the end mark is no chunk.
    assert count_single(body) <= 3
    assert result(body) == read_whole(body)


def test_a_run_ends_where_the_type_of_the_events_changes() -> None:
    body = b"".join(pattern % (1, 2) for pattern in (TYPED, TYPED, TYPED_ALIKE, TYPED_ALIKE))
    assert result(body + DONE) == read_whole(body + DONE)
    assert reading(body + DONE).tape().pieces.event == [0, 1, 2, 3]
