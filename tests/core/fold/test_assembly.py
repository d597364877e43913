"""Events put together: choices side by side, fields beside them, usage wherever it stands."""

import msgspec
import pytest

from inspector.core.analysis import Verdict
from inspector.core.reading import Reading
from inspector.core.tape import EventKind, MarkKind
from inspector.core.wire.exchange import Exchange, Read, TransportOutcome
from tests.core.bodies import (
    DONE,
    GOOD_STREAM,
    HELLO,
    ROLE,
    STOP,
    USAGE,
    analysis,
    chat_stream,
    choice,
    chunk,
    codes,
    completion,
    delta,
    event,
    reading,
)

COUNTS = (3, 2, 5)


def test_interleaved_choices_are_put_together_by_index() -> None:
    result = analysis(
        chunk(
            delta(b'"role":"assistant","content":""'), delta(b'"role":"assistant","content":""', 1)
        )
        + chunk(delta(b'"content":"A"', 1))
        + chunk(delta(b'"content":"a"', 0))
        + chunk(delta(b'"content":"B"', 1), delta(b'"content":"b"', 0))
        + chunk(b'{"index":1,"delta":{},"finish_reason":"length"}')
        + chunk(STOP)
        + DONE
    )
    told = [(one.index, one.content, one.finish_reason) for one in result.choices]
    assert told == [(0, "ab", "stop"), (1, "AB", "length")]
    assert result.verdict is Verdict.COMPLETE
    assert codes(result) == {"usage.missing", "choice.finish-length", "chunks.choices-interleaved"}


def test_a_choice_without_index_is_read_as_0_and_flagged() -> None:
    result = analysis(chat_stream(b'{"delta":{"content":"a"}}', b'{"delta":{"content":"b"}}', STOP))
    assert [(one.index, one.content) for one in result.choices] == [(0, "ab")]
    assert "choice.index-missing" in codes(result)


def test_choices_of_a_whole_answer_without_index_stand_in_the_order_sent() -> None:
    body = completion(
        b'{"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}',
        b'{"message":{"role":"assistant","content":"b"},"finish_reason":"stop"}',
    )
    told = [(one.index, one.content) for one in analysis(body).choices]
    assert told == [(0, "a"), (1, "b")]


@pytest.mark.parametrize("index", [b"", b'"index":true,', b'"index":null,'])
def test_a_choice_without_index_never_joins_another_of_a_whole_answer(index: bytes) -> None:
    sent = b'{"index":1,"message":{"content":"a"}},{%b"message":{"content":"b"}}' % index
    assert [choice.content for choice in analysis(completion(sent)).choices] == ["a", "b"]


def test_an_index_sent_twice_in_a_whole_answer_replaces_nothing() -> None:
    result = analysis(completion(HELLO, HELLO))
    assert [(one.index, one.content) for one in result.choices] == [(0, "Hello"), (1, "Hello")]
    assert "choice.index-repeated" in codes(result)


@pytest.mark.parametrize("place", [b'"message":{}', b'"message":{"tool_calls":[{%b},{%b}]}'])
def test_an_index_with_more_digits_than_python_writes_is_none(place: bytes) -> None:
    index = b'"index":' + b"9" * 4_300
    one = b"{%b,%b}" % (index, place.replace(b"%b", index))
    result = analysis(completion(one, one, one))
    assert [choice.index for choice in result.choices] == [0, 1, 2]
    assert "choice.index-malformed" in codes(result)


@pytest.mark.parametrize("index", [7, 1_000_000_000, 10**30], ids=["gap", "huge", "over 64 bits"])
def test_an_index_is_a_name_and_sizes_nothing(index: int) -> None:
    last = b'{"index":%d,"delta":{"content":"x"},"finish_reason":"stop"}' % index
    result = analysis(chat_stream(STOP, last))
    assert [one.index for one in result.choices] == [0, index]
    assert "choice.index-gap" in codes(result)


@pytest.mark.parametrize("index", [b'"0"', b"-1", b"0.0", b"true", b"[]", b"9" * 4_300])
def test_an_index_that_is_no_position_is_read_as_0_and_flagged(index: bytes) -> None:
    result = analysis(chat_stream(ROLE, b'{"index":%s,"delta":{"content":"x"}}' % index, STOP))
    assert [(one.index, one.content) for one in result.choices] == [(0, "x")]
    assert "choice.index-malformed" in codes(result)


@pytest.mark.parametrize("name", ["id", "model", "system_fingerprint"])
def test_the_first_value_that_says_something_holds(name: str) -> None:
    values = (b"null", b'""', b'"first"', b'""', b'"second"')
    chunks = (event(b'{"%s":%s,"choices":[%s]}' % (name.encode(), value, ROLE)) for value in values)
    result = analysis(b"".join(chunks) + chunk(STOP) + DONE)
    assert result.completion[name] == "first"


@pytest.mark.parametrize(
    ("values", "created"),
    [((b"0", b"1795183339", b"1795183341"), 1795183339), ((b"null", b"0"), None), ((b"0",), 0)],
)
def test_the_first_created_but_0_holds(values: tuple[bytes, ...], created: int | None) -> None:
    chunks = (event(b'{"created":%s,"choices":[%s]}' % (value, STOP)) for value in values)
    assert analysis(b"".join(chunks) + DONE).completion["created"] == created


def test_a_later_different_id_is_flagged_with_both() -> None:
    body = event(b'{"id":"a","model":"m","choices":[%s]}' % ROLE)
    body += event(b'{"id":"b","model":"m","choices":[%s]}' % STOP) + DONE
    (finding,) = (f for f in analysis(body).findings if f.code == "envelope.identity-changed")
    assert "a became b" in finding.message
    assert (finding.where.event, finding.where.pointer) == (1, "/id")


def test_a_first_chunk_like_azures_changes_nothing_that_follows() -> None:
    azure = event(
        b'{"choices":[],"created":0,"id":"","model":"","object":"",'
        b'"prompt_filter_results":[{"prompt_index":0}]}'
    )
    result = analysis(azure + GOOD_STREAM)
    assert result.model == "parcel-1"
    assert result.completion["id"] == "chatcmpl-1"
    assert result.completion["created"] == 1795183339
    assert result.extras == {"/prompt_filter_results": [{"prompt_index": 0}]}
    assert {finding.code: finding.severity for finding in result.findings} == {
        "chunks.choices-empty": "info",
        "chunks.field-missing": "info",
    }


# -- usage, wherever it stands ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "found_at"),
    [
        (chunk(ROLE) + chunk(STOP, more=USAGE) + DONE, 1),
        (chunk(ROLE) + chunk(STOP) + chunk(more=USAGE) + DONE, 2),
        (chunk(ROLE, more=USAGE) + chunk(STOP, more=b'"usage":null') + DONE, 0),
        (chunk(ROLE, more=b'"usage":null') + chunk(STOP, more=USAGE) + DONE, 1),
        (chunk(ROLE) + chunk(STOP[:-1] + b"," + USAGE + b"}") + DONE, 1),
        (completion(HELLO), "/usage"),
        (completion(HELLO[:-1] + b"," + USAGE + b"}", more=b""), "/choices/0/usage"),
    ],
    ids=["on the finish", "own chunk", "first", "null before", "on the choice", "whole", "whole, on the choice"],
)  # fmt: skip
def test_usage_is_taken_wherever_it_stands(body: bytes, found_at: str | int) -> None:
    result = analysis(body)
    usage = result.usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == COUNTS
    assert (usage.reported, usage.found_at) == (True, found_at)


def test_the_completion_of_a_stream_holds_the_usage_beside_its_choices() -> None:
    result = analysis(chunk(ROLE) + chunk(STOP[:-1] + b"," + USAGE + b"}") + DONE)
    counts = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    assert result.completion["usage"] == counts


def test_running_totals_are_never_added_up() -> None:
    first = b'"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}'
    result = analysis(chunk(ROLE, more=first) + chunk(STOP, more=USAGE) + DONE)
    assert result.usage.total_tokens == 5
    assert "usage.cumulative" in codes(result)
    assert "usage.repeated" not in codes(result)


def test_the_same_usage_again_is_no_remark() -> None:
    said = delta(b'"content":"Hi"')
    result = analysis(chunk(ROLE, said, more=USAGE) + chunk(STOP, more=USAGE) + DONE)
    assert codes(result) == set()


@pytest.mark.parametrize(
    ("more", "code"),
    [(b"", "usage.missing"), (b'"usage":null', "usage.null-only")],
    ids=["absent", "null"],
)
def test_no_usage_is_not_zero(more: bytes, code: str) -> None:
    result = analysis(chunk(ROLE, more=more) + chunk(STOP, more=more) + DONE)
    assert not result.usage.reported
    assert {"usage.missing", "usage.null-only"} & codes(result) == {code}


# -- events that are no chunks ----------------------------------------------------------------------


def test_keep_alives_and_unknown_lines_leave_the_answer_alone() -> None:
    body = b": OPENROUTER PROCESSING\n\n" + chunk(ROLE) + b"foo: bar\n: ping\n\n" + GOOD_STREAM
    machine = reading(body)
    assert machine.analysis().choices[0].content == "Hello"
    kinds = machine.tape().events.kind
    assert kinds[:4] == [EventKind.COMMENT, EventKind.CHUNK, EventKind.IGNORED, EventKind.COMMENT]
    assert machine.analysis().timeline.counts.comments == 2


def test_a_stream_like_openrouters_keeps_its_own_fields() -> None:
    comment = b": OPENROUTER PROCESSING\n\n"
    last = (
        b'{"index":0,"delta":{"content":""},"finish_reason":"stop","native_finish_reason":"STOP"}'
    )
    body = comment + comment + chunk(ROLE, more=b'"provider":"eu-2"')
    body += chunk(delta(b'"content":"Hi"'), more=b'"provider":"eu-2"') + chunk(last) + DONE
    result = analysis(body)
    assert result.verdict is Verdict.COMPLETE
    assert result.extras == {"/provider": "eu-2"}
    assert result.choices[0].extras == {"/native_finish_reason": "STOP"}


def test_an_error_in_mid_stream_keeps_what_came_before() -> None:
    body = chunk(ROLE) + chunk(delta(b'"content":"Hi"'))
    body += event(b'{"error":{"message":"overloaded","code":529}}')
    machine = reading(body)
    result = machine.analysis()
    assert (result.verdict, result.object) == (Verdict.PROVIDER_ERROR, "chat.completion")
    assert (
        result.verdict_reason
        == "The provider sent an error at event #2 (bytes 357–410): overloaded"
    )
    assert result.choices[0].content == "Hi"
    assert machine.tape().events.kind[-1] is EventKind.ERROR


def test_an_error_on_a_choice_is_an_error() -> None:
    last = b'{"index":0,"delta":{},"finish_reason":"error","error":{"code":502,"message":"gone"}}'
    result = analysis(chat_stream(ROLE, last))
    assert result.verdict is Verdict.PROVIDER_ERROR
    assert result.choices[0].extras == {"/error": {"code": 502, "message": "gone"}}


def test_a_null_error_is_none() -> None:
    assert analysis(chunk(ROLE, more=b'"error":null') + chunk(STOP) + DONE).verdict is (
        Verdict.COMPLETE
    )


@pytest.mark.parametrize("broken", [b'{"choices":[{"del', b"[1,", b"{'a':1}", b"[done]"])
def test_a_broken_chunk_is_flagged_and_the_rest_is_kept(broken: bytes) -> None:
    result = analysis(chunk(ROLE) + event(broken) + chunk(delta(b'"content":"Hi"'), STOP) + DONE)
    assert result.choices[0].content == "Hi"
    (finding,) = (f for f in result.findings if f.code == "json.broken-chunk")
    assert finding.where.event == 1


def test_words_in_brackets_are_quoted_whole() -> None:
    result = analysis(chunk(ROLE) + event(b"[ERROR] the device has no memory left for it") + DONE)
    (finding,) = (f for f in result.findings if f.code == "json.broken-chunk")
    assert "“[ERROR] the device has no memory left for it”" in finding.message


@pytest.mark.parametrize("data", [b"[]", b"null", b"1e999", b'"text"', b"hello"])
def test_data_that_is_no_object_is_flagged_and_the_rest_is_kept(data: bytes) -> None:
    machine = reading(chunk(ROLE) + event(data) + chunk(STOP) + DONE)
    assert "json.not-an-object" in codes(machine.analysis())
    assert machine.tape().events.kind[1] is EventKind.IGNORED
    assert machine.analysis().verdict is Verdict.COMPLETE


# -- the end mark -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mark", [b"data: [DONE] \n\n", b"data:  [DONE]\n\n", b"data:\t[DONE]\n\n"])
def test_a_padded_end_mark_ends_the_stream_and_is_said(mark: bytes) -> None:
    result = analysis(chunk(ROLE) + chunk(STOP) + mark)
    assert result.verdict is Verdict.COMPLETE
    assert "ending.end-mark-padded" in codes(result)


def test_an_end_mark_without_the_space_after_data_is_exact() -> None:
    result = analysis(chunk(ROLE) + chunk(STOP) + b"data:[DONE]\n\n")
    assert result.verdict is Verdict.COMPLETE
    assert "ending.end-mark-padded" not in codes(result)


def test_an_end_mark_that_comes_twice_is_seen_twice() -> None:
    machine = reading(chunk(ROLE) + chunk(STOP) + DONE + DONE)
    assert machine.analysis().verdict is Verdict.COMPLETE
    assert machine.tape().events.kind[-2:] == [EventKind.END_MARK, EventKind.END_MARK]
    assert "ending.event-after-end-mark" not in codes(machine.analysis())


def test_what_comes_after_the_end_mark_is_read_and_flagged() -> None:
    result = analysis(chunk(ROLE) + DONE + chunk(delta(b'"content":"late"')) + chunk(STOP) + DONE)
    assert result.choices[0].content == "late"
    assert "ending.event-after-end-mark" in codes(result)


# -- marks and chunks -------------------------------------------------------------------------------


def test_role_finish_and_usage_leave_marks_at_their_events_and_lanes() -> None:
    tape = reading(GOOD_STREAM).tape()
    told = list(zip(tape.marks.event, tape.marks.kind, tape.marks.lane, strict=True))
    assert told == [(0, MarkKind.ROLE, 0), (2, MarkKind.FINISH, 0), (3, MarkKind.USAGE, None)]


def test_a_whole_message_inside_a_chunk_is_read_and_flagged() -> None:
    result = analysis(chunk(choice(b'"role":"assistant","content":"Hi"')) + DONE)
    assert result.choices[0].content == "Hi"
    assert "message.in-stream" in codes(result)


@pytest.mark.parametrize("choices", [b"{}", b'"x"', b"7", b"true"])
def test_choices_that_are_no_list_are_flagged(choices: bytes) -> None:
    result = analysis(event(b'{"choices":%s}' % choices) + GOOD_STREAM)
    assert result.choices[0].content == "Hello"
    assert "envelope.choices-malformed" in codes(result)


def test_null_choices_add_nothing() -> None:
    result = analysis(event(b'{"choices":null}') + GOOD_STREAM)
    (choice,), (same,) = result.choices, analysis(GOOD_STREAM).choices
    assert msgspec.structs.replace(choice, blocks=()) == msgspec.structs.replace(same, blocks=())
    assert codes(result) == {"chunks.choices-missing"}


def test_objects_beside_the_message_are_laid_over_each_other() -> None:
    first = b'{"index":0,"delta":{"content":"a"},"filters":{"hate":{"severity":"safe"},"n":1}}'
    later = b'{"index":0,"delta":{"content":"b"},"filters":{"hate":{"kept":true},"n":null}}'
    last = b'{"index":0,"delta":{},"finish_reason":"stop","filters":{}}'
    (choice,) = analysis(chat_stream(first, later, last)).completion["choices"]
    assert choice["filters"] == {"hate": {"severity": "safe", "kept": True}, "n": 1}


def test_what_was_given_out_does_not_change_when_more_is_read() -> None:
    about = Exchange(reads=(), outcome=TransportOutcome.OPEN)
    reading = Reading(about)
    reading.feed(Read(None, chunk(delta(b'"content":"a"'), more=b'"seen":{"a":1}')))
    before = reading.analysis()
    reading.feed(Read(None, chunk(delta(b'"content":"b"'), more=b'"seen":{"b":2}')))
    assert before.completion["seen"] == before.extras["/seen"] == {"a": 1}
    assert reading.analysis().extras["/seen"] == {"a": 1, "b": 2}


def test_text_beside_a_delta_grows_like_its_content() -> None:
    both = b'{"index":0,"text":"%s","delta":{"content":"%s"}}'
    words = [both % (word, word) for word in (b"ha", b"ha", b"!")]
    done = analysis(chat_stream(*words, b'{"index":0,"text":"","delta":{},"finish_reason":"stop"}'))
    (choice,) = done.completion["choices"]
    assert (choice["text"], choice["message"]["content"]) == ("haha!", "haha!")
