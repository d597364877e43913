"""Which answers have nothing for their reader."""

import pytest

from inspector.core.completion import Result
from inspector.core.findings import Severity
from tests.core.bodies import ROLE, analysis, choice, chunk, codes, completion

EMPTY_MESSAGES = {
    "white space": b'"content":" \\n"',
    "reasoning": b'"content":"","reasoning_content":"Hm."',
    "inline reasoning": b'"content":"<think>Hm.</think>\\n"',
}
SAYING_MESSAGES = {
    "a call": b'"content":null,"tool_calls":[{"id":"c","type":"function","function":'
    b'{"name":"f","arguments":"{}"}}]',
    "a refusal": b'"content":null,"refusal":"No."',
    "speech": b'"content":null,"audio":{"id":"a","data":"AAAA"}',
    "an image beside the text": b'"content":"","images":[{"image_url":{"url":"data:,"}}]',
    "an image as a part": b'"content":[{"type":"image_url","image_url":{"url":"data:,"}}]',
}


@pytest.mark.parametrize("message", EMPTY_MESSAGES.values(), ids=EMPTY_MESSAGES)
def test_an_answer_without_anything_for_its_reader_is_a_warning(message: bytes) -> None:
    result = analysis(completion(choice(b'"role":"assistant",' + message)))
    (found,) = (f for f in result.findings if f.code == "choice.says-nothing")
    assert (found.severity, result.result) == (Severity.WARNING, Result.EMPTY)
    assert found.message == "Choice 0 is empty: it has no text, tool call or refusal."


@pytest.mark.parametrize("message", SAYING_MESSAGES.values(), ids=SAYING_MESSAGES)
def test_an_answer_with_anything_for_its_reader_is_not_empty(message: bytes) -> None:
    result = analysis(completion(choice(b'"role":"assistant",' + message)))
    assert "choice.says-nothing" not in codes(result)


@pytest.mark.parametrize(
    "body",
    [
        chunk(ROLE),
        completion(choice(b'"content":""', b'"finish_reason":"length"')),
        completion(choice(b'"content":""', b'"finish_reason":"content_filter"')),
    ],
    ids=["cut before anything came", "at its limit", "filtered"],
)
def test_an_answer_with_another_result_is_not_called_empty(body: bytes) -> None:
    result = analysis(body)
    assert result.result is not Result.EMPTY
    assert "choice.says-nothing" not in codes(result)


def test_an_empty_legacy_call_and_empty_speech_are_none() -> None:
    empty = b'"function_call":{"name":"","arguments":""},"audio":{"id":"","data":""}'
    result = analysis(completion(choice(b'"role":"assistant","content":"a",' + empty)))
    assert codes(result) == set()
    result = analysis(completion(choice(b'"role":"assistant","content":"",' + empty)))
    assert codes(result) == {"choice.says-nothing"}
