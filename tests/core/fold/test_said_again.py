"""Repeated values are compared with what is there: equal counts once, a difference is told."""

import json
from collections.abc import Sequence

import pytest
from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.completion import Result
from inspector.core.fold import whole_parts
from inspector.core.fold.said_again import (
    Echo,
    are_said_again,
    difference,
    is_same_json,
    positions_in,
)
from inspector.core.json import Json
from inspector.core.tape import LaneMode
from tests.core.bodies import (
    DONE,
    ROLE,
    STOP,
    analysis,
    calls_stream,
    chat_stream,
    codes,
    delta,
    event,
    reading,
)
from tests.core.formats.recordings import assert_cuttings_agree, only_choice

GROWN = ("Ebb", "Ebb and", "Ebb and flow")
AGAIN = ("Ebb", " and", " flow", "Ebb and flow")
CALL = b'{"index":0,"id":"c1","type":"function","function":{"name":"tide","arguments":"{\\"port\\": \\"Ayr\\"}"}}'
CALLED = b'{"index":0,"delta":{},"finish_reason":"tool_calls"}'


def whole(message: str, reason: str = "stop") -> bytes:
    """A choice that is sent whole."""
    return b'{"index":0,"finish_reason":"%s","message":{"role":"assistant",%s}}' % (
        reason.encode(),
        message.encode(),
    )


def said(*pieces: str, field: str = "content") -> list[bytes]:
    return [delta(b'"%s":%s' % (field.encode(), json.dumps(piece).encode())) for piece in pieces]


def warnings(found: Analysis) -> set[str]:
    return codes(found) - {"usage.missing", "chunks.role-missing", "message.in-stream"}


# -- texts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pieces", "is_said_again"),
    [
        (GROWN, True),
        (("潮の満ち引き", "潮の満ち引きは月", "潮の満ち引きは月に引かれ"), True),
        (("Ebb", "Ebb", "Ebb and", "Ebb and flow"), True),
        (AGAIN, True),
        (("1", "10", "100"), False),
        (("ha", "haha", "hahaha", "hahahaha"), False),
        (("very ", "very very ", "very very very "), False),
        (("1", "12", "123", "1234", "12345", "123456", "1234567", "12345678", "123456789"), False),
        (("Ebb", "Ebb and flow"), False),
        (("Ebb", " and", " Ebb", " and"), False),
        (("no", " no", "no no"), False),
        ((), False),
        (("Ebb and flow",), False),
        (("Ebb and flow", "Ebb and flow"), True),
        (("Ebb, ebb", "Ebb, ebb"), False),
        (("Ja, ja! ", "Ja, ja! "), False),
        (("tide", "tide"), False),
    ],
)
def test_pieces_are_texts_so_far_but_by_chance(pieces: Sequence[str], is_said_again: bool) -> None:
    assert are_said_again(pieces) is is_said_again


@pytest.mark.parametrize(
    ("start", "pieces", "text"),
    [
        ("Ebb", ["Ebb", " and"], "Ebb and"),
        ("Ebb and flow", ["Ebb", " and", " flow", "."], "Ebb and flow."),
        ("Ebb", ["Ebb and"], "Ebb and"),
        ("Ebb and flow", ["Ebb", " or"], "Ebb and flowEbb or"),
        ("Ebb", [" and"], "Ebb and"),
        ("1", ["10", "0"], "1100"),
        ("", ["Ebb"], "Ebb"),
    ],
)
def test_pieces_are_new_unless_said_again(start: str, pieces: list[str], text: str) -> None:
    echo = Echo(start)
    assert start + "".join(map(echo.new_in, pieces)) == text


def test_a_difference_quotes_both_texts_where_they_begin_to_differ() -> None:
    begin = "It rained on the hills for the whole of the day, "
    assert difference(begin + "then not.", begin + "and on.") == (
        "58 characters instead of 56, different from character 49 on: "
        "“…e whole of the day, then not.” instead of “…e whole of the day, and on.”"
    )


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ('{"a": 1}', '{"a":1}', True),
        ('{"a":1}', '{"a":2}', False),
        ('{"a":1', '{"a":1', False),
        ('{"a":1}' + " " * 99, '{"a":1}', False),
    ],
)
def test_two_spellings_of_a_value_are_the_same(one: str, other: str, is_same: bool) -> None:
    assert is_same_json(one, other) is is_same


# -- lists ----------------------------------------------------------------------------------------

TEXT: Json = {"type": "message", "id": "m"}
THOUGHT: Json = {"type": "reasoning", "id": "r"}


@pytest.mark.parametrize(
    ("held", "sent", "positions"),
    [
        ({0: THOUGHT, 1: TEXT}, [THOUGHT, TEXT], [0, 1]),
        ({0: THOUGHT, 4: TEXT}, [THOUGHT, TEXT], [0, 4]),
        ({0: TEXT}, [THOUGHT, TEXT], [3, 0]),
        ({0: {"type": "message", "id": "old"}}, [TEXT], [0]),
        ({2: {"type": "message", "id": "old"}}, [TEXT], [2]),
        ({1: {}}, [TEXT], [1]),
        ({}, [1, TEXT], [0, 1]),
        ({0: TEXT, 1: {"type": "message", "id": "n"}}, [{"type": "message", "id": "n"}, TEXT], [1, 0]),
    ],
)  # fmt: skip
def test_items_of_a_list_are_the_same_by_id_else_by_place_and_type(
    held: dict[int, Json], sent: list[Json], positions: list[int]
) -> None:
    assert positions_in(held, sent) == positions


def test_lists_are_compared_so_long_and_then_by_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_parts, "MOST_COMPARED", 3)
    comparisons = whole_parts.Comparisons()
    assert comparisons.positions([THOUGHT, TEXT], [TEXT]) == [1]
    assert comparisons.positions([THOUGHT, TEXT], [TEXT]) == [0]


# -- in a stream of chunks ------------------------------------------------------------------------


@pytest.mark.parametrize("pieces", [GROWN, AGAIN], ids=["each so far", "the last all"])
@pytest.mark.parametrize("field", ["content", "reasoning_content", "refusal"])
def test_a_text_whose_pieces_repeat_it_is_said_once(field: str, pieces: tuple[str, ...]) -> None:
    body = chat_stream(ROLE, *said(*pieces, field=field), STOP)
    found = analysis(body)
    one = only_choice(found)
    named = {"reasoning_content": "reasoning"}.get(field, field)
    assert getattr(one, named) == "Ebb and flow"
    assert [block.text for block in one.blocks] == ["Ebb and flow"]
    assert found.completion["choices"][0]["message"][field] == "Ebb and flow"
    assert "message.said-again" in codes(found)
    assert_cuttings_agree(body)


def test_the_remark_quotes_the_text_so_far_and_the_piece_with_it() -> None:
    (remark,) = (
        each
        for each in analysis(chat_stream(ROLE, *said(*GROWN), STOP)).findings
        if each.code == "message.said-again"
    )
    assert remark.message == (
        "Pieces of content repeat the text so far: “Ebb and”, then “Ebb and flow”."
    )
    assert (remark.where.event, remark.where.pointer) == (2, "/choices/0/delta/content")


def test_the_place_of_a_text_that_its_last_piece_repeats_is_that_piece() -> None:
    found = analysis(chat_stream(ROLE, *said(*AGAIN), STOP)).findings
    assert [each.where.event for each in found if each.code == "message.said-again"] == [4]


def test_pieces_that_only_begin_alike_are_joined() -> None:
    found = analysis(chat_stream(ROLE, *said("2", "20", "200"), STOP))
    assert only_choice(found).content == "220200"
    assert not warnings(found)


def test_a_lane_that_repeats_itself_is_drawn_as_snapshots() -> None:
    machine = reading(chat_stream(ROLE, *said(*GROWN), STOP))
    assert [lane.mode for lane in machine.tape().lanes] == [LaneMode.SNAPSHOT]
    assert machine.snapshots() == {0: GROWN}


def test_a_legacy_text_whose_pieces_repeat_it_is_said_once() -> None:
    chunks = [
        b'{"id":"c","object":"text_completion","choices":[{"index":0,"text":"%s","finish_reason":null}]}'
        % piece.encode()
        for piece in GROWN
    ]
    found = analysis(b"".join(map(event, chunks)) + DONE)
    assert only_choice(found).text == "Ebb and flow"
    assert "message.said-again" in codes(found)


@pytest.mark.parametrize(
    ("pieces", "message"),
    [
        (said("Ebb ", "tide"), '"content":"Ebb tide"'),
        (said("Ebb ", "tide"), '"content":""'),
        (said("Ebb ", "tide"), '"content":null'),
        (said("Ebb ", "tide"), '"content":[{"type":"text","text":"Ebb tide"}]'),
        ([*said("Hm ", "so", field="reasoning"), *said("Ebb tide")],
            '"content":"Ebb tide","reasoning":"Hm so"'),
        ([*said("Hm ", "so", field="reasoning"), *said("Ebb tide")],
            '"content":"Ebb tide","reasoning_content":"Hm so"'),
        ([*said("Ebb tide"), delta(b'"annotations":[{"type":"x"}]')],
            '"content":"Ebb tide","annotations":[{"type":"x"}]'),
    ],
)  # fmt: skip
def test_a_whole_message_behind_its_deltas_is_the_same(pieces: list[bytes], message: str) -> None:
    body = chat_stream(ROLE, *pieces, STOP, whole(message))
    found = analysis(body)
    one = only_choice(found)
    assert one.content == "Ebb tide"
    assert one.reasoning == ("Hm so" if len(pieces) > 2 else UNSET)
    assert len(one.annotations or ()) == (1 if "annotations" in message else 0)
    assert warnings(found) <= {"message.content-parts"}
    assert_cuttings_agree(body)


def test_a_refusal_in_a_whole_message_is_the_one_that_came() -> None:
    pieces = said("I ", "cannot.", field="refusal")
    found = analysis(
        chat_stream(ROLE, *pieces, STOP, whole('"content":null,"refusal":"I cannot."'))
    )
    assert (only_choice(found).refusal, found.result) == ("I cannot.", Result.REFUSED)


def test_a_whole_message_that_differs_is_told_and_the_deltas_are_the_content() -> None:
    found = analysis(chat_stream(ROLE, *said("Ebb ", "tide"), STOP, whole('"content":"Ebb time"')))
    assert only_choice(found).content == "Ebb tide"
    assert messages_of(found, "block.whole-differs") == [
        "content sent whole differs from its pieces: 8 characters instead of 8, different from "
        "character 6 on: “Ebb time” instead of “Ebb tide”."
    ]


def test_what_only_the_whole_message_has_is_taken_from_it() -> None:
    message = f'"content":"Ebb","reasoning":"Hm","tool_calls":[{CALL.decode()}]'
    one = only_choice(analysis(chat_stream(ROLE, *said("Ebb"), STOP, whole(message))))
    assert (one.content, one.reasoning, len(one.tool_calls)) == ("Ebb", "Hm", 1)


def test_messages_in_place_of_deltas_are_joined_as_pieces() -> None:
    pieces = (b'{"index":0,"message":{"content":"%s"}}' % piece for piece in (b"Ebb ", b"tide"))
    assert only_choice(analysis(chat_stream(*pieces, STOP))).content == "Ebb tide"


@pytest.mark.parametrize(
    ("call", "is_same"),
    [
        (CALL, True),
        (CALL.replace(b'"index":0,', b""), True),
        (CALL.replace(b": ", b":"), True),
        (CALL.replace(b'"{\\"port\\": \\"Ayr\\"}"', b'{"port":"Ayr"}'), True),
        (CALL.replace(b"Ayr", b"Oban"), False),
        (CALL.replace(b"c1", b"c2"), False),
    ],
)
def test_a_call_in_a_whole_message_is_the_one_that_came(call: bytes, is_same: bool) -> None:
    message = f'"content":"","tool_calls":[{call.decode()}]'
    body = chat_stream(
        ROLE, delta(b'"tool_calls":[%s]' % CALL), CALLED, whole(message, "tool_calls")
    )
    found = analysis(body)
    (one,) = only_choice(found).tool_calls
    assert (one.id, one.arguments_text) == ("c1", '{"port": "Ayr"}')
    assert (found.result, warnings(found) == set()) == (Result.CALLED, is_same)


def test_a_deprecated_call_in_a_whole_message_is_the_one_that_came() -> None:
    pieces = (
        delta(b'"function_call":{"name":"tide","arguments":"{\\"port\\":"}'),
        delta(b'"function_call":{"arguments":"1}"}'),
    )
    message = r'"content":null,"function_call":{"name":"tide","arguments":"{\"port\":1}"}'
    found = analysis(chat_stream(ROLE, *pieces, whole(message, "function_call")))
    call = only_choice(found).function_call
    assert call is not None
    assert call.arguments_text == '{"port":1}'


def test_log_probabilities_of_a_whole_choice_are_those_that_came() -> None:
    token = b'{"content":[{"token":"Ebb","logprob":-1}]}'
    piece = delta(b'"content":"Ebb"')[:-1] + b',"logprobs":%s}' % token
    again = whole('"content":"Ebb"')[:-1] + b',"logprobs":%s}' % token
    found = only_choice(analysis(chat_stream(ROLE, piece, STOP, again)))
    assert found.logprobs == {"content": [{"token": "Ebb", "logprob": -1}]}


def test_a_call_that_a_later_delta_says_again_is_one_call() -> None:
    found = analysis(calls_stream(CALL, CALL, CALL))
    (one,) = only_choice(found).tool_calls
    assert one.arguments_text == '{"port": "Ayr"}'
    assert warnings(found) == {"tool.field-repeated"}


def messages_of(found: Analysis, code: str) -> list[str]:
    return [each.message for each in found.findings if each.code == code]
