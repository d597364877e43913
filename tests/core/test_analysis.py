"""An analysis to JSON and back: absent, null and 0 stay three things."""

import json

import msgspec
import pytest

from inspector.core.analysis import ANALYSIS_VERSION, analysis_to_json
from tests.core.bodies import (
    GOOD,
    GOOD_STREAM,
    HELLO,
    analysis,
    analysis_from_json,
    choice,
    chunk,
    completion,
)


@pytest.mark.parametrize(
    "body",
    [GOOD, GOOD_STREAM, GOOD[:-9], GOOD[:-1] + b",}", b"", b"<html>"],
    ids=["whole", "stream", "cut", "broken", "empty", "html"],
)
def test_an_analysis_comes_back_from_json_as_it_was(body: bytes) -> None:
    result = analysis(body)
    assert analysis_from_json(analysis_to_json(result)) == result


@pytest.mark.parametrize(
    "message",
    [
        b'"content":"\\ud800"',
        b'"content":"a","\\udfff":"\\ud83d"',
        b'"content":"a","n":123456789012345678901234567890',
        b'"content":"a","n":1e999',
        '"content":"\U0001f600\u2028é\x7f"'.encode(),
        b'"content":"\\u0000"',
    ],
)
def test_texts_and_numbers_that_are_hard_to_write_come_back(message: bytes) -> None:
    result = analysis(completion(choice(message)))
    text = analysis_to_json(result)
    assert analysis_from_json(text) == result
    assert json.loads(text)["choices"][0]["index"] == 0
    text.decode()


def test_what_was_not_sent_is_left_out_and_a_null_stays() -> None:
    sent = json.loads(analysis_to_json(analysis(completion(choice(b'"content":null'), more=b""))))
    (one,) = sent["choices"]
    assert one["content"] is None
    assert not {"refusal", "reasoning", "text", "cost_usd"} & set(one)
    assert "prompt_tokens" not in sent["usage"]


def test_zero_and_null_counts_stay_apart() -> None:
    usage = b'"usage":{"prompt_tokens":0,"completion_tokens":null}'
    sent = json.loads(analysis_to_json(analysis(completion(HELLO, more=usage))))["usage"]
    assert (sent["prompt_tokens"], sent["completion_tokens"]) == (0, None)
    assert "total_tokens" not in sent


def test_the_names_of_the_analysis_are_those_that_programs_rely_on() -> None:
    sent = json.loads(analysis_to_json(analysis(GOOD_STREAM)))
    assert sorted(sent) == sorted(
        [
            "analysis_version",
            "dialect",
            "vendor",
            "object",
            "streamed",
            "verdict",
            "verdict_reason",
            "verdict_clauses",
            "result",
            "result_reason",
            "result_clauses",
            "measured_by",
            "model",
            "identity",
            "completion",
            "choices",
            "usage",
            "service_tier",
            "fragment",
            "timeline",
            "repair",
            "findings",
            "extras",
        ]
    )
    assert sent["analysis_version"] == ANALYSIS_VERSION
    counts = ["arrivals", "chunks", "comments", "events", "most_together", "reads"]
    assert sorted(sent["timeline"]["counts"]) == counts


def test_a_finding_names_code_severity_message_and_place() -> None:
    sent = json.loads(analysis_to_json(analysis(chunk())))
    for finding in sent["findings"]:
        assert sorted(finding) == ["code", "message", "severity", "where"]
        assert sorted(finding["where"]) == ["byte_end", "byte_start", "event", "pointer"]


def test_another_shape_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        analysis_from_json(b'{"verdict":"unheard-of"}')
