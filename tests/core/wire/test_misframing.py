"""Streams that a server framed wrongly are read as they were meant, and said to be what they are."""

import json

import pytest

from inspector.core.analysis import Verdict
from inspector.core.reading import analyze
from inspector.core.wire.exchange import Exchange, Read
from inspector.core.wire.misframing import Misframing, meant_lines
from tests.core.bodies import analysis, chat_stream, codes, delta

STREAM = chat_stream(delta(b'"content":"One "'), delta(b'"content":"two"'),
    b'{"index":0,"delta":{},"finish_reason":"stop"}')  # fmt: skip
EVENTS = [line.removeprefix(b"data: ") for line in STREAM.split(b"\n\n") if line]
EVENTS_PRINTED = b"".join(b"data: " + repr(each).encode() + b"\n\n" for each in EVENTS)
LINES_PRINTED = b"".join(repr(b"data: %s\n\n" % each).encode() + b"\n" for each in EVENTS)
EVENTS_ENCODED = b"".join(
    b"data: " + json.dumps(f"data: {each.decode()}\n\n").encode() + b"\n\n" for each in EVENTS
)
ENCODED = b"".join(b"data: " + json.dumps(each.decode()).encode() + b"\n\n" for each in EVENTS)
MESSAGES = b"".join(
    b"event: " + json.loads(line)["type"].encode() + b"\ndata: " + line + b"\n"
    for line in (
        b'{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[],"usage":{"input_tokens":2,"output_tokens":1}}}',
        b'{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
        b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"One two"}}',
        b'{"type":"content_block_stop","index":0}',
        b'{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}',
        b'{"type":"message_stop"}',
    )
)
CASES = {
    "twice": (STREAM.replace(b"data: ", b"data: data: "), "framing.prefix-repeated"),
    "thrice": (STREAM.replace(b"data: ", b"data:data: data: "), "framing.prefix-repeated"),
    "no blank lines": (STREAM.replace(b"\n\n", b"\n"), "framing.blank-lines-missing"),
    "no blank lines, CRLF": (STREAM.replace(b"\n\n", b"\r\n"), "framing.blank-lines-missing"),
    "no blank lines, names": (MESSAGES, "framing.blank-lines-missing"),
    "encoded": (ENCODED, "framing.encoded-twice"),
    "whole events encoded": (EVENTS_ENCODED, "framing.encoded-twice"),
    "printed by Python": (EVENTS_PRINTED, "framing.printed"),
    "whole events printed by Python": (LINES_PRINTED, "framing.printed"),
    "line ends escaped": (STREAM.replace(b"}\n\n", b"}\\n\\n\n\n"), "framing.printed"),
    "all in one line, line ends escaped": (STREAM.replace(b"\n", b"\\n"), "framing.printed"),
    "all in one line, CRLF escaped": (STREAM.replace(b"\n", b"\\r\\n"), "framing.printed"),
    "encoded and prefixed": (ENCODED.replace(b"data: ", b"data: data: "), "framing.encoded-twice"),
}


def test_bytes_between_quotes_that_are_no_text_are_no_line_of_a_stream() -> None:
    assert analysis(b'x\n"\xc2"\n').verdict is Verdict.NOT_A_RESPONSE


@pytest.mark.parametrize(("body", "code"), CASES.values(), ids=CASES)
def test_a_stream_is_read_as_it_was_meant(body: bytes, code: str) -> None:
    result = analysis(body)
    assert (result.choices[0].content, result.verdict) == ("One two", Verdict.COMPLETE)
    assert code in codes(result)
    assert not codes(result) & {"framing.pasted", "ending.missing-terminator", "json.not-an-object"}


@pytest.mark.parametrize(("body", "code"), CASES.values(), ids=CASES)
def test_what_was_recorded_is_never_called_a_part_of_a_text(body: bytes, code: str) -> None:
    reads = tuple(Read(at, bytes([byte])) for at, byte in enumerate(body))
    exchange = Exchange(reads=reads, headers=(("content-type", "text/event-stream"),))
    result = analyze(exchange)
    assert code in codes(result)
    assert "longer text" not in result.verdict_reason


def test_a_body_that_was_encoded_twice_is_read() -> None:
    body = json.dumps(json.dumps({"choices": [{"index": 0, "finish_reason": "stop",
        "message": {"role": "assistant", "content": "Hi"}}]})).encode()  # fmt: skip
    result = analysis(body)
    assert (result.choices[0].content, "framing.encoded-twice" in codes(result)) == ("Hi", True)


@pytest.mark.parametrize("content", [b"data: ", b"data: data: "])
def test_a_misframed_stream_that_ends_inside_an_event_is_cut(content: bytes) -> None:
    body = STREAM.replace(b"\n\n", b"\n").replace(b"data: ", content)
    result = analysis(body[: body.index(b"two") + 1])
    assert (result.choices[0].content, result.verdict) == ("One ", Verdict.CUT_OFF)
    assert "framing.pasted" not in codes(result)


def test_objects_without_the_form_of_events_are_a_part_of_no_text_where_a_server_sent_them() -> (
    None
):
    sent = STREAM.replace(b"data: ", b" data: ")
    result = analysis(sent, status_code=200)
    assert "extracted from what is no event stream" in result.verdict_reason
    assert codes(result) & {"framing.pasted", "framing.text-around"} == {"framing.text-around"}
    assert codes(analysis(sent)) & {"framing.pasted", "framing.text-around"} == {"framing.pasted"}


def test_a_stream_that_is_sound_has_no_fault() -> None:
    assert all(not line.faults for line in meant_lines(STREAM))


def test_data_over_several_lines_is_left_to_the_standard() -> None:
    body = b'data: {"choices":[{"index":0,"delta":{"content":"Hi"},\ndata: "finish_reason":"stop"}]}\n\n'
    assert "framing.blank-lines-missing" not in codes(analysis(body))


def test_each_line_is_told_with_its_bytes() -> None:
    lines = list(meant_lines(b"data: data: {}\ndata: {}\n"))
    assert [(line.byte_start, line.byte_end, line.data) for line in lines] == [
        (0, 15, b"{}"),
        (15, 24, b"{}"),
    ]
    assert lines[1].faults == {Misframing.BLANK_LINES_MISSING}


def test_a_page_of_html_in_a_stream_is_one_finding_with_its_title() -> None:
    page = b"<html>\n<head><title>504 Gateway Time-out</title></head>\n<body>\nnginx\n</body>\n</html>\n"
    result = analysis(STREAM[: STREAM.index(b"\n\n") + 2] + page)
    [found] = [one for one in result.findings if one.code == "framing.html-page"]
    assert found.message == "An HTML page stands in the stream: “504 Gateway Time-out”."
    assert "framing.ignored-line" not in codes(result)


def test_headers_that_a_client_printed_before_a_stream_are_no_page_of_html() -> None:
    result = analysis(b"< HTTP/2 200 \n< content-type: text/event-stream\n< \n" + STREAM)
    assert "framing.html-page" not in codes(result)
