"""Answers inside what a gateway, a batch or a logger wrote around them are read, and told."""

import json

import pytest

from inspector.core.formats.envelope import MEMBERS, MOST_FOUND
from inspector.core.provenance import Origins
from tests.core.bodies import GOOD, analysis, codes, completion, reading

LAMP = (
    b'{"id":"chatcmpl-9","object":"chat.completion","created":1795183339,"model":"lamp-2",'
    b'"choices":[{"index":0,"message":{"role":"assistant","content":"The lamp is lit.",'
    b'"tool_calls":[{"id":"c1","type":"function","function":{"name":"dim","arguments":"{}"}}]},'
    b'"finish_reason":"tool_calls"}],'
    b'"usage":{"prompt_tokens":7,"completion_tokens":4,"total_tokens":11}}'
)
MESSAGE = (
    b'{"id":"msg_4","type":"message","role":"assistant","model":"claude-sonnet-4-5",'
    b'"content":[{"type":"text","text":"The lamp is lit."}],"stop_reason":"end_turn",'
    b'"usage":{"input_tokens":7,"output_tokens":4}}'
)
BODIES = {
    "gateway": (b'{"code":0,"msg":"ok","data":%s}', "/data"),
    "body": (b'{"status":200,"headers":{},"body":%s}', "/body"),
    "batch": (
        b'{"id":"b1","custom_id":"a","response":{"status_code":200,"body":%s},"error":null}',
        "/response/body",
    ),
    "log": (b'{"request":{"model":"m","messages":[]},"response":%s}', "/response"),
    "list": (b"[ %s ]", "/0"),
}
ERROR, EMBEDDING = b'{"message":"gone"}', b'{"object":"embedding","embedding":[0.1],"index":0}'


@pytest.mark.parametrize(("around", "pointer"), BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("answer", [LAMP, MESSAGE], ids=["chat", "message"])
def test_an_answer_is_read_inside_what_wraps_it(around: bytes, pointer: str, answer: bytes) -> None:
    body = around % answer
    result = analysis(body)
    (choice,) = result.choices
    assert (choice.content, result.verdict) == ("The lamp is lit.", "complete")
    assert (result.usage.prompt_tokens, result.completion) == (7, json.loads(answer))
    (told,) = [each for each in result.findings if each.code == "envelope.wrapped"]
    assert f" {pointer} of the body." in told.message
    assert body[told.where.byte_start : told.where.byte_end] == answer


def test_calls_are_read_inside_what_wraps_them() -> None:
    (call,) = analysis(b'{"data":%s}' % LAMP).choices[0].tool_calls
    assert (call.name, call.arguments_text) == ("dim", "{}")


@pytest.mark.parametrize(("around", "_"), BODIES.values(), ids=BODIES)
def test_the_bytes_of_a_wrapped_text_are_its_own(around: bytes, _: str) -> None:
    body = around % LAMP
    tape = reading(body).tape()
    lane = next(at for at, each in enumerate(tape.lanes) if each.kind == "content")
    (origin,) = Origins(tape, body).of(lane, 4, 8)
    assert [body[start:end] for start, end in origin.byte_ranges] == [b"lamp"]


def test_an_answer_that_is_wrapped_as_a_text_is_read() -> None:
    body = json.dumps({"statusCode": 200, "body": LAMP.decode()}).encode()
    result = analysis(body)
    assert result.choices[0].content == "The lamp is lit."
    (told,) = [each for each in result.findings if each.code == "envelope.wrapped"]
    assert told.message.endswith("at /body of the body, as JSON in a text.")


def test_fields_around_an_answer_are_kept() -> None:
    body = b'{"id":"b1","response":{"status_code":200,"body":%s},"error":null}' % LAMP
    around = {"/id": "b1", "/response/status_code": 200, "/error": None}
    assert analysis(body).extras == around


def test_fields_around_layers_of_one_name_have_their_own_places() -> None:
    body = b'{"code":0,"data":{"code":1,"data":%s}}' % LAMP
    assert analysis(body).extras == {"/code": 0, "/data/code": 1}


def test_a_request_beside_the_answer_does_not_hide_it() -> None:
    body = b'{"body":{"model":"m","messages":[]},"response":%s}' % LAMP
    assert analysis(body).choices[0].content == "The lamp is lit."


def test_of_two_answers_in_one_object_none_is_chosen() -> None:
    result = analysis(b'{"data":%s,"result":%s}' % (LAMP, LAMP.replace(b"lit", b"dark")))
    assert (result.verdict, result.choices) == ("unreadable", ())
    (told,) = [each for each in result.findings if each.code == "framing.several-documents"]
    assert "several answers, at /data and /result" in told.message


def test_of_very_many_answers_in_one_object_four_are_told() -> None:
    several = {
        outer: {inner: {**json.loads(LAMP), "id": f"{outer}-{inner}"} for inner in MEMBERS}
        for outer in MEMBERS
    }
    (told,) = [
        each
        for each in analysis(json.dumps(several).encode()).findings
        if each.code == "framing.several-documents"
    ]
    assert told.message.count("/") == 2 * MOST_FOUND


def test_an_answer_and_the_text_that_it_was_read_from_are_one() -> None:
    body = json.dumps({"raw": LAMP.decode(), "data": json.loads(LAMP)}).encode()
    result = analysis(body)
    assert result.choices[0].content == "The lamp is lit."
    (told,) = [each for each in result.findings if each.code == "envelope.wrapped"]
    assert told.message.endswith("at /data of the body.")


def test_a_wrapped_answer_is_read_in_a_longer_text() -> None:
    body = b'Here it is:\n\n{"code":0,"data":%s}\n\nSo far.\n' % LAMP
    result = analysis(body)
    assert result.choices[0].content == "The lamp is lit."
    assert "envelope.wrapped" in codes(result)


def test_a_wrapped_answer_that_python_printed_is_read() -> None:
    body = repr({"code": 0, "data": json.loads(LAMP)}).encode()
    assert analysis(body).choices[0].content == "The lamp is lit."


def test_a_wrapped_answer_that_breaks_off_is_cut_off() -> None:
    result = analysis(b'{"code":0,"data":%s' % LAMP[:-30])
    assert (result.verdict, result.dialect) == ("cut-off", "openai-chat")


@pytest.mark.parametrize(
    "body",
    [
        b'{"code":500,"data":{"error":{"message":"gone"}}}',
        b'{"result":{"errors":[{"code":7,"message":"gone"}]}}',
        b'{"response":{"status_code":400,"body":{"error":{"message":"gone"}}}}',
        rb'{"statusCode":429,"body":"{\"message\":\"gone\"}"}',
        b'{"data":{"base_resp":{"status_code":1008,"status_msg":"gone"}}}',
        b'{"status":"error","data":{"message":"gone"}}',
    ],
)
@pytest.mark.parametrize("around", [b"%s", b"data: %s\n\n"])
def test_an_error_is_read_inside_what_wraps_it(body: bytes, around: bytes) -> None:
    result = analysis(around % body)
    assert (result.verdict, result.result) == ("provider-error", "error")
    assert result.verdict_reason.endswith(": gone")


@pytest.mark.parametrize(
    "body",
    [
        b'{"data":{"message":"hello"}}',
        b'{"code":0,"data":{"message":"hello"}}',
        b'{"data":{"error":null,"title":"x"}}',
        b'{"result":{"status":"open","message":"x"}}',
    ],
)
def test_what_speaks_of_no_error_is_none(body: bytes) -> None:
    assert analysis(body).verdict == "not-a-response"


@pytest.mark.parametrize(
    "text",
    [
        GOOD.decode(),
        'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n',
        '{"error":{"message":"gone"}}',
    ],
)
@pytest.mark.parametrize("beside", [{"tool_calls": []}, {"usage": {"prompt_tokens": 1}}])
def test_json_that_a_model_writes_is_no_answer_of_its_own(
    text: str, beside: dict[str, object]
) -> None:
    # As Cloudflare answers.
    body = {"result": {"response": text, **beside}, "success": True, "errors": []}
    assert analysis(json.dumps(body).encode()).verdict == "not-a-response"


@pytest.mark.parametrize(
    "body",
    [
        rb'{"response":"{\"error\":\"no such city\"}"}',
        rb'{"type":"function_call_output","output":"{\"error\":\"no such city\"}"}',
        b'{"event":"on_tool_end","data":{"output":{"error":"no such city"}}}',
    ],
)
@pytest.mark.parametrize("around", [b"%s", b"data: %s\n\n"])
def test_an_error_that_a_model_or_a_tool_tells_is_not_the_providers(
    body: bytes, around: bytes
) -> None:
    assert analysis(around % body).verdict == "not-a-response"


def test_an_output_that_failed_is_an_error() -> None:
    body = b'{"id":"r","status":"FAILED","output":{"error":"out of memory"}}'
    assert analysis(body).verdict_reason.endswith(": out of memory")


@pytest.mark.parametrize(
    "body",
    [
        b'{"object":"list","data":[%s]}' % EMBEDDING,
        b'{"code":500,"data":{"error":%s}}' % ERROR,
        b"[%s,%s]" % (LAMP, LAMP),
        b'{"data":{"data":{"data":{"data":%s}}}}' % LAMP,
        b'{"code":0,"data":"{"}',
        completion()[:-1] + b',"data":%s}' % GOOD,
    ],
    ids=["embedding", "error", "two answers", "many layers", "text", "answer with data"],
)
def test_what_is_no_answer_in_another_object_is_left_alone(body: bytes) -> None:
    assert "envelope.wrapped" not in codes(analysis(body))
