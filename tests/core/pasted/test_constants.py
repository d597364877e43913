"""NaN and infinities are no JSON: it is told, and what Python's clients get of them is read."""

import json

import pytest

from inspector.core.analysis import Verdict
from inspector.core.json.parser import parse_with_constants
from inspector.core.provenance import Origins
from tests.core.bodies import (
    DONE,
    ROLE,
    STOP,
    analysis,
    choice,
    chunk,
    codes,
    completion,
    delta,
    reading,
)

LOGPROBS = b'"logprobs":{"content":[{"token":"lit","logprob":%s,"bytes":null,"top_logprobs":[]}]}'
SAID = choice(b'"role":"assistant","content":"lit"', b'"finish_reason":"stop",' + LOGPROBS)
PIECE = b'{"index":0,"delta":{"content":"lit"},"finish_reason":null,%s}' % LOGPROBS


@pytest.mark.parametrize("sent", [b"NaN", b"Infinity", b"-Infinity"])
def test_an_answer_with_a_constant_is_told_and_read(sent: bytes) -> None:
    result = analysis(completion(SAID % sent))
    assert (result.verdict, result.choices[0].content) == (Verdict.UNREADABLE, "lit")
    assert f"{sent.decode()} is not JSON" in result.verdict_reason
    assert result.repair is not None
    assert result.repair.steps == ("Read NaN and infinities, which JSON does not have, as texts",)
    assert "logprobs.malformed" in codes(result)


def test_a_constant_among_the_counts_is_no_count() -> None:
    usage = b'"usage":{"prompt_tokens":NaN,"completion_tokens":2,"total_tokens":5}'
    result = analysis(completion(choice(b'"role":"assistant","content":"lit"'), more=usage))
    assert result.usage.completion_tokens == 2
    (told,) = [each for each in result.findings if each.code == "usage.not-a-count"]
    assert '"NaN"' in told.message


def test_a_chunk_with_a_constant_is_broken_and_its_text_is_there() -> None:
    body = chunk(ROLE) + chunk(PIECE % b"-Infinity") + chunk(delta(b'"content":" now"'))
    body += chunk(STOP) + DONE
    result = analysis(body)
    assert (result.verdict, result.choices[0].content) == (Verdict.COMPLETE, "lit now")
    (told,) = [each for each in result.findings if each.code == "json.broken-chunk"]
    assert told.where.event == 1
    assert "-Infinity is not JSON" in told.message
    tape = reading(body).tape()
    (origin,) = Origins(tape, body).of(0, 0, 3)
    assert [body[start:end] for start, end in origin.byte_ranges] == [b"lit"]


def test_a_printed_chunk_with_a_constant_is_told_once() -> None:
    pieces = (chunk(PIECE % b"NaN"), chunk(STOP))
    body = b"\n".join(piece.removeprefix(b"data: ").strip() for piece in pieces)
    (told,) = [each for each in analysis(body).findings if each.code == "json.broken-chunk"]
    assert "times" not in told.message


@pytest.mark.parametrize(
    "text", [b'{"a":"NaN"}', b'{"a":nan}', b'{"a":NaN', b'{"a":Nan}', b"[" * 70 + b"NaN"]
)
def test_nothing_else_is_read_with_constants(text: bytes) -> None:
    value = parse_with_constants(text)
    assert value is None or value == json.loads(text)


def test_a_text_that_names_a_constant_is_a_text() -> None:
    result = analysis(completion(choice(b'"role":"assistant","content":"NaN, Infinity"')))
    assert (result.verdict, codes(result)) == (Verdict.COMPLETE, set())


def test_arguments_with_a_constant_stay_invalid() -> None:
    call = rb'{"id":"c1","type":"function","function":{"name":"dim","arguments":"{\"to\":NaN}"}}'
    message = b'"role":"assistant","content":null,"tool_calls":[%s]' % call
    result = analysis(completion(choice(message, b'"finish_reason":"tool_calls"')))
    assert "tool.arguments-invalid" in codes(result)
