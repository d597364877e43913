"""Sentences of findings, in words of their readers."""

import json
import re

import pytest

from inspector.core.findings import Where
from inspector.core.wire.exchange import Request
from tests.core.bodies import (
    GOOD,
    GOOD_STREAM,
    HELLO,
    ROLE,
    analysis,
    calls_stream,
    chat_stream,
    choice,
    codes,
    completion,
    delta,
    event,
)
from tests.core.native_bodies import RESPONSES_WHOLE
from tests.core.rules.answer_bodies import CALL, asked, counted, said, top
from tests.core.rules.message_bodies import (
    BEGIN,
    END,
    HI_MESSAGE,
    HI_RESPONSE,
    USED,
    USES,
    message_end,
    messages,
    piece,
    responses,
    searched,
)
from tests.core.rules.rule_cases import CASES, findings

# What Python calls values and their types; JSON has other words for them.
PYTHON_WORDS = re.compile(r"\b(?:None|True|False|NoneType|dict|float|int|str|tuple|UNSET)\b")
ODD_VALUES = [b"null", b"true", b"false", b"1.5", b"[null]", b'{"a":true}', b'""']
FIELDS = [b'"chatcmpl-1"', b'"chat.completion"', b"1795183339", b'"parcel-1"', b'"assistant"', b'"Hello"', b'"stop"', b"0", b"3", b"5"]  # fmt: skip


def test_no_message_has_a_word_of_python() -> None:
    told_of = [
        each.message for cases in CASES.values() for case in cases for each in findings(case)
    ]
    assert [message for message in told_of if PYTHON_WORDS.search(message)] == []


@pytest.mark.parametrize("value", ODD_VALUES)
def test_no_message_about_an_odd_value_has_a_word_of_python(value: bytes) -> None:
    call = CALL % b'{\\"x\\":null}'
    bodies = [GOOD.replace(field, value, 1) for field in FIELDS]
    bodies += [
        calls_stream(call.replace(field, value, 1)) for field in (b'"a"', b'"function"', b'"f"')
    ]
    bodies += [top(name, value, b'"b"') for name in (b"id", b"model", b"service_tier")]
    bodies += [b'{"error":{"message":%s}}' % value, chat_stream(ROLE, delta(b'"role":' + value))]
    told_of = [
        each
        for body in bodies
        for each in analysis(
            body, **asked(b"f", b'{"properties":{"x":{"type":"object"}}}')
        ).findings
    ]
    assert told_of
    assert [each.message for each in told_of if PYTHON_WORDS.search(each.message)] == []


def message_of(body: bytes, code: str) -> tuple[str, Where]:
    """The sentence of a finding, and its place without bytes."""
    (found,) = (finding for finding in analysis(body).findings if finding.code == code)
    return found.message, Where(pointer=found.where.pointer, event=found.where.event)


@pytest.mark.parametrize(
    ("body", "code", "message", "where"),
    [
        (HI_MESSAGE + HI_MESSAGE, "block.several-answers",
            "The body has 2 answers; each is shown as a choice, the last usage is that of the response.", Where(pointer="/message", event=6)),
        (HI_MESSAGE.replace(b'"text":"Hi"', b'"text":7'), "message.field-malformed",
            "text is a number, not a text: 7.", Where(pointer="/delta/text", event=2)),
        (completion(choice(b'"content":42')), "message.field-malformed",
            "content is a number, not a text or a list: 42.", Where(pointer="/choices/0/message/content")),
        (completion(choice(b'"content":[true]')), "message.field-malformed",
            "A part of content is true or false, not an object: true.", Where(pointer="/choices/0/message/content")),
        (completion(choice(b'"content":[{"type":"text","text":{}}]')), "message.field-malformed",
            "The text of a part of content is an object, not a text: {}.", Where(pointer="/choices/0/message/content")),
        (completion(choice(b'"content":null,"tool_calls":{}')), "message.field-malformed",
            "tool_calls is an object, not a list: {}.", Where(pointer="/choices/0/message/tool_calls")),
        (HI_RESPONSE.replace(b'"content":[]', b'"content":"Hi"'), "message.field-malformed",
            "content is a text, not a list: \"Hi\".", Where(pointer="/item/content", event=1)),
        (messages(BEGIN, piece(b"Hi"), message_end()), "block.not-stopped",
            "A block of type text did not end before the message.", Where(pointer="/index", event=1)),
        (messages(BEGIN, BEGIN, END, message_end()), "block.repeated",
            "Block 0 began twice.", Where(pointer="/content_block", event=2)),
        (messages(piece(b"Hi"), piece(b"!"), END, message_end()), "block.not-begun",
            "A piece came for block 0, which never began.", Where(pointer="/delta/text", event=1)),
        (messages(BEGIN, END, piece(b"Hi"), message_end()), "block.after-stop",
            "A piece of text came after its block had ended.", Where(pointer="/delta/text", event=3)),
        (messages(BEGIN, USES, USED, END, message_end()), "block.still-open",
            "Two blocks were open at once: tool_use began before text ended.", Where(pointer="/index", event=4)),
        (responses(0, 1, 2, 3, 4, 5, whole=b"Ha!"), "block.whole-differs",
            "text sent whole differs from its pieces: 3 characters instead of 2, different from character 1 on: “Ha!” instead of “Hi”.",
            Where(pointer="/text", event=4)),
        (responses(0, 1, 2, 4, 5, 5), "block.sequence-gap",
            "The sequence number jumps: 4 after 2 (2 times, this is the first).", Where(pointer="/sequence_number", event=3)),
        (messages(message_end(output_tokens=0)), "usage.fell",
            "output_tokens fell: 1 became 0.", Where(pointer="/usage/output_tokens", event=1)),
        (HI_MESSAGE + event(piece(b"late")), "ending.event-after-end-mark",
            "An event came after message_stop.", Where(pointer="", event=6)),
    ],
)  # fmt: skip
def test_odd_events_are_told_in_place(body: bytes, code: str, message: str, where: Where) -> None:
    assert message_of(body, code) == (message, where)


@pytest.mark.parametrize(
    ("body", "message", "pointer"),
    [
        (searched(b'{"type":"web_search_tool_result_error","error_code":"max_uses_exceeded"}'),
            "The provider's web_search_tool_result failed: max_uses_exceeded.", "/content/0"),
        (b'{"type":"message","role":"assistant","content":[{"type":"mcp_tool_result","is_error":true,"content":[]}],"stop_reason":"end_turn"}',
            "The provider's mcp_tool_result failed.", "/content/0"),
        (b'{"object":"response","status":"completed","output":[{"type":"mcp_call","name":"f","error":{"message":"gone"}}]}',
            "The provider's mcp_call failed: gone.", "/output/0"),
        (b'{"object":"response","status":"completed","output":[{"type":"web_search_call","status":"failed"}]}',
            "The provider's web_search_call failed.", "/output/0"),
        (b'{"candidates":[{"content":{"parts":[{"codeExecutionResult":{"outcome":"OUTCOME_FAILED","output":"x"}}]},"finishReason":"STOP"}]}',
            "The provider's codeExecutionResult failed: OUTCOME_FAILED.", "/candidates/0/content/parts/0"),
    ],
)  # fmt: skip
def test_a_failed_tool_is_told_in_every_format(body: bytes, message: str, pointer: str) -> None:
    assert message_of(body, "tool.hosted-failed") == (message, Where(pointer=pointer))


def test_a_ping_after_the_end_of_a_message_is_nothing() -> None:
    assert codes(analysis(HI_MESSAGE + event(b'{"type":"ping"}'))) == set()


def test_what_comes_after_the_end_is_told_however_alike_it_is() -> None:
    body = messages(BEGIN, piece(b"a"), piece(b"b"), END, message_end()) + event(piece(b"c")) * 3
    told, _ = message_of(body, "ending.event-after-end-mark")
    assert told == "An event came after message_stop (3 times, this is the first)."


@pytest.mark.parametrize(
    ("events", "code", "message"),
    [
        ((message_end(b"max_tokens"),), "choice.finish-length", "Choice 0 hit max_tokens."),
        ((message_end(b"model_context_window_exceeded"),), "choice.finish-length",
            "Choice 0 hit the limit of the model's context."),
        ((message_end(b"tool_use"),), "choice.finish-mismatch",
            "Choice 0 ended with finish reason tool_use but has no tool call."),
        ((USES, USED, message_end()), "choice.finish-stop-with-calls",
            "Choice 0 calls a tool but ended with finish reason end_turn."),
        ((message_end(b"bored"),), "choice.finish-unknown",
            "Choice 0 ended with the unknown finish reason 'bored'."),
        ((message_end(), message_end()), "choice.finish-repeated", "Choice 0 got another finish reason."),
        ((message_end(), piece(b"Hi")), "choice.content-after-finish",
            "Choice 0 continued after its finish reason."),
    ],
)  # fmt: skip
def test_finish_reasons_of_a_message_are_judged_as_those_of_a_chat_completion(
    events: tuple[bytes, ...], code: str, message: str
) -> None:
    told, where = message_of(messages(BEGIN, piece(b"Hi"), END, *events), code)
    assert told == message
    assert where.pointer is not None and "choices" not in where.pointer


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        (b"x" * 500 + b"\n" + GOOD_STREAM, "framing.ignored-line", f"The field '{'x' * 80}' is ignored by every client."),
        (top(b"id", b'"%s"' % (b"a" * 99), b'"b"'), "envelope.identity-changed", f"id changed within the stream: {'a' * 60}… became b."),
        (completion(HELLO, more=b'"usage":"%s"' % (b"x" * 99)), "usage.not-a-count", f'usage is "{"x" * 60}…", which is not a count.'),
        (counted(b'"prompt_tokens":%d' % 2**62), "usage.count-too-large", "prompt_tokens is 4,611,686,018,427,387,904: no model uses so many tokens."),
        (counted(b'"prompt_tokens":-7'), "usage.not-a-count", "prompt_tokens is -7, which is not a count."),
        (counted(b'"total_tokens":"15"'), "usage.not-a-count", 'total_tokens is "15", which is not a count.'),
        (counted(b'"total_tokens":true'), "usage.not-a-count", "total_tokens is true, which is not a count."),
        (GOOD[:-1] + b',"%s":1,"%s":2}' % (b"k" * 99, b"k" * 99), "json.duplicate-name", f"'{'k' * 40}…' occurs twice in one object."),
    ],
)  # fmt: skip
def test_what_is_long_is_cut_inside_a_sentence(body: bytes, code: str, message: str) -> None:
    assert message in [one.message for one in analysis(body).findings if one.code == code]


FILTER_ERROR = (
    b'{"error":{"code":"content_filter","message":"no","innererror":{"content_filter_result":'
    b'{"hate":{"filtered":true},"violence":{"filtered":false}}}}}'
)


def test_a_filter_that_refused_a_prompt_is_told_from_the_error_object() -> None:
    (finding,) = (f for f in analysis(FILTER_ERROR).findings if f.code == "vendor.filter-triggered")
    assert finding.message == "The content filter blocked the prompt: hate."
    assert finding.where.pointer == "/error/innererror/content_filter_result/hate"


def test_what_a_filter_found_and_let_pass_is_told_as_that() -> None:
    found = (
        b'"content_filter_results":{"protected_material_text":{"filtered":false,"detected":true}}'
    )
    (finding,) = (f for f in analysis(said(found)).findings if f.code == "vendor.filter-triggered")
    assert finding.message == (
        "The content filter found protected_material_text in choice 0 and let it pass."
    )


@pytest.mark.parametrize("reason", ["error", "insufficient_system_resource", "network_error"])
def test_a_finish_reason_of_a_failure_is_told_as_one(reason: str) -> None:
    body = completion(choice(b'"content":"Hi"', b'"finish_reason":"%s"' % reason.encode()))
    (found,) = (f for f in analysis(body).findings if f.code == "choice.finish-failed")
    assert found.message == f"Choice 0 ended with finish reason {reason}: the provider failed."


def test_an_end_mark_without_its_blank_line_is_called_so() -> None:
    (finding,) = (
        finding
        for finding in analysis(GOOD_STREAM[:-2]).findings
        if finding.code == "ending.unterminated-event"
    )
    expected = (
        "The end marker has no blank line after it; clients that follow the standard drop it."
    )
    assert finding.message == expected


def test_what_is_known_of_a_vendor_is_told_once() -> None:
    body = counted(b'"prompt_tokens":3,"completion_tokens":2,"total_tokens":9')
    asked_at = Request(url="https://generativelanguage.googleapis.com/v1/chat/completions")
    (finding,) = (f for f in analysis(body, request=asked_at).findings if "mismatch" in f.code)
    assert finding.message.lower().count("known for gemini") == 1


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("x" * 64, ""),
        ("x" * 65, "has 65 characters; a tool's name has at most 64"),
        ("mail.v2:send/all", ""),
        ("f<|channel|>x", "has characters that no tool's name is allowed to have; f may be meant"),
        ("Ablage öffnen", "has characters that no tool's name is allowed to have; Ablage may be meant"),
        ("</s>", "has characters that no tool's name is allowed to have"),
    ],
)  # fmt: skip
def test_a_name_that_no_tool_can_have_is_told_with_its_fault(name: str, fault: str) -> None:
    body = calls_stream((CALL % b"{}").replace(b'"f"', json.dumps(name).encode()))
    found = [f.message for f in analysis(body).findings if f.code == "tool.name-malformed"]
    assert [message.partition('" ')[2] for message in found] == ([f"{fault}."] if fault else [])


@pytest.mark.parametrize(("length", "is_told"), [(128, False), (129, True)])
def test_names_of_responses_may_be_longer(length: int, is_told: bool) -> None:
    body = RESPONSES_WHOLE.replace(b'"name":"send"', b'"name":"%s"' % (b"x" * length))
    assert ("tool.name-malformed" in codes(analysis(body))) is is_told


def test_a_name_that_the_request_offers_is_right_however_long() -> None:
    name = b"x" * 65
    body = calls_stream((CALL % b"{}").replace(b'"f"', b'"%s"' % name))
    assert "tool.name-malformed" not in codes(analysis(body, **asked(name, b"{}")))
