"""The reasoning reference: every statement, quoted and held."""

import json
from typing import Any

import pytest

from inspector.core.analysis import Verdict
from inspector.core.completion import ArgumentsCause, ArgumentsState
from inspector.core.wire.exchange import Request
from tests.core.bodies import (
    GOOD,
    HELLO,
    ROLE,
    STOP,
    analysis,
    calls_stream,
    chat_stream,
    codes,
    completion,
    delta,
)
from tests.core.bodies import choice as whole_choice
from tests.core.documents.statements import also, messages, places, states, wanted

CALL = b'{"id":"call_1","type":"function","function":{"name":"stock_of","arguments":"{}"}}'
SCHEMA = {"type": "object", "properties": {"item": {"type": "integer"}}, "required": ["item"]}


def calling(*calls: bytes, more: bytes = b'"finish_reason":"tool_calls"') -> bytes:
    """A whole answer with these tool calls."""
    message = b'"role":"assistant","content":null,"tool_calls":[%s]' % b",".join(calls)
    return completion(whole_choice(message, more))


def arguments(text: str) -> bytes:
    """A whole answer whose only call has these arguments."""
    return calling(CALL.replace(b'"{}"', json.dumps(text).encode()))


def offered(**more: Any) -> dict[str, Any]:
    """That the request is known and offers one tool."""
    function = {"name": "stock_of", "parameters": SCHEMA}
    body = {"tools": [{"type": "function", "function": function}], **more}
    return {"request": Request(body=json.dumps(body).encode())}


def reasoned(fields: bytes) -> bytes:
    return completion(whole_choice(b'"role":"assistant",' + fields))


@states("002", "finish_reason, its values", "natural stop or provided stop sequence", "The table types it as an object; texts are read, and an object is reported and shown.", "choice.finish-malformed", "choice.finish-length", "choice.finish-filtered", "choice.finish-unknown")  # fmt: skip
def test_a_finish_reason_that_is_an_object_is_told() -> None:
    for reason in ("stop", "length", "content_filter", "tool_calls"):
        body = GOOD.replace(b'"stop"', b'"%s"' % reason.encode())
        assert analysis(body).choices[0].finish_reason == reason
        assert "choice.finish-unknown" not in codes(analysis(body))
    odd = GOOD.replace(b'"stop"', b'{"type":"stop"}')
    assert messages(odd, "choice.finish-malformed") == [
        "The finish reason is an object, not a text."
    ]


@states("002", "finish_reason tool_calls", "model invoked a tool", "A reason without a call, and a call with another reason, are reported.", "choice.finish-mismatch", "choice.finish-stop-with-calls")  # fmt: skip
def test_tool_calls_and_their_finish_reason_go_together() -> None:
    assert codes(analysis(calling(CALL))) == set()
    alone = GOOD.replace(b'"stop"', b'"tool_calls"')
    assert "choice.finish-mismatch" in codes(analysis(alone))
    stopped = calling(CALL, more=b'"finish_reason":"stop"')
    assert "choice.finish-stop-with-calls" in codes(analysis(stopped))


@states("002", "choices, index and message", "A list of chat completion choices.", "Read in any number; what is not a list, not an object or has no index is reported.", "envelope.choices-malformed", "choice.index-missing", "message.missing")  # fmt: skip
def test_choices_are_a_list_of_objects_with_index_and_message() -> None:
    second = HELLO.replace(b":0", b":1", 1)
    assert [choice.index for choice in analysis(completion(HELLO, second)).choices] == [0, 1]
    assert "envelope.choices-malformed" in codes(analysis(completion(b"[]")))
    assert "choice.index-missing" in codes(analysis(GOOD.replace(b'"index":0,', b"")))


@states("002", "message.role: string", "The role of the author of this message.", "Told where it is not assistant, empty, not a text, or missing.", "message.role-unexpected", "message.role-missing")  # fmt: skip
def test_a_role_is_that_of_the_assistant() -> None:
    for role in (b'"tool"', b'""', b"[]"):
        body = GOOD.replace(b'"role":"assistant"', b'"role":' + role)
        assert "message.role-unexpected" in codes(analysis(body))
    assert analysis(GOOD.replace(b'"role":"assistant"', b'"role":[]')).choices[0].extras == {
        "/message/role": []
    }


@states("002", "message.content: string or null", "The content of the message.", "Null is kept apart from an empty text, and is no finding beside tool calls; beside a refusal, alone, and another type are reported.", "message.content-null", "choice.says-nothing", "message.field-malformed")  # fmt: skip
def test_content_may_be_null_beside_tool_calls() -> None:
    result = analysis(calling(CALL))
    assert (result.choices[0].content, codes(result)) == (None, set())
    assert analysis(GOOD.replace(b'"Hello"', b'""')).choices[0].content == ""
    for instead, code in (
        (b'null,"refusal":"No"', "message.content-null"),
        (b"null", "choice.says-nothing"),
        (b"7", "message.field-malformed"),
    ):
        assert code in codes(analysis(GOOD.replace(b'"Hello"', instead)))


@states("002", "message.reasoning_content: string or null", "The reasoning contents of the assistant message", "Read as a text of its own, also under the name reasoning and inside <think>; another type, and both names, are reported.", "message.field-malformed", "message.reasoning-twice", "message.think-passage", "message.think-unclosed")  # fmt: skip
def test_reasoning_is_a_text_of_its_own() -> None:
    body = reasoned(b'"reasoning_content":"Two are needed.","content":"Two."')
    (choice,) = analysis(body).choices
    assert (choice.reasoning, choice.content) == ("Two are needed.", "Two.")
    for sent in (b"null", b'""'):
        result = analysis(body.replace(b'"Two are needed."', sent))
        assert codes(result) == set()
        assert result.choices[0].reasoning == json.loads(sent)
    for wrong in (b"5", b"{}"):
        wrong_type = analysis(body.replace(b'"Two are needed."', wrong))
        assert "message.field-malformed" in codes(wrong_type)


@states("002", "reasoning comes first", "before the final answer", "Reasoning that arrives after the first content is reported; white space is no content.", "message.reasoning-after-content")  # fmt: skip
def test_reasoning_comes_before_the_answer() -> None:
    think, answer = delta(b'"reasoning_content":"Hm."'), delta(b'"content":"Two."')
    in_order = analysis(chat_stream(ROLE, think, answer, STOP))
    assert "message.reasoning-after-content" not in codes(in_order)
    late = chat_stream(ROLE, answer, think, STOP)
    assert messages(late, "message.reasoning-after-content") == [
        "Reasoning of choice 0 came after its first content."
    ]
    (finding,) = (
        each for each in analysis(late).findings if each.code == "message.reasoning-after-content"
    )
    assert finding.where.event == 2
    blank = chat_stream(ROLE, delta(b'"content":"\\n"'), think, answer, STOP)
    assert "message.reasoning-after-content" not in codes(analysis(blank))


@states("002", "message.refusal: string or null", "The refusal message generated by the model.", "Read as a text of its own; another type is reported.", "message.field-malformed", "message.refusal-beside-content")  # fmt: skip
def test_a_refusal_is_a_text_or_null() -> None:
    assert analysis(reasoned(b'"refusal":"No.","content":null')).choices[0].refusal == "No."
    assert "message.field-malformed" in codes(analysis(reasoned(b'"refusal":5,"content":"a"')))


@states("002", "message.tool_calls: array", "The tool calls generated by the model, such as function calls.", "Joined by index in streams, by position in whole answers; another type, missing, repeated and skipped indexes are reported, and an index that is a text.", "message.field-malformed", "tool.call-malformed", "choice.index-malformed", "tool.index-missing", "tool.index-repeated", "tool.index-gap", "tool.parallel-not-allowed", "tool.none-offered", "tool.choice-not-followed")  # fmt: skip
def test_tool_calls_are_a_list_that_the_request_allows() -> None:
    second = CALL.replace(b"call_1", b"call_2")
    both = calling(CALL, second)
    assert [call.id for call in analysis(both).choices[0].tool_calls] == ["call_1", "call_2"]
    assert "tool.call-malformed" in codes(analysis(calling(b"1")))
    numbered = CALL.replace(b"{", b'{"index":"0",', 1)
    assert "choice.index-malformed" in codes(analysis(calling(numbered)))
    wrong_type = GOOD.replace(b'"content"', b'"tool_calls":{},"content"')
    assert "message.field-malformed" in codes(analysis(wrong_type))
    one_at_a_time = offered(parallel_tool_calls=False)
    assert messages(both, "tool.parallel-not-allowed", **one_at_a_time) == [
        "The request allows one call at a time; choice 0 has 2."
    ]
    assert messages(both, "tool.none-offered", **wanted(b"")) == [
        "The request offers no tools. The call of stock_of came."
    ]


@states("002", "tool_calls[].function: object", "function object", "A call without one is reported.", "tool.call-malformed")  # fmt: skip
def test_a_call_has_a_function() -> None:
    assert "tool.call-malformed" in codes(analysis(calling(b'{"id":"a","type":"function"}')))


@states("002", "function.arguments: string", "Arguments for the function call, generated by the model in JSON format.", "Kept as the text that was sent; where it breaks and why is reported with the byte.", "tool.arguments-invalid", "tool.arguments-truncated", "tool.arguments-empty", "tool.arguments-not-text")  # fmt: skip
def test_arguments_are_a_text_with_json() -> None:
    (call,) = analysis(arguments('{"item":1}')).choices[0].tool_calls
    assert (call.arguments_text, call.arguments_state) == ('{"item":1}', ArgumentsState.VALID)
    (broken,) = analysis(arguments("{'item':1}")).choices[0].tool_calls
    assert (broken.arguments_cause, broken.invalid_at) == (ArgumentsCause.PYTHON_LITERAL, 1)
    assert "tool.arguments-truncated" in codes(analysis(arguments('{"item":')))
    assert "tool.arguments-empty" in codes(analysis(arguments("")))
    as_object = calling(CALL.replace(b'"{}"', b"{}"))
    assert "tool.arguments-not-text" in codes(analysis(as_object))


@states("002", "arguments may have invented fields", "The model may hallucinate fields", "Held against the schema of the request: unknown tools, invented and forbidden fields, missing and wrong ones.", "tool.invented-field", "tool.forbidden-field", "tool.arguments-against-schema", "tool.unknown-name")  # fmt: skip
def test_hallucinated_fields_are_named() -> None:
    body = arguments('{"item":1,"colour":"red"}')
    assert "tool.invented-field" in codes(analysis(body, **offered()))
    wrong = arguments('{"item":null}')
    assert messages(wrong, "tool.arguments-against-schema", **offered()) == [
        "The arguments of stock_of do not match its schema at /item: null is not of type integer."
    ]
    missing = arguments("{}")
    assert messages(missing, "tool.arguments-against-schema", **offered()) == [
        "The arguments of stock_of do not match its schema at /item: "
        "the field is required, but missing."
    ]
    unknown = calling(CALL.replace(b"stock_of", b"delete_all"))
    assert "tool.unknown-name" in codes(analysis(unknown, **offered()))


@states("002", "always validate", "generate invalid JSON. Always validate before use.", "JSON that is no object, and names that occur twice, cannot be used; calls that the request does not allow are reported.", "tool.arguments-invalid", "tool.none-offered", "tool.choice-not-followed", "tool.parallel-not-allowed")  # fmt: skip
@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("null", ArgumentsCause.NOT_AN_OBJECT),
        ("[1]", ArgumentsCause.NOT_AN_OBJECT),
        ("5", ArgumentsCause.NOT_AN_OBJECT),
        ('"x"', ArgumentsCause.NOT_AN_OBJECT),
        ('{"item":1,"item":2}', ArgumentsCause.REPEATED_NAME),
        ('{"item":1}{"item":2}', ArgumentsCause.GLUED_VALUES),
    ],
)
def test_arguments_are_validated_before_use(text: str, cause: ArgumentsCause) -> None:
    result = analysis(arguments(text))
    assert result.choices[0].tool_calls[0].arguments_cause is cause
    assert "tool.arguments-invalid" in codes(result)


@also("002", "always validate")
def test_calls_follow_tool_choice() -> None:
    code = "tool.choice-not-followed"
    named = {"type": "function", "function": {"name": "other"}}
    assert messages(calling(CALL), code, **offered(tool_choice="none")) == [
        "The request forbids calls. The call of stock_of came."
    ]
    assert messages(calling(CALL), code, **offered(tool_choice=named)) == [
        "The request allows only calls of other; stock_of was called."
    ]
    assert messages(GOOD, code, **offered(tool_choice="required")) == [
        "The request requires a call; choice 0 has none."
    ]
    for free in ("auto", {"type": "function", "function": {"name": "stock_of"}}):
        assert messages(calling(CALL), code, **offered(tool_choice=free)) == []


@states("002", "function.name: string", "The name of the function to call.", "A name in pieces is joined and reported; another name after the arguments began, an absent, empty or wrong one is reported.", "tool.name-missing", "tool.name-in-pieces", "tool.name-changed")  # fmt: skip
@pytest.mark.parametrize(
    ("name", "message"),
    [
        (b'"name":"stock_of",', "A call has no name."),
        (b'"stock_of"', "The name of a call is empty."),
    ],
)
def test_a_name_is_a_text_that_is_not_empty(name: bytes, message: str) -> None:
    empty = b"" if name.startswith(b'"name"') else b'""'
    body = calling(CALL.replace(name, empty))
    assert messages(body, "tool.name-missing") == [message]
    assert places(analysis(body), "tool.name-missing") == [
        "/choices/0/message/tool_calls/0/function/name"
    ]
    number = calling(CALL.replace(b'"stock_of"', b"5"))
    assert messages(number, "tool.name-missing") == ["The name of a call is a number, not a text."]
    assert analysis(number).choices[0].tool_calls[0].extras == {"/function/name": 5}


@also("002", "function.name: string")
@pytest.mark.parametrize(
    ("second", "name", "codes_"),
    [
        (b'{"name":"weather","arguments":""}', "get_weather", {"tool.name-in-pieces"}),
        (b'{"name":"get_weather","arguments":""}', "get_weather", {"tool.name-in-pieces"}),
        (b'{"name":"get_","arguments":""}', "get_", {"tool.field-repeated"}),
    ],
)
def test_a_name_in_pieces_is_joined(second: bytes, name: str, codes_: set[str]) -> None:
    first = b'{"index":0,"id":"a","type":"function","function":{"name":"get_","arguments":""}}'
    rest = b'{"index":0,"function":%s}' % second
    body = calls_stream(first, rest, b'{"index":0,"function":{"arguments":"{}"}}')
    result = analysis(body)
    assert result.choices[0].tool_calls[0].name == name
    call = result.completion["choices"][0]["message"]["tool_calls"][0]
    assert call["function"]["name"] == name
    assert {code for code in codes(result) if code.startswith("tool.")} == codes_
    begun = first.replace(b'"arguments":""', b'"arguments":"{"')
    other = b'{"index":0,"function":{"name":"delete_all","arguments":"}"}}'
    changed = calls_stream(begun, other)
    assert messages(changed, "tool.name-changed") == [
        "The name of call 0 changed: get_ became delete_all."
    ]
    assert analysis(changed).choices[0].tool_calls[0].name == "get_"


@states("002", "tool_calls[].id: string", "The ID of the tool call.", "Missing, empty, of another type, repeated and changed ids are each reported.", "tool.id-missing", "tool.id-malformed", "tool.id-repeated", "tool.id-changed")  # fmt: skip
def test_an_id_of_a_call_is_a_text() -> None:
    number = calling(CALL.replace(b'"call_1"', b"5"))
    assert messages(number, "tool.id-malformed") == ["The id of stock_of is a number, not a text."]
    assert "tool.id-missing" not in codes(analysis(number))
    assert "tool.id-missing" in codes(analysis(calling(CALL.replace(b'"call_1"', b'""'))))
    assert "tool.id-repeated" in codes(analysis(calling(CALL, CALL)))


@states("002", "tool_calls[].type: string", "Currently, only function is supported.", "Absent, empty, of another type and unknown types are reported; custom is known and read.", "tool.type-missing", "tool.type-unknown")  # fmt: skip
def test_the_type_of_a_call_is_function() -> None:
    for absent in (b'"type":"",', b'"type":null,', b""):
        body = calling(CALL.replace(b'"type":"function",', absent))
        assert messages(body, "tool.type-missing") == ["The call of stock_of has no type."]
    tool = calling(CALL.replace(b'"type":"function"', b'"type":"tool"'))
    assert messages(tool, "tool.type-unknown") == [
        "The call of stock_of has the unknown type 'tool'."
    ]
    number = calling(CALL.replace(b'"type":"function"', b'"type":5'))
    assert messages(number, "tool.type-unknown") == [
        "The type of stock_of is a number, not a text."
    ]
    custom = calling(b'{"id":"a","type":"custom","custom":{"name":"sql","input":"select 1"}}')
    assert analysis(custom).choices[0].tool_calls[0].arguments_text == "select 1"
    assert codes(analysis(custom)) == set()


@states("002", "created and id", "The Unix timestamp (in seconds) of when the chat completion was created.", "Missing, of another type and out of range are reported.", "envelope.created-missing", "envelope.created-out-of-range", "envelope.identity-missing", "envelope.identity-malformed")  # fmt: skip
def test_created_and_id_are_checked() -> None:
    assert "envelope.created-missing" in codes(analysis(GOOD.replace(b"1795183339", b"null")))
    assert "envelope.created-out-of-range" in codes(analysis(GOOD.replace(b"1795183339", b"1")))
    assert "envelope.identity-malformed" in codes(analysis(GOOD.replace(b'"chatcmpl-1"', b"{}")))


@states("002", "model and object", "The object type, which is always chat.completion", "Another name is reported; another model than the requested one, too.", "envelope.object-unexpected", "envelope.model-not-asked")  # fmt: skip
def test_model_and_object_are_checked() -> None:
    assert analysis(GOOD).model == "parcel-1"
    legacy = GOOD.replace(b"chat.completion", b"text_completion")
    assert "envelope.object-unexpected" in codes(analysis(legacy))


@states("002", "system_fingerprint with seed", "in conjunction with the seed request parameter", "A request with a seed whose answer has no fingerprint is reported.", "envelope.fingerprint-missing")  # fmt: skip
def test_a_seed_is_answered_with_a_fingerprint() -> None:
    assert "envelope.fingerprint-missing" in codes(analysis(GOOD, **wanted(b'"seed":0')))
    assert "envelope.fingerprint-missing" not in codes(analysis(GOOD))


@states("002", "usage with its three counts", "Total number of tokens used in the request (prompt + completion).", "Each count is read by itself; missing ones, sums that do not hold, and more than the request allows are reported.", "usage.count-missing", "usage.total-mismatch", "usage.over-token-limit")  # fmt: skip
def test_the_counts_hold_and_stay_within_the_limit() -> None:
    assert analysis(GOOD).verdict is Verdict.COMPLETE
    assert messages(GOOD, "usage.over-token-limit", **wanted(b'"max_tokens":1')) == [
        "The request allows 1 completion token; 2 were counted."
    ]
    assert messages(GOOD, "usage.over-token-limit", **wanted(b'"max_completion_tokens":2')) == []
    assert "usage.count-missing" in codes(analysis(GOOD.replace(b'"prompt_tokens":3,', b"")))
