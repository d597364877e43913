"""A part of a completion as a body of its own: recognised, and read as far as it goes."""

import pytest

from inspector.core.analysis import Verdict
from inspector.core.findings import Where
from inspector.core.formats.fragment import Fragment
from tests.core.bodies import GOOD, STOP, TOP, WHOLE_TOP, analysis, codes, completion, delta

MESSAGE = b'{"role":"assistant","content":"Hello! How can I help you today?"}'
COUNTS = b'{"prompt_tokens":20,"completion_tokens":9,"total_tokens":29}'
CHUNK = b'{%s,"choices":[%s]}' % (TOP, delta(b'"content":"Hello"'))
LAST = b'{%s,"choices":[%s]}' % (TOP, STOP)


@pytest.mark.parametrize(
    ("body", "fragment", "what"),
    [
        (MESSAGE, Fragment.MESSAGE, "an assistant message alone"),
        (COUNTS, Fragment.USAGE, "a usage object alone"),
        (b'{"usage":%s}' % COUNTS, Fragment.USAGE, "a usage object alone"),
        (CHUNK, Fragment.CHUNK, "one chunk of a stream"),
        (LAST, Fragment.CHUNK, "one chunk of a stream"),
        (b'{%s,"choices":[]}' % TOP, Fragment.CHUNK, "one chunk of a stream"),
    ],
)  # fmt: skip
def test_a_part_of_a_completion_has_its_name(body: bytes, fragment: Fragment, what: str) -> None:
    result = analysis(body)
    assert (result.dialect, result.fragment, result.verdict) == (
        "openai-chat",
        fragment,
        Verdict.PART,
    )
    assert result.verdict_reason == f"The body is {what}, a part of a chat completion."
    assert result.completion is not None
    loud = {finding.code for finding in result.findings if finding.severity != "info"}
    assert loud == ({"envelope.chunk-alone"} if fragment is Fragment.CHUNK else set())


def test_a_message_is_read_as_the_only_choice() -> None:
    (choice,) = analysis(MESSAGE).choices
    assert (choice.role, choice.content) == ("assistant", "Hello! How can I help you today?")


def test_a_usage_object_is_counted_and_its_places_lead_into_the_body() -> None:
    result = analysis(COUNTS.replace(b"29", b"30"))
    assert (result.usage.total_tokens, result.usage.pointer) == (30, "")
    (finding,) = (each for each in result.findings if each.code == "usage.total-mismatch")
    assert finding.where == Where(pointer="/total_tokens")


def test_a_message_is_checked_and_its_places_lead_into_the_body() -> None:
    result = analysis(b'{"role":"assistant","content":5,"tool_calls":[{"id":"a","function":{}}]}')
    places = {finding.code: finding.where.pointer for finding in result.findings}
    assert places["message.field-malformed"] == "/content"
    assert places["tool.name-missing"] == "/tool_calls/0/function/name"


def test_a_chunk_is_held_against_the_object_of_a_chunk() -> None:
    result = analysis(CHUNK.replace(b"chat.completion.chunk", b"foo"))
    (finding,) = (each for each in result.findings if each.code == "envelope.object-unexpected")
    assert finding.message == "object is 'foo' instead of 'chat.completion.chunk'."


def test_an_answer_that_lacks_only_its_choices_is_recognised() -> None:
    result = analysis(b'{%s,"usage":%s}' % (WHOLE_TOP, COUNTS))
    assert (result.dialect, result.fragment) == ("openai-chat", None)
    assert (result.model, result.usage.total_tokens) == ("parcel-1", 29)
    assert result.verdict is Verdict.MISSING_FINISH
    assert "envelope.no-choices" in codes(result)
    legacy = analysis(b'{"object":"text_completion","model":"m"}')
    assert (legacy.dialect, legacy.model) == ("openai-text", "m")


@pytest.mark.parametrize(
    "body",
    [
        GOOD,
        completion(b'{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}'),
        CHUNK.replace(b'"delta"', b'"message"'),
        b'{"role":"user","content":"Where is it?"}',
        b'{"role":"assistant"}',
        b'{"type":"message","role":"assistant","content":[]}',
        b'{"total_tokens":3}',
        b'{"model":"m","prompt_tokens":1,"total_tokens":2}',
        b'{"error":{"message":"no"},"choices":[],"object":"chat.completion.chunk"}',
        b"[]",
    ],
)
def test_what_is_whole_or_something_else_is_no_part(body: bytes) -> None:
    assert analysis(body).fragment is None
