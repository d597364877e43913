"""Results that the reader got: cases for each, whole and streamed, and the sentence of each."""

from typing import Any

import pytest

from inspector.core.analysis import Analysis, Verdict
from inspector.core.completion import Result
from inspector.core.fields.finish_reasons import finish_meanings, result_of
from inspector.core.findings import Where
from inspector.core.reading import Reading
from inspector.core.wire.exchange import Exchange, Read, Request, TransportOutcome
from tests.core.bodies import (
    DONE,
    GOOD,
    GOOD_STREAM,
    ROLE,
    STOP,
    analysis,
    chat_stream,
    choice,
    chunk,
    completion,
    delta,
    event,
)

OPEN = {"outcome": TransportOutcome.OPEN}
CANCELLED = {"outcome": TransportOutcome.CLIENT_CANCELLED}
FAILED = {"outcome": TransportOutcome.UPSTREAM_ERROR}
ERROR = b'{"error":{"message":"overloaded"}}'
HI = chunk(ROLE) + chunk(delta(b'"content":"Hi"'))
HELLO = b'"role":"assistant","content":"Hello"'
SECOND = b'{"index":1,"message":{"content":""},"finish_reason":"stop"}'
WORKFLOWAI = b',"cost_usd":0.1,"duration_seconds":1,"feedback_token":"a"'
TEXT_TOP = (
    b'{"id":"cmpl-1","object":"text_completion","created":1,"model":"parcel-1","choices":[%s]}'
)
OFFER = Request(body=b'{"tools":[{"type":"function","function":{"name":"track"}}]}')


def finish(reason: bytes) -> bytes:
    return b'"finish_reason":"%s"' % reason


def call(arguments: bytes, name: bytes = b'"book"') -> bytes:
    return (
        b'"tool_calls":[{"index":0,"id":"c1","type":"function",'
        b'"function":{"name":%s,"arguments":"%s"}}]' % (name, arguments)
    )


def text(fields: bytes) -> bytes:
    """A whole legacy completion with one choice."""
    return TEXT_TOP % (b'{"index":0,%s}' % fields)


def finished(fields: bytes, reason: bytes) -> bytes:
    """A whole stream whose one choice has these fields and this finish reason."""
    last = b'{"index":0,"delta":{},"finish_reason":"%s"}' % reason
    return chat_stream(ROLE, delta(fields), last)


CASES: list[tuple[Result, bytes, dict[str, Any], str]] = [
    (Result.ERROR, ERROR, {}, "The provider sent an error: overloaded"),
    (Result.ERROR, HI + event(ERROR), {}, "The provider sent an error at event #2 (bytes 357–399): overloaded"),
    (Result.ERROR, HI + event(ERROR), OPEN, "The provider sent an error at event #2 (bytes 357–399): overloaded"),
    (Result.ERROR, b"<html>", {"status_code": 502}, "The upstream answered with status 502, but no error object: “<html>”."),
    (Result.ERROR, GOOD, {"status_code": 500}, "The upstream answered with status 500, but no error object."),
    (Result.ERROR, b"", FAILED, "The connection to the upstream failed after 0 bytes."),
    (Result.ERROR, chunk(ROLE), FAILED, "The connection to the upstream failed after 187 bytes, the last event is #0."),
    (Result.ERROR, completion(choice(HELLO, finish(b"error"))), {}, "The answer ended with finish reason error: the provider failed after 5 characters."),
    (Result.ERROR, finished(b'"role":"assistant"', b"network_error"), {}, "The answer ended with finish reason network_error: the provider failed before any text."),
    (Result.PENDING, HI, OPEN, "The answer is still arriving, 2 characters so far."),
    (Result.PENDING, b"", OPEN, "The answer is still arriving; no choice came yet."),
    (Result.REFUSED, completion(choice(b'"content":null,"refusal":"I cannot\\nhelp."')), {}, "The answer is a refusal: “I cannot help.”"),
    (Result.REFUSED, finished(b'"refusal":"No."', b"stop"), {}, "The answer is a refusal: “No.”"),
    (Result.REFUSED, completion(choice(HELLO, finish(b"refusal"))), {}, "The answer was refused after 5 characters (finish reason refusal)."),
    (Result.FILTERED, completion(choice(b'"content":""', finish(b"content_filter"))), {}, "The answer was ended by a content filter before any text (finish reason content_filter)."),
    (Result.FILTERED, text(b'"text":"a","finish_reason":"content_filter"'), {}, "The answer was ended by a content filter after 1 character (finish reason content_filter)."),
    (Result.TRUNCATED, completion(choice(HELLO, finish(b"length"))), {}, "The answer hit its length limit after 5 characters (finish reason length)."),
    (Result.TRUNCATED, finished(call(b'{\\"to'), b"length"), {}, "The answer hit its length limit inside the arguments of book (finish reason length)."),
    (Result.TRUNCATED, finished(b'"content":"Hi"', b"abort"), {}, "The answer was aborted after 2 characters (finish reason abort)."),
    (Result.TRUNCATED, HI, {}, "The answer was cut after 2 characters, before its finish reason."),
    (Result.TRUNCATED, HI, CANCELLED, "The answer was cut after 2 characters, before its finish reason."),
    (Result.TRUNCATED, HI, FAILED, "The answer was cut after 2 characters, before its finish reason."),
    (Result.TRUNCATED, GOOD[:-9], {}, f"The answer was cut after {len(GOOD) - 9} bytes, before a choice could be read."),
    (Result.UNUSABLE_CALL, completion(choice(call(b'{\\"to'))), {}, "The arguments of book stop mid-JSON."),
    (Result.UNUSABLE_CALL, finished(call(b'{\\"a\\":1} {}'), b"tool_calls"), {}, "The arguments of book break at character 8: another JSON value follows the first one."),
    (Result.UNUSABLE_CALL, completion(choice(call(b"{}", b'""'))), {}, "A tool call has no name."),
    (Result.UNUSABLE_CALL, completion(choice(call(b"{}"))), {"request": OFFER}, "The request has no tool 'book'."),
    (Result.UNUSABLE_CALL, completion(choice(b'"function_call":{"name":"book","arguments":"{"}')), {}, "The arguments of book stop mid-JSON."),
    (Result.UNUSABLE_CALL, completion(choice(HELLO, finish(b"MALFORMED_FUNCTION_CALL"))), {}, "The answer ended in an unusable tool call (finish reason MALFORMED_FUNCTION_CALL)."),
    (Result.EMPTY, completion(choice(b'"content":""')), {}, "The answer has no text, tool call or refusal."),
    (Result.EMPTY, completion(choice(b'"content":null')), {}, "The answer has no text, tool call or refusal."),
    (Result.EMPTY, chat_stream(ROLE, STOP), {}, "The answer has no text, tool call or refusal."),
    (Result.EMPTY, text(b'"text":"","finish_reason":"stop"'), {}, "The answer has no text, tool call or refusal."),
    (Result.EMPTY, completion(choice(b'"content":""', finish(b"stop") + WORKFLOWAI)), {}, "The answer has no text, tool call or refusal."),
    (Result.EMPTY, completion(choice(b'"content":"\\n \\n"')), {}, "The answer has only white space: no text, tool call or refusal."),
    (Result.EMPTY, completion(choice(b'"content":"","reasoning_content":"Well."')), {}, "The answer has only 5 characters of reasoning: no text, tool call or refusal."),
    (Result.EMPTY, completion(choice(b'"content":"<think>a</think>\\n"')), {}, "The answer has only 16 characters of reasoning: no text, tool call or refusal."),
    (Result.EMPTY, completion(), {}, "The answer has no choices."),
    (Result.EMPTY, completion(choice(HELLO), SECOND), {}, "Choice 1 has no text, tool call or refusal."),
    (Result.EMPTY, completion(choice(b'"content":""'), SECOND), {}, "Choice 0 has no text, tool call or refusal, the first of 2 choices."),
    (Result.TO_BE_CONTINUED, completion(choice(HELLO, finish(b"pause_turn"))), {}, "The answer paused after 5 characters (finish reason pause_turn): the next request continues it."),
    (Result.CALLED, completion(choice(call(b"{}"), finish(b"tool_calls"))), {}, "The answer calls book."),
    (Result.CALLED, finished(call(b""), b"tool_calls"), {}, "The answer calls book."),
    (Result.CALLED, completion(choice(b'"function_call":{"name":"book","arguments":"{}"}')), {}, "The answer calls book."),
    (Result.ANSWERED, GOOD, {}, "The answer has 5 characters of text."),
    (Result.ANSWERED, GOOD_STREAM, {}, "The answer has 5 characters of text."),
    (Result.ANSWERED, GOOD_STREAM, FAILED, "The answer has 5 characters of text."),
    (Result.ANSWERED, GOOD_STREAM, CANCELLED, "The answer has 5 characters of text."),
    (Result.ANSWERED, HI + DONE, {}, "The answer has 2 characters of text."),
    (Result.ANSWERED, text(b'"text":" a","finish_reason":"stop"'), {}, "The answer has 2 characters of text."),
    (Result.ANSWERED, completion(choice(HELLO, finish(b"stop") + WORKFLOWAI)), {}, "The answer has 5 characters of text."),
    (Result.ANSWERED, completion(choice(HELLO), SECOND.replace(b'""', b'"Hi"')), {}, "Both choices have text, 7 characters in all."),
    (Result.ANSWERED, completion(choice(b'"content":null,"images":[{"type":"image_url"}]')), {}, "The answer has content that is no text."),
    (Result.ANSWERED, b'{"object":"response","status":"completed","output":[{"type":"image_generation_call","result":"Zm9v"}]}', {}, "The answer has content that is no text."),
    (Result.EMPTY, b'{"object":"response","status":"completed","output":[{"type":"image_generation_call","result":null}]}', {}, "The answer has no text, tool call or refusal."),
    (Result.ANSWERED, completion(choice(b'"content":[{"type":"image_url"}]')), {}, "The answer has content that is no text."),
    (Result.UNKNOWN, b"<html>", {}, "No known response format was found in the 6 bytes, which begin with “<html>”."),
    (Result.UNKNOWN, b"", CANCELLED, "There is no response in a known format."),
    (Result.UNKNOWN, GOOD[:-1] + b",,}", {}, "The body could not be parsed."),
    (Result.ANSWERED, GOOD[:-1] + b",}", {}, "The answer has 5 characters of text."),
    (Result.UNKNOWN, b'{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}', {}, "The body is a usage object alone, without an answer."),
    (Result.UNKNOWN, chunk(STOP)[6:-2], {}, "The answer is in the chunks that are not in the body."),
]  # fmt: skip


@pytest.mark.parametrize(("result", "body", "known", "reason"), CASES)
def test_every_result_has_its_cases_and_its_sentence(
    result: Result, body: bytes, known: dict[str, Any], reason: str
) -> None:
    found = analysis(body, **known)
    assert (found.result, found.result_reason) == (result, reason)


def test_no_result_is_without_a_case_and_the_cases_stand_in_its_order() -> None:
    assert list(dict.fromkeys(result for result, *_ in CASES)) == list(Result)


@pytest.mark.parametrize(("result", "body", "known", "reason"), CASES)
def test_the_result_is_the_same_however_the_body_is_cut(
    result: Result, body: bytes, known: dict[str, Any], reason: str
) -> None:
    reading = Reading(Exchange(reads=(), **known))
    for at in range(len(body)):
        reading.feed(Read(None, body[at : at + 1]))
    found = reading.analysis()
    assert (found.result, found.result_reason) == (result, reason)


def test_the_clauses_joined_are_the_sentence() -> None:
    for _, body, known, reason in CASES:
        clauses = analysis(body, **known).result_clauses
        assert "".join(clause.text for clause in clauses) == reason


def test_the_answer_has_no_better_result_than_any_of_its_choices() -> None:
    order = list(Result)
    for result, body, known, reason in CASES:
        choices = analysis(body, **known).choices
        assert all(order.index(result) <= order.index(one.result) for one in choices), reason


DECIDING = {reason: it for reason in finish_meanings() if (it := result_of(reason)) is not None}


@pytest.mark.parametrize(("reason", "result"), DECIDING.items())
def test_a_finish_reason_decides_in_whatever_letters(reason: str, result: Result) -> None:
    for spelt in (reason, reason.swapcase(), reason.replace("_", "-"), reason.replace("_", "")):
        assert analysis(completion(choice(HELLO, finish(spelt.encode())))).result is result


@pytest.mark.parametrize("reason", [b"null", b'""', b"7", b"{}", b'"stop"', b'"eos"'])
def test_a_finish_reason_that_decides_nothing_leaves_it_to_the_content(reason: bytes) -> None:
    more = b'"finish_reason":%s' % reason
    assert analysis(completion(choice(HELLO, more))).result is Result.ANSWERED
    assert analysis(completion(choice(b'"content":""', more))).result is Result.EMPTY


def results(found: Analysis) -> list[Result]:
    return [one.result for one in found.choices]


def test_each_choice_has_its_own_result() -> None:
    found = analysis(
        completion(
            choice(HELLO),
            b'{"index":1,"message":{"content":"a"},"finish_reason":"length"}',
            b'{"index":2,"message":{"refusal":"No."},"finish_reason":"stop"}',
        )
    )
    assert results(found) == [Result.ANSWERED, Result.TRUNCATED, Result.REFUSED]
    assert found.result is Result.REFUSED
    assert found.result_reason == "Choice 2 is a refusal: “No.”"


def test_a_choice_that_the_transport_cut_is_truncated_and_a_finished_one_is_not() -> None:
    two = chunk(delta(b'"content":"a"'), delta(b'"content":"b"', 1)) + chunk(STOP)
    found = analysis(two)
    assert found.verdict is Verdict.MISSING_FINISH
    assert results(found) == [Result.ANSWERED, Result.TRUNCATED]
    assert found.result_reason == "Choice 1 was cut after 1 character, before its finish reason."


def test_a_choice_without_finish_reason_is_not_cut_if_the_end_mark_came() -> None:
    two = chunk(delta(b'"content":"a"'), delta(b'"content":"b"', 1)) + chunk(STOP) + DONE
    assert results(analysis(two)) == [Result.ANSWERED, Result.ANSWERED]


def test_what_was_left_out_of_a_shortened_answer_is_not_called_empty() -> None:
    shortened = (
        b'{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n....\n{"choices":[]}\n'
    )
    found = analysis(shortened)
    assert (found.verdict, found.result) == (Verdict.ELIDED, Result.UNKNOWN)
    assert found.result_reason == "The answer was left out where the response was shortened."


def test_an_event_of_an_error_decides_over_an_answer_that_began() -> None:
    stream = event(b'{"type":"message_start","message":{}}') + event(
        b'{"type":"error","error":{"message":"overloaded"}}'
    )
    assert analysis(stream).result is Result.ERROR


def test_the_sentence_of_a_broken_call_leads_to_its_arguments() -> None:
    clause, end = analysis(finished(call(b"{} {}"), b"tool_calls")).result_clauses
    assert clause.where.pointer == "/choices/0/message/tool_calls/0/function/arguments"
    assert (clause.where.event, end.text) == (1, ".")


def test_the_sentence_of_an_empty_choice_leads_to_it() -> None:
    clause = analysis(completion(choice(HELLO), SECOND)).result_clauses[0]
    assert (clause.text, clause.where) == ("Choice 1", Where(pointer="/choices/1"))


def test_a_snowflake_function_call_without_name_and_arguments_calls_nothing() -> None:
    empty = b'"content":"","function_call":{"name":"","arguments":""}'
    assert analysis(completion(choice(empty))).result is Result.EMPTY


def test_a_part_whose_type_is_no_text_is_read() -> None:
    body = completion(choice(b'"content":[{"type":["a"]}]'))
    assert analysis(body).result is Result.ANSWERED
