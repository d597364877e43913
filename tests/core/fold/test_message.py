"""One choice put together: its texts, role, parts, marks, log probabilities and extras."""

import pytest
from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.completion import BlockKind, InlineReasoning
from inspector.core.tape import LaneKind
from tests.core.bodies import (
    DONE,
    ROLE,
    STOP,
    analysis,
    chat_stream,
    choice,
    chunk,
    codes,
    completion,
    delta,
    event,
    reading,
)
from tests.core.formats.recordings import only_choice


def message(result: Analysis) -> dict[str, object]:
    """The message of the first choice, as the whole completion holds it."""
    return result.completion["choices"][0]["message"]


def test_content_is_joined_in_order_of_arrival() -> None:
    result = analysis(chat_stream(ROLE, delta(b'"content":"Hel"'), delta(b'"content":"lo"'), STOP))
    assert only_choice(result).content == "Hello"
    assert message(result) == {"role": "assistant", "content": "Hello"}
    assert codes(result) == {"usage.missing"}


def test_equal_deltas_are_never_taken_for_one() -> None:
    result = analysis(chat_stream(ROLE, delta(b'"content":"ha"'), delta(b'"content":"ha"'), STOP))
    assert only_choice(result).content == "haha"


@pytest.mark.parametrize(
    ("deltas", "content"),
    [
        ([b'"role":"assistant"'], UNSET),
        ([b'"content":null'], None),
        ([b'"content":""'], ""),
        ([b'"content":null', b'"content":"x"', b'"content":null'], "x"),
    ],
    ids=["absent", "null", "empty", "null adds nothing"],
)
def test_content_absent_null_and_empty_differ(deltas: list[bytes], content: object) -> None:
    assert only_choice(analysis(chat_stream(*map(delta, deltas), STOP))).content == content


def test_a_role_on_every_chunk_is_one_role() -> None:
    said = [delta(b'"role":"assistant","content":"%s"' % word) for word in (b"a", b"b", b"c")]
    result = analysis(chat_stream(*said, STOP))
    assert only_choice(result).role == "assistant"
    assert codes(result) == {"chunks.role-repeated", "usage.missing"}


@pytest.mark.parametrize(
    "roles", [(b'"role":""', b'"role":"assistant"'), (b'"role":"assistant"', b'"role":""')]
)
def test_an_empty_role_beside_one_that_is_named_is_told(roles: tuple[bytes, ...]) -> None:
    result = analysis(chat_stream(*map(delta, roles), delta(b'"content":"Ebb"'), STOP))
    assert only_choice(result).role == "assistant"
    assert codes(result) == {"message.role-unexpected", "usage.missing"}


@pytest.mark.parametrize(
    "part",
    [
        b'{"type":"reasoning","summary":[{"type":"summary_text","text":"Count."}]}',
        b'{"type":"reasoning","summary":[{"type":"summary_text","text":"Co"},{"type":"summary_text","text":"unt."}]}',
        b'{"type":"reasoning","reasoning":"Count."}',
        b'{"type":"reasoning","text":"Count."}',
        b'{"type":"reasoning","content":[{"type":"reasoning_text","text":"Count."}]}',
        b'{"type":"thinking","thinking":"Count.","signature":"s"}',
        b'{"type":"thinking","text":"Count."}',
        b'{"type":"summary_text","text":"Count."}',
    ],
)
def test_a_part_of_content_that_is_reasoning_is_none_of_the_answer(part: bytes) -> None:
    answer = b'"role":"assistant","content":[%s,{"type":"text","text":"Five."}]' % part
    for body in (completion(choice(answer)), chat_stream(delta(answer), STOP)):
        one = only_choice(analysis(body))
        assert (one.content, one.reasoning) == ("Five.", "Count.")
        kinds = [(block.kind, block.text) for block in one.blocks]
        assert kinds == [(BlockKind.REASONING, "Count."), (BlockKind.TEXT, "Five.")]


def test_thinking_that_is_encrypted_is_reasoning_without_a_text() -> None:
    hidden = b'{"type":"redacted_thinking","data":"Zm9n"}'
    body = completion(choice(b'"content":[%s,{"type":"text","text":"Five."}]' % hidden))
    result = analysis(body)
    assert [block.kind for block in only_choice(result).blocks] == [
        BlockKind.REASONING,
        BlockKind.TEXT,
    ]
    assert "message.field-malformed" not in codes(result)


def test_a_role_that_never_came_is_not_made_up() -> None:
    result = analysis(chat_stream(delta(b'"content":"a"'), STOP))
    assert only_choice(result).role is UNSET
    assert message(result) == {"content": "a"}


def test_of_two_roles_the_first_holds() -> None:
    result = analysis(chat_stream(ROLE, delta(b'"role":"user","content":"a"'), STOP))
    assert only_choice(result).role == "assistant"
    assert "message.role-changed" in codes(result)


@pytest.mark.parametrize("name", [b"reasoning_content", b"reasoning"])
def test_reasoning_is_read_under_either_name_and_kept_under_its_own(name: bytes) -> None:
    body = chat_stream(delta(b'"%s":"Hm"' % name), delta(b'"%s":"m."' % name), STOP)
    result = analysis(body)
    assert only_choice(result).reasoning == "Hmm."
    assert message(result) == {name.decode(): "Hmm."}


def test_reasoning_under_both_names_is_kept_twice_and_drawn_once() -> None:
    one = delta(b'"reasoning":"Hm.","reasoning_content":"Hm."')
    machine = reading(chat_stream(one, one, STOP))
    result = machine.analysis()
    assert only_choice(result).reasoning == "Hm.Hm."
    assert message(result) == {"reasoning": "Hm.Hm.", "reasoning_content": "Hm.Hm."}
    assert [lane.kind for lane in machine.tape().lanes] == [LaneKind.REASONING]
    assert machine.tape().pieces.start_u16 == [0, 3]


@pytest.mark.parametrize(
    ("sent", "kept"), [(b'"content":"a"', UNSET), (b'"content":"a","reasoning":null', None)]
)
def test_reasoning_absent_and_null_are_two_things(sent: bytes, kept: object) -> None:
    assert only_choice(analysis(completion(choice(sent)))).reasoning is kept


def test_a_name_that_only_ever_held_empty_reasoning_does_not_win() -> None:
    first = delta(b'"reasoning_content":"","reasoning":"Hm."')
    assert only_choice(analysis(chat_stream(first, STOP))).reasoning == "Hm."


def test_a_refusal_is_a_text_of_its_own() -> None:
    deltas = (b'"content":null,"refusal":"I "', b'"refusal":"cannot."')
    result = analysis(chat_stream(*map(delta, deltas), STOP))
    assert (only_choice(result).refusal, only_choice(result).content) == ("I cannot.", None)


def test_emoji_halves_of_two_deltas_become_one_character() -> None:
    machine = reading(
        chat_stream(ROLE, delta(b'"content":"\\ud83d"'), delta(b'"content":"\\ude00!"'), STOP)
    )
    assert only_choice(machine.analysis()).content == "\N{GRINNING FACE}!"
    assert machine.tape().pieces.length_u16 == [1, 2]


def test_half_an_emoji_for_ever_becomes_the_replacement_character() -> None:
    result = analysis(chat_stream(ROLE, delta(b'"content":"a\\ud83d"'), STOP))
    assert only_choice(result).content == "a\ufffd"
    assert "json.lone-surrogate" in codes(result)


def test_content_parts_are_one_text_and_stay_a_list_in_the_completion() -> None:
    parts = b'[{"type":"text","text":"Hel"},{"type":"text","text":"lo"}]'
    result = analysis(completion(choice(b'"role":"assistant","content":%s' % parts)))
    assert only_choice(result).content == "Hello"
    assert [part["text"] for part in message(result)["content"]] == ["Hel", "lo"]


def test_thinking_parts_are_reasoning_and_all_parts_stay_in_the_completion() -> None:
    thinking = delta(b'"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]}]')
    answer = delta(b'"content":[{"type":"text","text":"Yes"},{"type":"reference","ids":[1]}]')
    machine = reading(chat_stream(ROLE, thinking, answer, delta(b'"content":"."'), STOP))
    result = machine.analysis()
    assert (only_choice(result).reasoning, only_choice(result).content) == ("Hm.", "Yes.")
    assert message(result)["content"] == [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
        {"type": "text", "text": "Yes"},
        {"type": "reference", "ids": [1]},
        {"type": "text", "text": "."},
    ]
    kinds = [lane.kind for lane in machine.tape().lanes]
    assert kinds == [LaneKind.REASONING, LaneKind.CONTENT]


def test_a_chunk_that_repeats_its_delta_as_message_says_it_once() -> None:
    repeated = delta(b'"content":"Hi"').replace(b'"delta"', b'"message":{"content":"Hi"},"delta"')
    result = analysis(chat_stream(ROLE, repeated, STOP))
    assert only_choice(result).content == "Hi"
    assert "message.in-stream" in codes(result)


@pytest.mark.parametrize("content", [b"42", b'{"text":"Hi"}', b"[7]", b"true"])
def test_content_of_a_wrong_type_is_kept_and_flagged(content: bytes) -> None:
    result = analysis(completion(choice(b'"role":"assistant","content":%s' % content)))
    assert "message.field-malformed" in codes(result)
    assert only_choice(result).content in (UNSET, None)
    assert message(result)["content"] is not None


@pytest.mark.parametrize(
    ("content", "mark"),
    [
        (b"<think>Hm.</think>Yes", InlineReasoning(0, 18)),
        (b"\\n <think>Hm.</think>Yes", InlineReasoning(2, 20)),
        (b"<think>Hm", InlineReasoning(0, None)),
        (b"[THINK]Hm.[/THINK]Yes", InlineReasoning(0, 18)),
        (b"<thought>Hm.</thought>Yes", InlineReasoning(0, 22)),
        (b"<|channel>thought\\nHm.<channel|>Yes", InlineReasoning(0, 31)),
        (b"Hm.\\n</think>\\n\\nYes", InlineReasoning(0, 12)),
        (b"Hm.</think>\\nYes", InlineReasoning(0, 11)),
        (b"</think>Yes", InlineReasoning(0, 8)),
        (b"Hm.</think>Yes", InlineReasoning(0, 11)),
        (b"</think> is the closing tag.", None),
        (b"It is written (</think>) there.", None),
        (b"Say <think>.</think>", None),
        (b"The tag </think> closes it.", None),
        (b"It is `<think>`, then\\n</think>\\n", None),
        (b"<thinking>", None),
    ],
)
def test_a_think_passage_stays_and_is_marked(content: bytes, mark: InlineReasoning | None) -> None:
    one = only_choice(analysis(completion(choice(b'"role":"assistant","content":"%s"' % content))))
    assert one.content == content.decode().replace("\\n", "\n")
    assert one.inline_reasoning == mark


def test_chat_logprobs_of_all_chunks_are_joined() -> None:
    first = b'{"index":0,"delta":{"content":"a"},"logprobs":{"content":[{"token":"a","logprob":-0.1}],"refusal":null}}'
    second = b'{"index":0,"delta":{"content":"b"},"logprobs":{"content":[{"token":"b","logprob":-9999.0}],"refusal":null}}'
    result = analysis(chat_stream(ROLE, first, second, STOP))
    assert only_choice(result).logprobs == {
        "content": [{"token": "a", "logprob": -0.1}, {"token": "b", "logprob": -9999.0}],
        "refusal": None,
    }


def test_legacy_logprobs_of_all_pieces_are_joined_array_by_array() -> None:
    pieces = [
        b'{"object":"text_completion","choices":[{"index":0,"text":"a","logprobs":{"tokens":["a"],"token_logprobs":[null],"text_offset":[0]}}]}',
        b'{"object":"text_completion","choices":[{"index":0,"text":"b","logprobs":{"tokens":["b"],"token_logprobs":[-0.5],"text_offset":[1]},"finish_reason":"stop"}]}',
    ]
    result = analysis(b"".join(map(event, pieces)) + DONE)
    assert only_choice(result).text == "ab"
    assert only_choice(result).logprobs == {
        "tokens": ["a", "b"],
        "token_logprobs": [None, -0.5],
        "text_offset": [0, 1],
    }


@pytest.mark.parametrize(
    ("sent", "kept"), [(b"", UNSET), (b',"logprobs":null', None)], ids=["absent", "null"]
)
def test_logprobs_absent_and_null_are_two_things(sent: bytes, kept: object) -> None:
    body = completion(choice(b'"role":"assistant","content":"a"', b'"finish_reason":"stop"' + sent))
    assert only_choice(analysis(body)).logprobs is kept


def test_legacy_text_is_joined_and_has_no_message() -> None:
    pieces = (
        b'{"object":"text_completion","choices":[{"index":0,"text":" Lei","finish_reason":null}]}',
        b'{"object":"text_completion","choices":[{"index":0,"text":"pzig.","finish_reason":null}]}',
        b'{"object":"text_completion","choices":[{"index":0,"text":"","finish_reason":"length"}]}',
    )
    result = analysis(b"".join(map(event, pieces)) + DONE)
    assert (result.dialect, result.object) == ("openai-text", "text_completion")
    assert (only_choice(result).text, only_choice(result).content) == (" Leipzig.", UNSET)
    assert result.completion["choices"] == [
        {"index": 0, "text": " Leipzig.", "finish_reason": "length"}
    ]


@pytest.mark.parametrize(("text", "flagged"), [(b"null", False), (b"7", True), (b'"a"', False)])
def test_legacy_text_of_a_wrong_type_is_flagged_and_null_is_not(text: bytes, flagged: bool) -> None:
    body = b'{"object":"text_completion","choices":[{"index":0,"text":%s}]}' % text
    assert ("message.field-malformed" in codes(analysis(body))) == flagged


def test_of_finish_reasons_the_last_that_says_something_holds() -> None:
    reasons = (b'"length"', b'"stop"', b"null", b'""')
    finishes = (b'{"index":0,"delta":{},"finish_reason":%s}' % reason for reason in reasons)
    result = analysis(chat_stream(ROLE, *finishes))
    assert only_choice(result).finish_reason == "stop"
    assert "choice.finish-repeated" in codes(result)


def test_content_after_finish_is_kept_and_flagged() -> None:
    result = analysis(chat_stream(ROLE, STOP, delta(b'"content":"late"')))
    assert only_choice(result).content == "late"
    assert "choice.content-after-finish" in codes(result)


@pytest.mark.parametrize(
    "last",
    [
        b'{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}',
        b'{"index":0,"finish_reason":"stop","delta":{"content":"x"}}',
    ],
    ids=["delta first", "finish first"],
)
def test_content_in_the_event_of_the_finish_is_not_late(last: bytes) -> None:
    assert "choice.content-after-finish" not in codes(analysis(chat_stream(ROLE, last)))


def test_annotations_of_all_chunks_are_joined() -> None:
    deltas = (b'"annotations":[{"type":"url_citation"}]', b'"annotations":[{"type":"file"}]')
    one = only_choice(analysis(chat_stream(ROLE, *map(delta, deltas), STOP)))
    assert one.annotations == [{"type": "url_citation"}, {"type": "file"}]


@pytest.mark.parametrize(
    ("sent", "kept"),
    [(b"", UNSET), (b',"annotations":null', None), (b',"annotations":"x"', UNSET)],
    ids=["absent", "null", "text"],
)
def test_annotations_are_a_list_or_were_not_sent(sent: bytes, kept: object) -> None:
    body = completion(choice(b'"role":"assistant","content":"a"' + sent))
    assert only_choice(analysis(body)).annotations is kept


def test_unknown_fields_are_kept_at_every_level() -> None:
    known = b'{"index":0,"delta":{"content":"a","channel":"final"},"native_finish_reason":"STOP","finish_reason":"stop"}'
    body = chunk(ROLE) + chunk(known, more=b'"provider":"eu-2"') + DONE
    result = analysis(body)
    assert result.extras == {"/provider": "eu-2"}
    assert only_choice(result).extras == {
        "/native_finish_reason": "STOP",
        "/message/channel": "final",
    }
    assert result.completion["provider"] == "eu-2"
    assert result.completion["choices"][0]["native_finish_reason"] == "STOP"
    assert message(result)["channel"] == "final"


def test_money_and_seconds_keep_the_digits_of_the_wire() -> None:
    extras = (
        b'"finish_reason":"stop","cost_usd":0.00102300,"duration_seconds":1e-3,"feedback_token":"t"'
    )
    one = only_choice(analysis(completion(choice(b'"role":"assistant","content":"a"', extras))))
    assert (one.cost_usd, one.duration_seconds, one.feedback_token) == ("0.00102300", "1e-3", "t")


@pytest.mark.parametrize(
    ("sent", "kept"),
    [(b"", UNSET), (b',"cost_usd":null', None), (b',"cost_usd":0', "0"), (b',"cost_usd":"?"', UNSET)],
    ids=["absent", "null", "zero", "text"],
)  # fmt: skip
def test_cost_absent_null_and_zero_are_three_things(sent: bytes, kept: object) -> None:
    token = b'"finish_reason":"stop","feedback_token":"t"'
    body = completion(choice(b'"role":"assistant","content":"a"', token + sent))
    assert only_choice(analysis(body)).cost_usd == kept


def test_a_slash_in_a_name_is_escaped_in_its_pointer() -> None:
    call = b'{"id":"c","type":"function","function":{"name":"f","arguments":"{}","g/h":4}}'
    message_fields = b'"role":"assistant","content":null,"c/d":2,"tool_calls":[%s]' % call
    body = completion(
        choice(message_fields, b'"e~f":3,"finish_reason":"tool_calls"'), more=b'"a/b":1'
    )
    result = analysis(body)
    assert result.extras == {"/a~1b": 1}
    assert only_choice(result).extras == {"/e~0f": 3, "/message/c~1d": 2}
    assert only_choice(result).tool_calls[0].extras == {"/function/g~1h": 4}
