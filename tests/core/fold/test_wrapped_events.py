"""Events of which each is wrapped by a gateway or a logger are read, and told."""

import json
from base64 import b64encode

import pytest

from inspector.core.analysis import Verdict
from inspector.core.completion import Result
from inspector.core.provenance import Origins
from tests.core.bodies import (
    DONE,
    GOOD,
    GOOD_STREAM,
    HELLO,
    ROLE,
    STOP,
    USAGE,
    analysis,
    chunk,
    codes,
    completion,
    delta,
    event,
    reading,
)
from tests.core.native_bodies import ANTHROPIC_EVENTS, GEMINI_CHUNKS, RESPONSES_EVENTS, as_events

CHUNKS = [
    each.removeprefix(b"data: ").strip()
    for each in (
        chunk(ROLE),
        chunk(delta(b'"content":"Hel"')),
        chunk(delta(b'"content":"lo"')),
        chunk(STOP),
        chunk(more=USAGE),
    )
]
AROUND = {
    "code and data": (b'{"code":0,"msg":"ok","data":%s}', "/data", {"/code": 0, "/msg": "ok"}),
    "result": (b'{"result":%s,"success":true}', "/result", {"/success": True}),
    "response": (b'{"response":%s}', "/response", {}),
    "two layers": (
        b'{"seq":1,"payload":{"id":"x","body":%s}}',
        "/payload/body",
        {"/seq": 1, "/payload/id": "x"},
    ),
}


@pytest.mark.parametrize(("around", "pointer", "extras"), AROUND.values(), ids=AROUND)
@pytest.mark.parametrize("is_lines", [False, True])
def test_wrapped_chunks_are_one_answer(
    around: bytes, pointer: str, extras: dict[str, object], is_lines: bool
) -> None:
    wrapped = [around % each for each in CHUNKS]
    body = b"\n".join(wrapped) if is_lines else b"".join(map(event, wrapped)) + DONE
    result = analysis(body)
    (choice,) = result.choices
    assert (choice.content, choice.finish_reason) == ("Hello", "stop")
    assert (result.usage.prompt_tokens, result.result) == (3, Result.ANSWERED)
    assert result.extras == extras
    (told,) = [each for each in result.findings if each.code == "envelope.wrapped"]
    assert f" {pointer} of the events." in told.message
    expected = {"framing.no-data-prefix", "ending.missing-terminator"} if is_lines else set()
    assert codes(result) == expected | {"envelope.wrapped"}


@pytest.mark.parametrize(("around", "_", "__"), AROUND.values(), ids=AROUND)
def test_the_bytes_of_a_wrapped_piece_are_its_own(around: bytes, _: str, __: object) -> None:
    body = b"".join(event(around % each) for each in CHUNKS) + DONE
    (origin,) = Origins(reading(body).tape(), body).of(0, 3, 5)
    assert [body[start:end] for start, end in origin.byte_ranges] == [b"lo"]


def test_chunks_that_are_wrapped_as_texts_are_read() -> None:
    texts = (json.dumps({"event": "message", "data": each.decode()}).encode() for each in CHUNKS)
    result = analysis(b"\n".join(texts))
    assert result.choices[0].content == "Hello"
    (told,) = [each for each in result.findings if each.code == "envelope.wrapped"]
    assert told.message.endswith("at /data of the events, as JSON in a text.")


COUNTS = b'{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}'


@pytest.mark.parametrize("is_whole", [False, True])
def test_usage_around_an_answer_counts_where_it_has_none(is_whole: bool) -> None:
    around = b'{"output":%s,"usage":' + COUNTS + b',"request_id":"r"}'
    stream = b"".join(event(around % each) for each in CHUNKS[:4]) + DONE
    result = analysis(around % completion(HELLO, more=b"") if is_whole else stream)
    assert (result.usage.prompt_tokens, result.usage.completion_tokens) == (3, 2)
    assert (codes(result), result.extras) == ({"envelope.wrapped"}, {"/request_id": "r"})


def test_usage_around_an_answer_yields_to_its_own() -> None:
    body = b'{"data":%s,"usage":{"prompt_tokens":9,"completion_tokens":9}}' % GOOD
    assert analysis(body).usage.prompt_tokens == 3


def test_lines_of_a_stream_that_a_log_has_as_texts_are_read() -> None:
    sent = [line for each in CHUNKS for line in (b"data: " + each, b"")] + [b"data: [DONE]", b""]
    lines = (json.dumps({"log": line.decode() + "\n", "stream": "stdout"}) for line in sent)
    result = analysis("\n".join(lines).encode())
    assert (result.verdict, result.choices[0].content) == (Verdict.COMPLETE, "Hello")
    assert "ending.event-after-end-mark" not in codes(result)


@pytest.mark.parametrize("cut", [0, 12])
def test_a_stream_that_is_a_text_of_one_object_is_read(cut: int) -> None:
    text = GOOD_STREAM.decode()[: len(GOOD_STREAM) - cut]
    body = json.dumps({"statusCode": 200, "response": {"body": text}}).encode()
    result = analysis(body)
    assert (result.choices[0].content, result.streamed) == ("Hello", True)
    assert result.extras == {"/statusCode": 200}
    (told,) = [each for each in result.findings if each.code == "envelope.wrapped"]
    assert told.message.endswith("at /response/body of the body, as a stream in a text.")


def test_an_error_in_a_stream_that_is_a_text_is_read() -> None:
    body = json.dumps({"body": 'event: error\ndata: {"error":{"message":"gone"}}\n\n'}).encode()
    assert analysis(body).verdict_reason.endswith(": gone")


@pytest.mark.parametrize(
    "body", [b'{"body":"data: 5 items"}', rb'{"body":"data: {\"n\":1}\n\n","id":7}']
)
def test_another_text_is_no_stream(body: bytes) -> None:
    result = analysis(body)
    assert (result.verdict, result.streamed) == (Verdict.NOT_A_RESPONSE, False)


def test_events_in_base64_are_read() -> None:
    lines = (b'{"chunk":{"bytes":"%s"}}' % b64encode(each) for each in ANTHROPIC_EVENTS)
    result = analysis(b"\n".join(lines))
    assert result.completion == analysis(as_events(ANTHROPIC_EVENTS)).completion
    (told,) = [each for each in result.findings if each.code == "envelope.wrapped"]
    assert told.message.endswith("at /chunk/bytes of the events, in base64.")


@pytest.mark.parametrize("events", [ANTHROPIC_EVENTS, RESPONSES_EVENTS])
def test_wrapped_events_build_the_same_answer(events: list[bytes]) -> None:
    plain = analysis(as_events(events))
    wrapped = analysis(b"".join(event(b'{"code":0,"data":%s}' % each) for each in events))
    assert (wrapped.completion, wrapped.verdict) == (plain.completion, plain.verdict)
    assert [choice.blocks for choice in wrapped.choices] != []


@pytest.mark.parametrize(
    ("events", "said"), [(CHUNKS, "Hello"), (GEMINI_CHUNKS, "Well received 📦")]
)
def test_a_list_of_wrapped_chunks_is_a_stream(events: list[bytes], said: str) -> None:
    body = b"[%s]" % b",".join(b'{"data":%s}' % each for each in events)
    assert analysis(body).choices[0].content == said


def test_an_end_mark_may_be_wrapped() -> None:
    body = b"".join(event(b'{"code":0,"data":%s}' % each) for each in [*CHUNKS, b'"[DONE]"'])
    assert (analysis(body).verdict, codes(analysis(body))) == (
        Verdict.COMPLETE,
        {"envelope.wrapped"},
    )


@pytest.mark.parametrize(
    "last",
    [
        b'{"code":500,"msg":"overloaded","data":null}',
        b'{"code":500,"msg":"overloaded","data":{"trace":"t"}}',
        b'{"code":500,"data":{"error":{"message":"overloaded"}}}',
        b'{"error":{"message":"overloaded"}}',
    ],
)
def test_an_error_ends_wrapped_chunks(last: bytes) -> None:
    body = b"".join(event(b'{"code":0,"data":%s}' % each) for each in CHUNKS[:2]) + event(last)
    result = analysis(body)
    assert (result.verdict, result.choices[0].content) == (Verdict.PROVIDER_ERROR, "Hel")
    assert result.verdict_reason.endswith(": overloaded")
    assert "chunks.choices-missing" not in codes(result)


@pytest.mark.parametrize(
    "other",
    [
        b'{"type":"tool","output":{"error":"not found"}}',
        b'{"type":"tool","result":{"error":"not found"}}',
        rb'{"type":"log","message":"{\"error\":\"not found\"}"}',
    ],
)
def test_the_error_of_a_tool_among_plain_chunks_is_not_the_providers(other: bytes) -> None:
    result = analysis(b"".join(map(event, (*CHUNKS[:3], other, *CHUNKS[3:]))) + DONE)
    assert (result.verdict, result.choices[0].content) == (Verdict.COMPLETE, "Hello")


def test_an_error_among_plain_chunks_is_read_where_its_wrapping_says_so() -> None:
    last = b'{"code":500,"data":{"error":{"message":"gone"}}}'
    result = analysis(b"".join(map(event, (*CHUNKS[:3], last))))
    assert (result.verdict, result.choices[0].content) == (Verdict.PROVIDER_ERROR, "Hello")


def test_events_that_cannot_be_read_are_not_told_to_be_wrapped() -> None:
    body = event(b'{"event":"end","data":{"output":{"message":{"role":"assistant"}}}}')
    assert codes(analysis(body)) == {"envelope.not-a-response"}


@pytest.mark.parametrize("beside", [b'"p":"ab"', b'"usage":{"prompt_tokens":1}'])
@pytest.mark.parametrize("said", [CHUNKS[1], GOOD, b'{"error":{"message":"gone"}}'])
def test_json_that_a_model_writes_is_not_taken_for_a_wrapped_event(
    said: bytes, beside: bytes
) -> None:
    text = json.dumps(said.decode()).encode()
    result = analysis(event(b'{"response":%s,%s}' % (text, beside)) + DONE)
    assert (result.verdict, result.choices) == (Verdict.NOT_A_RESPONSE, ())


def test_what_comes_around_nothing_is_no_chunk() -> None:
    idle = event(b'{"code":0,"msg":"wait","data":null}')
    body = b"".join(event(b'{"code":0,"data":%s}' % each) + idle for each in CHUNKS) + DONE
    result = analysis(idle + body)
    assert (result.choices[0].content, result.timeline.counts.chunks) == ("Hello", 5)
    assert codes(result) == {"envelope.wrapped"}


def test_answers_that_are_wrapped_one_a_line_are_several() -> None:
    wrapped = b'{"code":0,"data":%s}'
    other = GOOD.replace(b"chatcmpl-1", b"chatcmpl-2")
    result = analysis(b"\n".join((wrapped % GOOD, wrapped % other)))
    assert "framing.several-documents" in codes(result)
    assert result.choices == ()


@pytest.mark.parametrize(
    "body",
    [
        GOOD_STREAM,
        event(b'{"data":{"weather":"wet"}}') * 2,
        event(b'{"data":{"bytes":"eyJ"}}') * 2,
        event(b'{"header":{"code":0},"payload":{"choices":{"text":[{"content":"Hi"}]}}}') * 2,
        event(b'{"data":%s,"result":%s}' % (CHUNKS[1], CHUNKS[2])) + DONE,
        chunk(ROLE) + event(b'{"data":%s}' % CHUNKS[1]) + chunk(STOP) + DONE,
    ],
    ids=["plain", "no format", "no base64", "no list", "two in one", "among plain ones"],
)
def test_nothing_else_is_taken_for_wrapped(body: bytes) -> None:
    assert "envelope.wrapped" not in codes(analysis(body))
