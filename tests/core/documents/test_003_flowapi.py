"""FlowAPI's reference: every statement, quoted and held."""

import pytest

from inspector.core.analysis import Verdict
from inspector.core.formats.fragment import Fragment
from tests.core.bodies import (
    DONE,
    GOOD,
    HELLO,
    ROLE,
    STOP,
    analysis,
    chat_stream,
    chunk,
    codes,
    completion,
    delta,
    event,
)
from tests.core.bodies import choice as whole_choice
from tests.core.documents.statements import messages, places, states, wanted
from tests.core.documents.test_000_workflowai import DOCUMENTS

EXAMPLE = (DOCUMENTS / "003-completion.json").read_bytes()
CHUNK = (DOCUMENTS / "003-chunk.json").read_bytes()


def counted(counts: bytes) -> bytes:
    return completion(HELLO, more=b'"usage":{%s}' % counts)


@states("003", "one shape for many models", "so you can reuse one client-side parsing strategy across many models", "The printed answer is complete, without a finding, whatever model it names.")  # fmt: skip
def test_one_shape_serves_every_model() -> None:
    result = analysis(EXAMPLE)
    assert (result.verdict, result.findings) == (Verdict.COMPLETE, ())
    assert (result.dialect, result.model) == ("openai-chat", "deepseek-ai/DeepSeek-V3.2")
    assert result.choices[0].content == "Hello! How can I help you today?"


@states("003", "id: string", "Unique identifier for the completion", "Missing, empty and another type are reported.", "envelope.identity-missing", "envelope.identity-malformed")  # fmt: skip
def test_an_id_is_a_text() -> None:
    assert analysis(EXAMPLE).completion["id"] == "chatcmpl-abc123"
    for value, code in ((b'""', "missing"), (b"null", "missing"), (b"5", "malformed")):
        body = EXAMPLE.replace(b'"chatcmpl-abc123"', value)
        assert codes(analysis(body)) == {f"envelope.identity-{code}"}


@states("003", "object: usually two names", "Usually chat.completion or chat.completion.chunk", "Absent is worth knowing, another name is reported, each kind held against its own.", "envelope.object-missing", "envelope.object-unexpected")  # fmt: skip
def test_an_object_is_usually_one_of_two() -> None:
    absent = GOOD.replace(b'"object":"chat.completion",', b"")
    (finding,) = (each for each in analysis(absent).findings)
    assert (finding.code, finding.severity) == ("envelope.object-missing", "info")
    assert "envelope.object-unexpected" in codes(analysis(EXAMPLE.replace(b'"chat.', b'"talk.')))


@states("003", "created: integer", "Unix timestamp when the response was created", "Missing, another type and another unit are reported.", "envelope.created-missing", "envelope.created-out-of-range")  # fmt: skip
def test_created_is_a_unix_timestamp() -> None:
    assert analysis(EXAMPLE).completion["created"] == 1713000000
    milliseconds = EXAMPLE.replace(b"1713000000", b"1713000000000")
    assert messages(milliseconds, "envelope.created-out-of-range") == [
        "created is 1,713,000,000,000, which is not a Unix time in seconds."
    ]


@states("003", "model and choices", "The model that produced the response", "Read and checked; an answer without choices is recognised by its object, and reported.", "envelope.identity-malformed", "envelope.no-choices", "envelope.choices-malformed")  # fmt: skip
def test_an_answer_has_a_model_and_choices() -> None:
    assert "envelope.identity-malformed" in codes(analysis(GOOD.replace(b'"parcel-1"', b"7")))
    bare = b'{"id":"c","object":"chat.completion","created":1795183339,"model":"m"}'
    result = analysis(bare)
    assert (result.dialect, result.model) == ("openai-chat", "m")
    assert codes(result) == {"envelope.no-choices", "ending.missing-finish"}


@states("003", "usage: usually present", "usually present on non-streaming responses", "Its absence is worth knowing, in streams too, and never taken for 0.", "usage.missing")  # fmt: skip
def test_usage_that_is_missing_is_worth_knowing() -> None:
    (finding,) = analysis(completion(HELLO, more=b"")).findings
    assert (finding.code, finding.severity) == ("usage.missing", "info")


@states("003", "choices[].index: integer", "Position of the choice in the returned array", "An index that is not the position is reported.", "choice.index-not-position", "choice.index-missing")  # fmt: skip
def test_an_index_is_the_position() -> None:
    second = HELLO.replace(b":0", b":1", 1)
    assert codes(analysis(completion(HELLO, second))) == set()
    assert "choice.index-not-position" in codes(analysis(completion(second, HELLO)))


@states("003", "message for whole answers, delta for streams", "Full assistant message for non-streaming responses", "A message in a stream and a delta in a whole answer are each reported.", "message.in-stream", "message.delta-in-whole")  # fmt: skip
def test_a_whole_answer_has_messages_and_a_stream_deltas() -> None:
    assert "message.in-stream" in codes(analysis(chunk(HELLO) + DONE))
    alone = completion(STOP.replace(b"{}", b'{"role":"assistant","content":"Hi"}'))
    result = analysis(alone)
    assert (result.choices[0].content, "message.delta-in-whole" in codes(result)) == ("Hi", True)
    beside = completion(HELLO[:-1] + b',"delta":{"content":"Hello"}}')
    assert analysis(beside).choices[0].content == "Hello"
    assert messages(beside, "message.delta-in-whole") == [
        "A choice of a complete answer has a delta."
    ]


@states("003", "finish_reason: string or null", "Why generation stopped", "Null is kept, and named in the verdict.", "ending.missing-finish", "choice.finish-malformed")  # fmt: skip
def test_a_finish_reason_is_a_text_or_null() -> None:
    result = analysis(EXAMPLE.replace(b'"stop"', b"null"))
    assert (result.verdict, result.choices[0].finish_reason) == (Verdict.MISSING_FINISH, None)
    assert result.verdict_reason.endswith("its finish reason is null.")


@states("003", "the assistant message as printed", '{ "role": "assistant", "content":', "Recognised as a message alone, read and checked as one.", "envelope.fragment")  # fmt: skip
def test_a_message_alone_is_recognised() -> None:
    body = b'{ "role": "assistant", "content": "Hello! How can I help you today?" }'
    result = analysis(body)
    assert (result.fragment, result.dialect) == (Fragment.MESSAGE, "openai-chat")
    assert result.choices[0].content == "Hello! How can I help you today?"


@states("003", "tool_calls in the message", "the assistant payload may also include tool_calls", "Read and checked, whole and streamed.", "tool.call-malformed", "tool.arguments-invalid")  # fmt: skip
def test_a_message_may_have_tool_calls() -> None:
    call = b'{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}'
    message = b'"role":"assistant","content":null,"tool_calls":[%s]' % call
    body = completion(whole_choice(message, b'"finish_reason":"tool_calls"'))
    assert analysis(body).choices[0].tool_calls[0].name == "f"
    alone = analysis(b'{"role":"assistant","content":null,"tool_calls":[%s]}' % call)
    assert (alone.fragment, alone.choices[0].tool_calls[0].id) == (Fragment.MESSAGE, "a")


@states("003", "the usage object as printed", '{ "prompt_tokens": 20, "completion_tokens": 9, "total_tokens": 29 }', "Recognised as a usage object alone, counted and checked.", "envelope.fragment", "usage.total-mismatch")  # fmt: skip
def test_a_usage_object_alone_is_recognised() -> None:
    result = analysis(b'{ "prompt_tokens": 20, "completion_tokens": 9, "total_tokens": 29 }')
    assert (result.fragment, result.usage.total_tokens) == (Fragment.USAGE, 29)
    wrong = analysis(b'{ "prompt_tokens": 20, "completion_tokens": 9, "total_tokens": 30 }')
    assert places(wrong, "usage.total-mismatch") == ["/total_tokens"]


@states("003", "more detailed counts", "cached token breakdowns", "Known ones are read and held against their whole, others kept under their own names.", "usage.part-exceeds-whole", "usage.parts-differ", "usage.stated-twice")  # fmt: skip
def test_detailed_counts_are_read_and_unknown_ones_kept() -> None:
    counts = b'"prompt_tokens":3,"completion_tokens":2,"total_tokens":5'
    details = b'"prompt_tokens_details":{"cached_tokens":1},"reasoning_tokens":2,"weird_tokens":7'
    usage = analysis(counted(counts + b"," + details)).usage
    assert (usage.cached_tokens, usage.reasoning_tokens) == (1, 2)
    assert usage.extras == {"/weird_tokens": 7}
    more = counted(counts + b',"prompt_tokens_details":{"cached_tokens":4}')
    assert "usage.part-exceeds-whole" in codes(analysis(more))


@states("003", "detailed counts vary", "Detailed usage fields vary by upstream model and provider.", "What was not sent stays apart from 0; each place of a count is tried and named.", "usage.stated-twice")  # fmt: skip
def test_a_count_is_found_where_a_provider_puts_it() -> None:
    beside = b'"prompt_tokens":3,"completion_tokens":2,"total_tokens":5,"cached_tokens":1'
    usage = analysis(counted(beside)).usage
    assert (usage.cached_tokens, usage.places) == (1, {"cached_tokens": "/cached_tokens"})


@states("003", "finish reasons", "Generation hit a token or length limit", "The four are known, those that end early are reported.", "choice.finish-length", "choice.finish-filtered", "choice.finish-mismatch")  # fmt: skip
def test_four_finish_reasons_are_known() -> None:
    for reason in (b"stop", b"length", b"tool_calls", b"content_filter"):
        found = codes(analysis(EXAMPLE.replace(b'"stop"', b'"%s"' % reason)))
        assert "choice.finish-unknown" not in found


@states("003", "other finish reasons", "Additional provider-specific values may appear", "Told where neither documents nor vendor are known to use them; shown as sent.", "choice.finish-unknown", "choice.finish-failed")  # fmt: skip
def test_another_finish_reason_is_shown_as_sent() -> None:
    result = analysis(EXAMPLE.replace(b'"stop"', b'"brand_new"'))
    assert (result.verdict, result.choices[0].finish_reason) == (Verdict.COMPLETE, "brand_new")
    assert codes(result) == {"choice.finish-unknown"}


@states("003", "stream=true", "each event usually contains a partial delta object instead of a full message", "Joined event by event; one document in place of a stream is reported.", "envelope.streamed-otherwise", "chunks.delta-missing")  # fmt: skip
def test_a_stream_has_partial_deltas() -> None:
    body = chat_stream(ROLE, delta(b'"content":"Hel"'), delta(b'"content":"lo"'), STOP)
    assert analysis(body).choices[0].content == "Hello"
    assert "envelope.streamed-otherwise" in codes(analysis(EXAMPLE, **wanted(b'"stream":true')))


@states("003", "the chunk as printed", '"delta": { "content": "Hello" }', "As an event part of its stream; as a body recognised as one chunk, held against the object of a chunk.", "envelope.fragment", "envelope.chunk-alone")  # fmt: skip
def test_a_chunk_alone_is_recognised() -> None:
    result = analysis(CHUNK)
    assert (result.fragment, result.verdict) == (Fragment.CHUNK, Verdict.PART)
    assert result.choices[0].content == "Hello"
    assert codes(result) == {"envelope.fragment", "envelope.chunk-alone"}
    assert analysis(event(CHUNK) + DONE).fragment is None


@states("003", "created differs between the examples", '"created": 1713000001', "Within one stream the change is worth knowing, with the first and the last time.", "envelope.created-changed")  # fmt: skip
@pytest.mark.parametrize("drift", [1, 2])
def test_created_that_drifts_is_worth_knowing(drift: int) -> None:
    later = CHUNK.replace(b"1713000001", b"%d" % (1713000001 + drift))
    result = analysis(event(CHUNK) + event(later) + DONE)
    (finding,) = (each for each in result.findings if each.code == "envelope.created-changed")
    assert finding.severity == "info"
    assert result.timeline.created is not None
    assert result.timeline.created.span_seconds == drift
