"""OpenAI's chat-completions reference: every statement, quoted and held."""

import pytest
from msgspec import UNSET

from inspector.core.analysis import Verdict
from tests.core.bodies import (
    DONE,
    GOOD,
    GOOD_STREAM,
    ROLE,
    STOP,
    USAGE,
    analysis,
    chat_stream,
    chunk,
    codes,
    delta,
    event,
)
from tests.core.documents.statements import messages, states, wanted
from tests.core.documents.test_000_workflowai import DOCUMENTS

HELLO = delta(b'"content":"Hello"')


def changed(name: bytes, *values: bytes) -> bytes:
    """A stream in whose chunks a field has these values; an empty one is absent."""
    bodies = (b'"%s":%s,' % (name, value) if value else b"" for value in values)
    return b"".join(event(b'{%s"choices":[%s]}' % (sent, STOP)) for sent in bodies) + DONE


@states("001", "id: the same in all chunks", "Same id across chunks in one completion", "A change is reported, and a chunk that lacks it although another has it.", "envelope.identity-changed", "chunks.field-missing", "envelope.identity-missing")  # fmt: skip
def test_an_id_is_the_same_in_all_chunks() -> None:
    assert codes(analysis(GOOD_STREAM)) == set()
    (message,) = messages(changed(b"id", b'"a"', b'"b"'), "envelope.identity-changed")
    assert message == "id changed within the stream: a became b."
    for lacking in (b"", b"null", b'""'):
        body = changed(b"id", b'"a"', lacking)
        assert messages(body, "chunks.field-missing") == ["A chunk has no id."]
    assert "chunks.field-missing" not in codes(analysis(changed(b"id", b"", b"")))


@states("001", "choices: array, also in chunks", "Streaming choices; multiple if n > 1", "Choices of one stream are joined by index, also where they alternate.", "chunks.choices-interleaved", "chunks.choices-missing", "choice.more-than-asked")  # fmt: skip
def test_choices_of_a_stream_are_joined_by_index() -> None:
    other = STOP.replace(b":0", b":1", 1)
    body = chat_stream(HELLO, delta(b'"content":"Hi"', 1), delta(b'"content":"!"'), STOP, other)
    result = analysis(body, **wanted(b'"n":2,"stream":true'))
    assert [choice.content for choice in result.choices] == ["Hello!", "Hi"]
    assert "chunks.choices-interleaved" in codes(result)
    assert "choice.more-than-asked" in codes(analysis(body, **wanted(b'"stream":true')))


@states("001", "created: the same in all chunks", "Same timestamp across chunks", "A change is reported with the first and the last time; a chunk that lacks it is reported.", "envelope.created-changed", "chunks.field-missing", "envelope.created-out-of-range")  # fmt: skip
def test_created_is_the_same_in_all_chunks() -> None:
    result = analysis(changed(b"created", b"1795183339", b"1795183341"))
    assert "envelope.created-changed" in codes(result)
    created = result.timeline.created
    assert created is not None and (created.first, created.span_seconds) == (1795183339, 2)
    body = changed(b"created", b"1795183339", b"")
    assert messages(body, "chunks.field-missing") == ["A chunk has no created."]


@states("001", "model: string", "Model generating the stream", "The first that is not empty is kept; a change inside the stream is reported.", "envelope.identity-changed", "envelope.identity-malformed", "chunks.field-missing")  # fmt: skip
def test_a_model_is_the_same_in_all_chunks() -> None:
    result = analysis(changed(b"model", b'"m-1"', b'"m-2"'))
    assert result.model == "m-1"
    assert "envelope.identity-changed" in codes(result)


@states("001", "system_fingerprint: string", "Backend configuration fingerprint", "A change, another type, an empty text, and a chunk that lacks it although another has it are reported.", "envelope.backend-changed", "envelope.identity-malformed", "envelope.fingerprint-missing", "chunks.field-missing")  # fmt: skip
def test_a_fingerprint_is_the_same_in_all_chunks() -> None:
    name = b"system_fingerprint"
    assert "envelope.backend-changed" in codes(analysis(changed(name, b'"fp_1"', b'"fp_2"')))
    assert "envelope.identity-malformed" in codes(analysis(changed(name, b"5", b"5")))
    assert "envelope.fingerprint-missing" in codes(analysis(changed(name, b'""', b'""')))
    body = changed(name, b'"fp_1"', b"")
    assert messages(body, "chunks.field-missing") == ["A chunk has no system_fingerprint."]
    assert "chunks.field-missing" not in codes(analysis(GOOD_STREAM))


@states("001", "usage with its three counts", "Total tokens (prompt + completion)", "Each count is read by itself; one that is missing or null is reported, and a sum that does not hold. A stream that sends none although asked is reported.", "usage.count-missing", "usage.total-mismatch", "usage.null-only", "usage.asked-not-sent", "usage.missing")  # fmt: skip
def test_usage_has_its_three_counts() -> None:
    for sent in (b'"completion_tokens":null,', b""):
        body = GOOD.replace(b'"completion_tokens":2,', sent)
        assert "usage.count-missing" in codes(analysis(body))
    asked = wanted(b'"stream":true,"stream_options":{"include_usage":true}')
    for more in (b"", b'"usage":null'):
        body = chunk(HELLO, more=more) + chunk(STOP, more=more) + DONE
        assert codes(analysis(body, **asked)) == {"usage.asked-not-sent", "chunks.role-missing"}
    assert codes(analysis(GOOD_STREAM, **asked)) == set()


@states("001", "the whole example as printed", "Hello there, how may I assist you today?", "Its trailing comma is reported with its place; choices, usage and model are read as they are meant.", "json.invalid", "json.trailing-comma")  # fmt: skip
def test_the_printed_answer_shows_its_answer() -> None:
    body = (DOCUMENTS / "001-completion.json").read_bytes()
    result = analysis(body)
    assert (result.verdict, result.model) == (Verdict.UNREADABLE, "gpt-3.5-turbo-0613")
    (choice,) = result.choices
    assert choice.content == "\n\nHello there, how may I assist you today?"
    usage = result.usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (9, 12, 21)
    (finding,) = result.findings
    assert body[finding.where.byte_start : finding.where.byte_end] == b","
    assert finding.code == "json.invalid"


@states("001", "object of a chunk", "Always chat.completion.chunk", "Any other name is reported as what it is in place of, chat.completion too.", "envelope.object-unexpected", "chunks.field-missing")  # fmt: skip
@pytest.mark.parametrize("name", [b"foo", b"chat.completion"])
def test_the_object_of_a_chunk_is_always_chat_completion_chunk(name: bytes) -> None:
    body = GOOD_STREAM.replace(b"chat.completion.chunk", name)
    (message,) = messages(body, "envelope.object-unexpected")
    assert message == f"object is {name.decode()!r} instead of 'chat.completion.chunk'."
    (finding,) = analysis(body).findings
    assert (finding.where.pointer, finding.where.event) == ("/object", 0)


@states("001", "the stream as printed", "....", "Six chunks are read; the missing data: and the dots are reported with their places.", "framing.no-data-prefix", "ending.elided")  # fmt: skip
def test_the_printed_stream_is_read_around_its_dots() -> None:
    body = (DOCUMENTS / "001-chunks.txt").read_bytes()
    result = analysis(body)
    assert (result.verdict, result.choices[0].content) == (Verdict.ELIDED, "Hello! today?")
    assert {"framing.no-data-prefix", "ending.elided"} <= codes(result)


@states("001", "the first chunk", '"delta":{"role":"assistant","content":""}', "A stream without a role, and a role that comes again, are reported.", "chunks.role-missing", "chunks.role-repeated")  # fmt: skip
def test_the_first_chunk_has_the_role() -> None:
    assert analysis(chat_stream(ROLE, HELLO, STOP)).choices[0].role == "assistant"
    assert "chunks.role-missing" in codes(analysis(chat_stream(HELLO, STOP)))
    assert "chunks.role-repeated" in codes(analysis(chat_stream(ROLE, ROLE, STOP)))


@states("001", "the last chunk", '"delta":{},"finish_reason":"stop"', "A missing delta, a missing finish reason and text that follows it are reported.", "chunks.delta-missing", "ending.missing-finish", "choice.content-after-finish", "choice.finish-repeated")  # fmt: skip
def test_the_last_chunk_has_an_empty_delta_and_the_finish_reason() -> None:
    assert analysis(GOOD_STREAM).verdict is Verdict.COMPLETE
    bare = chat_stream(ROLE, HELLO, b'{"index":0,"finish_reason":"stop"}')
    assert "chunks.delta-missing" in codes(analysis(bare))
    assert analysis(chat_stream(ROLE, HELLO)).verdict is Verdict.MISSING_FINISH
    assert "choice.content-after-finish" in codes(analysis(chat_stream(ROLE, STOP, HELLO)))


@states("001", "finish_reason is null until the end", '"finish_reason":null', 'An empty text and the text "null" are reported and taken for no finish reason; a chunk without the field is reported.', "chunks.finish-key-missing", "chunks.finish-empty", "chunks.finish-null-text")  # fmt: skip
def test_a_finish_reason_is_null_until_the_end() -> None:
    empty = chat_stream(ROLE.replace(b"null", b'""'), HELLO.replace(b"null", b'""'), STOP)
    assert messages(empty, "chunks.finish-empty") == [
        'A chunk has the finish reason "" instead of null.'
    ]
    text = chat_stream(ROLE.replace(b"null", b'"null"'), HELLO.replace(b"null", b'"null"'), STOP)
    assert messages(text, "chunks.finish-null-text") == [
        'A chunk has the finish reason "null" instead of null.'
    ]
    for body in (empty, text):
        result = analysis(body)
        assert (result.verdict, result.choices[0].finish_reason) == (Verdict.COMPLETE, "stop")
        assert "choice.content-after-finish" not in codes(result)
    only = analysis(chat_stream(ROLE.replace(b"null", b'"null"')))
    assert only.verdict is Verdict.MISSING_FINISH
    absent = b'{"index":0,"delta":{"content":"a"}}'
    assert "chunks.finish-key-missing" in codes(analysis(chat_stream(absent, STOP)))
    assert analysis(chunk(more=USAGE) + DONE).usage.total_tokens is not UNSET
