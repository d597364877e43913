"""Tool calls put together: by index, by id, by place."""

import re

import pytest
from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.completion import ArgumentsCause, ArgumentsState
from inspector.core.tape import LaneKind
from tests.core.bodies import (
    ROLE,
    STOP,
    analysis,
    calls_stream,
    chat_stream,
    choice,
    codes,
    completion,
    delta,
    reading,
)


def calls(result: Analysis) -> list[tuple[object, object, str]]:
    """id, name and arguments of every call of the only choice."""
    (one,) = result.choices
    return [(call.id, call.name, call.arguments_text) for call in one.tool_calls]


PARALLEL = (
    b'{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}',
    b'{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":""}}',
    b'{"index":0,"function":{"arguments":"{\\"x\\""}}',
    b'{"index":1,"function":{"arguments":"{"}}',
    b'{"index":0,"function":{"arguments":":1}"}}',
    b'{"index":1,"function":{"arguments":"}"}}',
)


def test_parallel_calls_are_joined_by_index_and_not_by_arrival() -> None:
    result = analysis(calls_stream(*PARALLEL))
    assert calls(result) == [("a", "f", '{"x":1}'), ("b", "g", "{}")]
    assert codes(result) == {"usage.missing"}


def test_every_call_has_a_lane_in_the_order_of_opening() -> None:
    tape = reading(calls_stream(*PARALLEL)).tape()
    lanes = [(lane.kind, lane.tool_call) for lane in tape.lanes]
    assert lanes == [(LaneKind.TOOL_CALL, 0), (LaneKind.TOOL_CALL, 1)]
    assert tape.pieces.lane == [0, 1, 0, 1]


def test_the_completion_holds_whole_calls_without_stream_indexes() -> None:
    result = analysis(calls_stream(*PARALLEL))
    assert result.completion["choices"][0]["message"]["tool_calls"] == [
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x":1}'}},
        {"id": "b", "type": "function", "function": {"name": "g", "arguments": "{}"}},
    ]


def test_an_id_repeated_with_empty_names_continues_its_call() -> None:
    result = analysis(
        calls_stream(
            b'{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{"}}',
            b'{"index":0,"id":"a","type":"function","function":{"name":"","arguments":"}"}}',
        )
    )
    assert calls(result) == [("a", "f", "{}")]
    assert codes(result) == {"tool.field-emptied", "tool.field-repeated", "usage.missing"}


def test_whole_calls_without_ids_at_one_index_are_several() -> None:
    result = analysis(
        calls_stream(
            b'{"index":0,"function":{"name":"tide","arguments":"{\\"port\\":"}}',
            b'{"index":0,"function":{"arguments":"\\"Oban\\"}"}}',
            b'{"index":0,"function":{"name":"tide","arguments":"{\\"port\\":\\"Ayr\\"}"}}',
            b'{"index":0,"function":{"name":"moon","arguments":"{}"}}',
        )
    )
    assert calls(result) == [
        (UNSET, "tide", '{"port":"Oban"}'),
        (UNSET, "tide", '{"port":"Ayr"}'),
        (UNSET, "moon", "{}"),
    ]
    assert {"tool.index-repeated", "tool.id-missing"} <= codes(result)


def test_another_name_behind_whole_arguments_begins_a_call_before_its_arguments_do() -> None:
    result = analysis(
        calls_stream(
            b'{"index":0,"function":{"name":"tide","arguments":""}}',
            b'{"index":0,"function":{"arguments":"{}"}}',
            b'{"index":0,"function":{"name":"moon","arguments":""}}',
            b'{"index":0,"function":{"arguments":"{}"}}',
        )
    )
    assert calls(result) == [(UNSET, "tide", "{}"), (UNSET, "moon", "{}")]


@pytest.mark.parametrize("index", [b'"index":0,', b""], ids=["one index", "no index"])
def test_a_name_again_goes_on_with_a_call_whose_arguments_are_not_whole(index: bytes) -> None:
    entries = (
        b'{%s"function":{"name":"tide","arguments":"{\\"in\\":\\"{"}}',
        b'{%s"function":{"name":"tide","arguments":"{}}"}}',
        b'{%s"function":{"name":"tide","arguments":"\\"}"}}',
    )
    result = analysis(calls_stream(*(entry % index for entry in entries)))
    assert calls(result) == [(UNSET, "tide", '{"in":"{{}}"}')]


def test_null_arguments_after_a_piece_are_named_and_change_nothing() -> None:
    piece = b'{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}'
    result = analysis(calls_stream(piece, b'{"index":0,"function":{"arguments":null}}'))
    assert calls(result) == [("a", "f", "{}")]
    assert "tool.field-emptied" in codes(result)


def test_a_new_id_with_a_name_at_an_index_in_use_opens_a_call() -> None:
    result = analysis(
        calls_stream(
            b'{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}',
            b'{"index":0,"id":"b","type":"function","function":{"name":"g","arguments":"{"}}',
            b'{"index":0,"function":{"arguments":"}"}}',
        )
    )
    assert calls(result) == [("a", "f", "{}"), ("b", "g", "{}")]


def test_a_new_id_without_a_name_is_a_changed_id_and_the_last_holds() -> None:
    result = analysis(
        calls_stream(
            b'{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{"}}',
            b'{"index":0,"id":"z","function":{"arguments":"}"}}',
        )
    )
    assert calls(result) == [("z", "f", "{}")]
    assert "tool.id-changed" in codes(result)


@pytest.mark.parametrize(
    ("index", "code"),
    [
        (b"", "tool.index-missing"),
        (b'"index":null,', "tool.index-missing"),
        (b'"index":"0",', "choice.index-malformed"),
        (b'"index":-1,', "choice.index-malformed"),
        (b'"index":0.5,', "choice.index-malformed"),
        (b'"index":true,', "choice.index-malformed"),
    ],
    ids=["missing", "null", "text", "negative", "fraction", "true"],
)
def test_without_a_usable_index_calls_are_joined_by_id(index: bytes, code: str) -> None:
    entries = (
        b'{%s"id":"a","type":"function","function":{"name":"f","arguments":"{"}}',
        b'{%s"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}',
        b'{%s"id":"a","function":{"arguments":"}"}}',
    )
    result = analysis(calls_stream(*(entry % index for entry in entries)))
    assert calls(result) == [("a", "f", "{}"), ("b", "g", "{}")]
    assert code in codes(result)


@pytest.mark.parametrize("index", [b'"0"', b"true", b"1.5", b"-1", b"{}"])
def test_an_index_that_is_no_position_is_quoted_in_a_whole_answer_too(index: bytes) -> None:
    call = (
        b'{"index":%s,"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}' % index
    )
    result = analysis(completion(choice(b'"content":null,"tool_calls":[%s]' % call)))
    (found,) = [each for each in result.findings if each.code == "choice.index-malformed"]
    assert found.message == (
        f"The index of a tool call is {index.decode()}, not a whole number of 0 or more."
    )
    assert found.where.pointer == "/choices/0/message/tool_calls/0"


@pytest.mark.parametrize("index", [b"", b'"index":null,', b'"index":0,', b'"index":3,'])
def test_a_whole_answer_needs_no_index_of_a_call(index: bytes) -> None:
    call = b'{%s"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}' % index
    result = analysis(completion(choice(b'"content":null,"tool_calls":[%s]' % call)))
    assert not {code for code in codes(result) if "index" in code}


def test_without_index_and_id_a_piece_continues_the_call_that_was_opened_last() -> None:
    result = analysis(
        calls_stream(
            b'{"id":"a","type":"function","function":{"name":"f","arguments":"{"}}',
            b'{"function":{"arguments":"}"}}',
            b'{"id":"b","type":"function","function":{"name":"g","arguments":"["}}',
            b'{"function":{"arguments":"]"}}',
        )
    )
    assert calls(result) == [("a", "f", "{}"), ("b", "g", "[]")]


def test_without_index_and_id_pieces_of_one_event_are_joined_by_place() -> None:
    opening = (
        b'{"id":"a","type":"function","function":{"name":"f","arguments":"{"}},'
        b'{"id":"b","type":"function","function":{"name":"g","arguments":"["}}'
    )
    rest = b'{"function":{"arguments":"}"}},{"function":{"arguments":"]"}}'
    assert calls(analysis(calls_stream(opening, rest))) == [("a", "f", "{}"), ("b", "g", "[]")]


def test_without_index_and_id_another_name_opens_a_call() -> None:
    result = analysis(
        calls_stream(
            b'{"type":"function","function":{"name":"f","arguments":"{}"}}',
            b'{"type":"function","function":{"name":"g","arguments":"[]"}}',
        )
    )
    assert calls(result) == [(UNSET, "f", "{}"), (UNSET, "g", "[]")]


def test_a_call_without_index_never_takes_the_index_of_another() -> None:
    result = analysis(
        calls_stream(
            b'{"index":1,"id":"a","type":"function","function":{"name":"f","arguments":"{"}}',
            b'{"id":"b","type":"function","function":{"name":"g","arguments":"[]"}}',
            b'{"index":1,"function":{"arguments":"}"}}',
        )
    )
    assert calls(result) == [("a", "f", "{}"), ("b", "g", "[]")]


@pytest.mark.parametrize("index", [3, 1_000_000_000, 10**30], ids=["gap", "huge", "over 64 bits"])
def test_an_index_is_a_name_and_sizes_nothing(index: int) -> None:
    entry = (
        b'{"index":%d,"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}' % index
    )
    result = analysis(calls_stream(entry))
    assert calls(result) == [("a", "f", "{}")]
    assert result.choices[0].tool_calls[0].index == index


def test_calls_of_a_whole_answer_stand_in_the_order_sent_whatever_their_index() -> None:
    calls_sent = (
        b'"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},'
        b'{"index":0,"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]'
    )
    body = completion(choice(b'"role":"assistant",' + calls_sent, b'"finish_reason":"tool_calls"'))
    assert calls(analysis(body)) == [("a", "f", "{}"), ("b", "g", "{}")]


def test_object_arguments_are_kept_as_the_text_that_was_sent() -> None:
    entry = (
        b'{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":{"x" : 1.50}}}'
    )
    result = analysis(calls_stream(entry))
    assert calls(result) == [("a", "f", '{"x" : 1.50}')]
    assert "tool.arguments-not-text" in codes(result)
    sent = result.completion["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"]
    assert sent == {"x": 1.5}


def test_object_arguments_beside_half_of_a_surrogate_pair_are_not_lost() -> None:
    call = b'{"id":"a","type":"function","function":{"name":"f","arguments":{"x":1}}}'
    message = b'"role":"assistant","content":"\\ud800","tool_calls":[%s]' % call
    result = analysis(completion(choice(message, b'"finish_reason":"tool_calls"')))
    assert calls(result) == [("a", "f", '{"x":1}')]


def test_null_arguments_add_nothing() -> None:
    result = analysis(
        calls_stream(
            b'{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":null}}',
            b'{"index":0,"function":{"arguments":"{}"}}',
        )
    )
    assert calls(result) == [("a", "f", "{}")]


def test_a_custom_call_has_a_name_and_a_free_text_and_is_no_fault() -> None:
    custom = b'{"id":"a","type":"custom","custom":{"name":"shell","input":"ls {","format":"x"}}'
    body = completion(
        choice(b'"role":"assistant","tool_calls":[%s]' % custom, b'"finish_reason":"tool_calls"')
    )
    result = analysis(body)
    assert codes(result) == {"message.content-missing"}
    (call,) = result.choices[0].tool_calls
    assert (call.type, call.name, call.arguments_text) == ("custom", "shell", "ls {")
    assert (call.arguments_state, call.arguments_cause) == (ArgumentsState.FREE_TEXT, None)
    assert call.extras == {"/custom/format": "x"}


CUSTOM = (
    b'{"index":0,"id":"a","type":"custom","custom":{"name":"shell","input":""}}',
    b'{"index":0,"custom":{"input":"ls "}}',
    b'{"index":1,"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}',
    b'{"index":0,"custom":{"input":"-l"}}',
)


def test_a_custom_call_is_joined_over_its_chunks_on_a_lane_of_its_own() -> None:
    machine = reading(calls_stream(*CUSTOM))
    result, tape = machine.analysis(), machine.tape()
    assert calls(result) == [("a", "shell", "ls -l"), ("b", "f", "{}")]
    assert codes(result) == {"usage.missing"}
    lanes = [(lane.kind, lane.tool_call) for lane in tape.lanes]
    assert lanes == [(LaneKind.TOOL_CALL, 0), (LaneKind.TOOL_CALL, 1)]
    assert tape.pieces.lane == [0, 1, 0]
    sent = result.completion["choices"][0]["message"]["tool_calls"][0]
    assert sent == {"id": "a", "type": "custom", "custom": {"name": "shell", "input": "ls -l"}}


def test_another_custom_call_at_an_index_in_use_opens_a_call() -> None:
    entry = b'{"index":0,"id":"%s","type":"custom","custom":{"name":"shell","input":"%s"}}'
    result = analysis(calls_stream(entry % (b"a", b"ls"), entry % (b"b", b"pwd")))
    assert calls(result) == [("a", "shell", "ls"), ("b", "shell", "pwd")]


@pytest.mark.parametrize("value", [b"7", b"{}", b"[1]"])
def test_the_input_of_a_custom_call_that_is_no_text_is_a_finding(value: bytes) -> None:
    entry = b'{"index":0,"id":"a","type":"custom","custom":{"name":"shell","input":%s}}' % value
    result = analysis(calls_stream(entry))
    assert calls(result) == [("a", "shell", "")]
    assert "tool.call-malformed" in codes(result)


def test_unknown_fields_of_a_call_are_kept_at_their_level() -> None:
    entry = b'{"index":0,"id":"a","type":"function","signature":"s","function":{"name":"f","arguments":"{}","strict":true}}'
    (call,) = analysis(calls_stream(entry)).choices[0].tool_calls
    assert call.extras == {"/signature": "s", "/function/strict": True}


def test_a_legacy_function_call_is_a_field_of_its_own() -> None:
    body = chat_stream(
        ROLE,
        delta(b'"function_call":{"name":"f","arguments":""}'),
        delta(b'"function_call":{"arguments":"{\\"x\\""}'),
        delta(b'"function_call":{"arguments":":1}"}'),
        b'{"index":0,"delta":{},"finish_reason":"function_call"}',
    )
    machine = reading(body)
    (one,) = machine.analysis().choices
    assert one.function_call is not None
    assert (one.function_call.name, one.function_call.arguments_text) == ("f", '{"x":1}')
    assert one.function_call.arguments_state is ArgumentsState.VALID
    assert one.tool_calls == ()
    assert [lane.kind for lane in machine.tape().lanes] == [LaneKind.FUNCTION_CALL]


def test_null_calls_are_no_calls() -> None:
    result = analysis(chat_stream(ROLE, delta(b'"tool_calls":null,"function_call":null'), STOP))
    assert calls(result) == []
    assert codes(result) == {"usage.missing", "choice.says-nothing"}


@pytest.mark.parametrize("entry", [b'"x"', b"null", b"7", b"[]"])
def test_a_call_that_is_no_object_is_flagged_and_opens_nothing(entry: bytes) -> None:
    result = analysis(calls_stream(entry))
    assert calls(result) == []
    assert "tool.call-malformed" in codes(result)


MIXED = (
    b'{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\\"x\\":"}}',
    b'{"index":0,"id":"b","function":{"arguments":"{\\"y\\""}}',
    b'{"index":0,"function":{"arguments":"1}"}}',
)
RENAMED = (
    b'{"index":0,"type":"function","function":{"name":"f","arguments":"{"}}',
    b'{"index":0,"type":"function","function":{"name":"g","arguments":"{}"}}',
)


@pytest.mark.parametrize("entries", [MIXED, RENAMED], ids=["another id", "another name"])
def test_two_calls_under_one_index_are_named_as_the_cause(entries: tuple[bytes, ...]) -> None:
    (call,) = analysis(calls_stream(*entries)).choices[0].tool_calls
    assert call.arguments_cause is ArgumentsCause.INDEX_COLLISION


def test_an_id_that_changes_after_the_break_did_not_cause_it() -> None:
    entries = (
        b'{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{x"}}',
        b'{"index":0,"id":"b","function":{"arguments":"}"}}',
    )
    (call,) = analysis(calls_stream(*entries)).choices[0].tool_calls
    assert call.arguments_cause is ArgumentsCause.MALFORMED


def test_the_event_that_brought_the_breaking_character_is_told_with_its_bytes() -> None:
    body = calls_stream(
        b'{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\\"\xc3\xa9\\""}}',
        b'{"index":0,"function":{"arguments":":1"}}',
        b'{"index":0,"function":{"arguments":",}"}}',
    )
    result = analysis(body)
    (call,) = result.choices[0].tool_calls
    assert (call.invalid_at, call.invalid_at_byte, call.invalid_event) == (7, 8, 3)
    (finding,) = [f for f in result.findings if f.code == "tool.arguments-invalid"]
    where = finding.where
    assert (where.event, where.pointer) == (3, "/choices/0/message/tool_calls/0/function/arguments")
    assert (where.byte_start, where.byte_end) == call.invalid_bytes
    assert body[: where.byte_end].endswith(b'{"index":0,"function":{"arguments":",}')


def test_in_a_whole_answer_the_breaking_byte_is_told_without_an_event() -> None:
    entry = b'{"id":"a","type":"function","function":{"name":"f","arguments":"{\\"\\u00e9\\":1,}"}}'
    body = completion(choice(b'"role":"assistant","tool_calls":[%s]' % entry))
    (call,) = analysis(body).choices[0].tool_calls
    assert (call.invalid_at, call.invalid_event) == (7, None)
    assert call.invalid_bytes is not None
    assert body[call.invalid_bytes[0] :].startswith(b'}"}}')


def test_a_break_inside_a_surrogate_pair_that_two_events_share_is_placed_in_the_first() -> None:
    entries = (
        b'{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\\ud83d"}}',
        b'{"index":0,"function":{"arguments":"\\ude00}"}}',
    )
    (call,) = analysis(calls_stream(*entries)).choices[0].tool_calls
    assert (call.arguments_text, call.invalid_at, call.invalid_event) == ("{\U0001f600}", 1, 1)


def test_equal_pieces_of_two_calls_in_one_event_break_each_at_its_own_byte() -> None:
    entry = b'{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"x"}}'
    more = b'{"index":1,"id":"b","type":"function","function":{"name":"f","arguments":"x"}}'
    body = calls_stream(entry + b"," + more)
    first, second = analysis(body).choices[0].tool_calls
    assert (first.invalid_event, second.invalid_event) == (1, 1)
    places = [match.start(1) for match in re.finditer(rb'"arguments":"(x)', body)]
    assert [first.invalid_bytes, second.invalid_bytes] == [(at, at + 1) for at in places]


def test_a_text_that_was_cut_breaks_in_the_last_event_that_gave_it_characters() -> None:
    entries = (
        b'{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{"}}',
        b'{"index":0,"function":{"arguments":"\\"x"}}',
        b'{"index":0,"function":{"arguments":""}}',
    )
    body = calls_stream(*entries)
    result = analysis(body)
    (call,) = result.choices[0].tool_calls
    assert (call.arguments_state, call.invalid_at, call.invalid_event) == ("truncated", 3, 2)
    quote = body.index(rb'"\"x"') + len(rb'"\"x')
    (finding,) = [f for f in result.findings if f.code == "tool.arguments-truncated"]
    assert (finding.where.event, finding.where.byte_start, finding.where.byte_end) == (
        2, quote, quote + 1,
    )  # fmt: skip


def test_in_a_whole_answer_a_text_that_was_cut_breaks_at_the_quote_behind_it() -> None:
    entry = b'{"id":"a","type":"function","function":{"name":"f","arguments":"{\\"\xc3\xa9"}}'
    body = completion(choice(b'"role":"assistant","tool_calls":[%s]' % entry))
    (call,) = analysis(body).choices[0].tool_calls
    assert (call.arguments_state, call.invalid_event) == ("truncated", None)
    quote = body.index("é".encode()) + 2
    assert call.invalid_bytes == (quote, quote + 1)


def test_a_cut_behind_a_surrogate_pair_that_two_events_share_is_placed_in_the_second() -> None:
    entries = (
        b'{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\\"\\ud83d"}}',
        b'{"index":0,"function":{"arguments":"\\ude00"}}',
    )
    body = calls_stream(*entries)
    (call,) = analysis(body).choices[0].tool_calls
    assert (call.arguments_text, call.arguments_state) == ('{"\U0001f600', "truncated")
    quote = body.index(rb"\ude00") + 6
    assert (call.invalid_event, call.invalid_bytes) == (2, (quote, quote + 1))


def test_arguments_on_several_data_lines_break_at_their_byte() -> None:
    body = (
        b'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[\n'
        b'data: {"index":0,"id":"a","function":{"name":"f","arguments":"{x}"}}]}}]}\n\n'
    )
    (call,) = analysis(body).choices[0].tool_calls
    at = body.index(b"x}")
    assert (call.invalid_event, call.invalid_bytes) == (0, (at, at + 1))


def test_the_length_limit_is_told_from_other_ends() -> None:
    entry = b'{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{"}}'
    body = chat_stream(
        delta(b'"tool_calls":[%s]' % entry), b'{"index":0,"delta":{},"finish_reason":"length"}'
    )
    (call,) = analysis(body).choices[0].tool_calls
    assert call.arguments_cause is ArgumentsCause.LENGTH_LIMIT


def test_a_legacy_call_is_looked_at_as_a_tool_call_is() -> None:
    body = chat_stream(
        delta(b'"function_call":{"name":"f","arguments":"{"}'),
        delta(b'"function_call":{"arguments":"x}"}'),
        b'{"index":0,"delta":{},"finish_reason":"function_call"}',
    )
    result = analysis(body)
    legacy = result.choices[0].function_call
    assert legacy is not None
    assert (legacy.arguments_cause, legacy.invalid_event) == (ArgumentsCause.MALFORMED, 1)
    assert "tool.arguments-invalid" in codes(result)


def test_the_breaks_of_many_calls_are_found_by_one_walk_over_the_pieces() -> None:
    entries = (
        b'{"index":%d,"id":"c%d","type":"function","function":{"name":"f","arguments":"{x"}}'
        % (n, n)
        for n in range(2_000)
    )
    found = analysis(calls_stream(*entries)).choices[0].tool_calls
    assert [call.invalid_event for call in found] == list(range(1, 2_001))
