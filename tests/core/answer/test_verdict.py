"""How an exchange ended: one case for each verdict in its order, and which of two holds."""

from typing import Any

import pytest

from inspector.core.analysis import Verdict
from inspector.core.findings import Severity, Where
from inspector.core.wire.exchange import MeasuredBy, Request, TransportFault, TransportOutcome
from tests.core.bodies import (
    DONE,
    GOOD,
    GOOD_STREAM,
    HELLO,
    ROLE,
    STOP,
    analysis,
    choice,
    chunk,
    completion,
    delta,
    event,
)

MODELS_ASKED = Request(method="GET", url="https://api.example/v1/models")
ERROR = b'{"error":{"message":"overloaded"}}'
HI = chunk(ROLE) + chunk(delta(b'"content":"Hi"'))
ELISION = b'{"choices":[{"index":0,"delta":{"content":"a"}}]}\n....\n{"choices":[]}\n'
BROKEN = GOOD[:-1] + b",}"
TWO = (
    chunk(delta(b'"content":"a"'), delta(b'"content":"b"', 1))
    + chunk(delta(b'"content":"c"', 1))
    + chunk(STOP)
)
WORKFLOWAI = b',"cost_usd":0,"duration_seconds":1,"feedback_token":"a"}'

CASES: list[tuple[Verdict, bytes, dict[str, Any], str]] = [
    (Verdict.IN_PROGRESS, HI, {"outcome": TransportOutcome.OPEN}, "The response is still arriving, 357 bytes so far."),
    (Verdict.OTHER, b"<html>", {"request": MODELS_ASKED, "measured_by": MeasuredBy.PROXY}, "GET /v1/models asked for no completion, so its response has no verdict."),
    (Verdict.CAPPED, HI, {"outcome": TransportOutcome.CAPPED}, "The capture stopped at our own size limit, after 357 bytes, the last event is #1."),
    (Verdict.CLIENT_CANCELLED, HI, {"outcome": TransportOutcome.CLIENT_CANCELLED}, "The client closed the connection after 357 bytes, the last event is #1."),
    (Verdict.UPSTREAM_ERROR, HI, {"outcome": TransportOutcome.UPSTREAM_ERROR}, "The connection to the upstream failed after 357 bytes, the last event is #1."),
    (Verdict.UPSTREAM_ERROR, HI, {"outcome": TransportOutcome.UPSTREAM_TIMEOUT}, "The request timed out; nothing more came after 357 bytes, the last event is #1."),
    (Verdict.UPSTREAM_ERROR, b"<html>", {"status_code": 502}, "The upstream answered with status 502, but no error object: “<html>”."),
    (Verdict.CAPPED, HI, {"outcome": TransportOutcome.CAPPED, "total_bytes": 5_000}, "The capture stopped at our own size limit, after 357 bytes, the last event is #1; 5,000 bytes were forwarded."),
    (Verdict.UPSTREAM_ERROR, b"", {"outcome": TransportOutcome.UPSTREAM_ERROR, "fault": TransportFault.TLS}, "No TLS connection to the upstream: its certificate does not hold, or there is no common version."),
    (Verdict.UPSTREAM_ERROR, HI, {"outcome": TransportOutcome.UPSTREAM_TIMEOUT, "fault": TransportFault.RESPONSE_TIMEOUT}, "The upstream sent nothing for too long, after 357 bytes, the last event is #1."),
    (Verdict.PROVIDER_ERROR, ERROR, {}, "The provider sent an error: overloaded"),
    (Verdict.PROVIDER_ERROR, ERROR, {"outcome": TransportOutcome.RECORDER_STOPPED}, ""),
    (Verdict.PROVIDER_ERROR, HI + event(ERROR), {}, "The provider sent an error at event #2 (bytes 357–399): overloaded"),
    (Verdict.PROVIDER_ERROR, HI + b'event: error\ndata: {"message":"overloaded"}\n\n', {}, "The provider sent an error at event #2 (bytes 357–402): overloaded"),
    (Verdict.NOT_A_RESPONSE, b"", {}, "The body is empty."),
    (Verdict.NOT_A_RESPONSE, b"<html>", {}, "No known response format was found in the 6 bytes, which begin with “<html>”."),
    (Verdict.NOT_A_RESPONSE, b"<html>\n<head><title>502 Bad Gateway</title></head>", {}, "A web page, not an answer: “502 Bad Gateway”."),
    (Verdict.NOT_A_RESPONSE, DONE, {}, "The stream ends with [DONE] and has no event before it."),
    (Verdict.NOT_A_RESPONSE, b"\x07\x00\x01", {}, "No known response format was found in the 3 bytes."),
    (Verdict.NOT_A_RESPONSE, GOOD.replace(b'"Hello"', b"[" * 70 + b"]" * 70), {}, "The body cannot be parsed: nested deeper than 64 levels, line 1, column 209 (byte 208)."),
    (Verdict.PART, b'{"role":"assistant","content":"Hi"}', {}, "The body is an assistant message alone, a part of a chat completion."),
    (Verdict.ELIDED, ELISION, {}, "2 chunks, shortened with “…” in 1 place, so the text is incomplete."),
    (Verdict.UNREADABLE, BROKEN, {}, ""),
    (Verdict.CUT_OFF, GOOD[:-9], {}, f"The body ends inside a value, after {len(GOOD) - 9} bytes."),
    (Verdict.CUT_OFF, b"", {"outcome": TransportOutcome.RECORDER_STOPPED}, "The recording stopped before the response ended, after 0 bytes."),
    (Verdict.CUT_OFF, HI + b"data: {", {"outcome": TransportOutcome.RECORDER_STOPPED}, "The recording stopped before the response ended, after 364 bytes, inside event #2."),
    (Verdict.CUT_OFF, HI + chunk(STOP), {"outcome": TransportOutcome.RECORDER_STOPPED}, ""),
    (Verdict.CUT_OFF, b"<html>", {"outcome": TransportOutcome.RECORDER_STOPPED}, ""),
    (Verdict.CUT_OFF, HI + b"data: {", {}, "The body ends inside event #2, which began at byte 357, after 364 bytes."),
    (Verdict.CUT_OFF, HI, {}, "The stream stops after event #1 (bytes 187–357) without a finish reason or end marker."),
    (Verdict.MISSING_FINISH, HI + DONE, {}, "Choice 0 did not finish: its last content came with event #1 (bytes 187–357), then [DONE] followed."),
    (Verdict.MISSING_FINISH, completion(choice(b'"content":"a"', b'"finish_reason":null')), {}, "Choice 0 did not finish: its finish reason is null."),
    (Verdict.MISSING_FINISH, completion(choice(b'"content":"a"', b"")), {}, "Choice 0 did not finish: its finish reason is missing."),
    (Verdict.MISSING_FINISH, completion(choice(b'"content":"a"', b'"finish_reason":""')), {}, "Choice 0 did not finish: its finish reason is empty."),
    (Verdict.MISSING_FINISH, TWO, {}, "Choice 1 did not finish: its last content came with event #1 (bytes 226–395), then the stream ended."),
    (Verdict.MISSING_FINISH, chunk(delta(b"", 0), delta(b"", 1), delta(b"", 2)) + DONE, {}, "3 choices did not finish, the first is choice 0: it has no content, then [DONE] followed."),
    (Verdict.MISSING_FINISH, completion(), {}, "The answer ended after 166 bytes and has no choices."),
    (Verdict.MISSING_TERMINATOR, HI + chunk(STOP), {}, "Every choice finished, the last with event #2 (bytes 357–515), but the stream ends without [DONE]."),
    (Verdict.COMPLETE, GOOD, {}, "The choice has a finish reason."),
    (Verdict.COMPLETE, completion(HELLO, HELLO.replace(b":0", b":1", 1)), {}, "Both choices have a finish reason."),
    (Verdict.COMPLETE, GOOD_STREAM, {}, "The choice has a finish reason and the stream ended with [DONE]."),
    (Verdict.COMPLETE, HI + chunk(STOP[:-1] + WORKFLOWAI), {}, "The choice has a finish reason; this format has no end marker."),
    (Verdict.COMPLETE, b'{"model":"m","done":true,"done_reason":"stop","response":"a"}', {}, "The choice has a finish reason."),
]  # fmt: skip


@pytest.mark.parametrize(("verdict", "body", "known", "reason"), CASES)
def test_every_verdict_has_its_case_and_its_sentence(
    verdict: Verdict, body: bytes, known: dict[str, Any], reason: str
) -> None:
    result = analysis(body, **known)
    assert result.verdict is verdict
    assert not reason or result.verdict_reason == reason


def test_no_verdict_is_without_a_case_and_the_cases_stand_in_its_order() -> None:
    assert list(dict.fromkeys(verdict for verdict, *_ in CASES)) == list(Verdict)


def test_a_reason_is_one_sentence() -> None:
    for verdict, body, known, _ in CASES:
        said = analysis(body, **known).verdict_reason
        assert not said[0].islower() and ". " not in said
        assert said.endswith(".") or verdict is Verdict.PROVIDER_ERROR


@pytest.mark.parametrize(
    ("body", "known", "clauses"),
    [
        (GOOD_STREAM, {}, [
            ("The choice has a finish reason", Where(pointer="/choices")),
            (" and ", Where()),
            ("the stream ended with [DONE]", Where(event=4)),
            (".", Where()),
        ]),
        (HI, {"outcome": TransportOutcome.CLIENT_CANCELLED}, [
            ("The client closed the connection ", Where()),
            ("after 357 bytes", Where(byte_start=356, byte_end=357)),
            (", ", Where()),
            ("the last event is #1", Where(event=1)),
            (".", Where()),
        ]),
        (TWO, {}, [
            ("Choice 1 did not finish", Where(pointer="/choices/1")),
            (": its last content came with ", Where()),
            ("event #1 (bytes 226–395)", Where(event=1)),
            (", then ", Where()),
            ("the stream ended", Where(event=2)),
            (".", Where()),
        ]),
        (HI + event(ERROR), {}, [
            ("The provider sent an error at ", Where()),
            ("event #2 (bytes 357–399)", Where(event=2)),
            (": overloaded", Where()),
        ]),
    ],
)  # fmt: skip
def test_a_clause_says_where_it_is_seen(
    body: bytes, known: dict[str, Any], clauses: list[tuple[str, Where]]
) -> None:
    said = analysis(body, **known).verdict_clauses
    assert [(clause.text, clause.where) for clause in said] == clauses


def test_the_clauses_joined_are_the_reason() -> None:
    for _, body, known, _ in CASES:
        result = analysis(body, **known)
        assert "".join(clause.text for clause in result.verdict_clauses) == result.verdict_reason


def test_an_end_mark_with_events_behind_it_is_still_where_the_stream_ended() -> None:
    (closing,) = (
        clause.where.event
        for clause in analysis(HI + chunk(STOP) + DONE + b": late\n\n").verdict_clauses
        if "[DONE]" in clause.text
    )
    assert closing == 3


@pytest.mark.parametrize("end", [b"data: [DONE]\n", b"data: [DONE]"])
def test_an_end_mark_without_its_blank_line_is_where_the_stream_ended(end: bytes) -> None:
    result = analysis(chunk(ROLE) + chunk(STOP) + end)
    closed = result.verdict_clauses[-2]
    assert (result.verdict, closed.text) == (Verdict.COMPLETE, "the stream ended with [DONE]")
    assert closed.where.event == 2


def test_the_reason_of_an_unreadable_body_names_the_place() -> None:
    reason = analysis(b'{"choices": [{"message": {}}]\n"id": 1}').verdict_reason
    assert reason.startswith("The body is not valid JSON: ")
    assert reason.endswith(", line 2, column 1 (byte 30).")


@pytest.mark.parametrize(("verdict", "body", "known", "reason"), CASES)
def test_a_verdict_that_is_not_good_has_a_finding_of_warning_or_error(
    verdict: Verdict, body: bytes, known: dict[str, Any], reason: str
) -> None:
    severities = {finding.severity for finding in analysis(body, **known).findings}
    flagged = bool(severities & {Severity.ERROR, Severity.WARNING})
    good = {
        Verdict.COMPLETE,
        Verdict.PART,
        Verdict.IN_PROGRESS,
        Verdict.CLIENT_CANCELLED,
        Verdict.OTHER,
    }
    assert flagged == (verdict not in good)


@pytest.mark.parametrize(
    ("body", "known", "verdict"),
    [
        (b"", {"outcome": TransportOutcome.OPEN}, Verdict.IN_PROGRESS),
        (HI + event(ERROR), {"outcome": TransportOutcome.OPEN}, Verdict.IN_PROGRESS),
        (HI + event(ERROR), {"outcome": TransportOutcome.CAPPED}, Verdict.CAPPED),
        (
            HI + event(ERROR),
            {"outcome": TransportOutcome.CLIENT_CANCELLED},
            Verdict.PROVIDER_ERROR,
        ),
        (HI, {"outcome": TransportOutcome.CLIENT_CANCELLED}, Verdict.CLIENT_CANCELLED),
        (GOOD_STREAM, {"outcome": TransportOutcome.CLIENT_CANCELLED}, Verdict.COMPLETE),
        (GOOD_STREAM, {"outcome": TransportOutcome.RECORDER_STOPPED}, Verdict.COMPLETE),
        (GOOD, {"outcome": TransportOutcome.RECORDER_STOPPED}, Verdict.COMPLETE),
        (GOOD_STREAM, {"fault": TransportFault.BROKEN_RESPONSE}, Verdict.UPSTREAM_ERROR),
        (
            b"",
            {"outcome": TransportOutcome.CLIENT_CANCELLED, "fault": TransportFault.REQUEST_ABORTED},
            Verdict.CLIENT_CANCELLED,
        ),
        (HI + event(ERROR), {"outcome": TransportOutcome.UPSTREAM_ERROR}, Verdict.UPSTREAM_ERROR),
        (GOOD_STREAM, {"outcome": TransportOutcome.UPSTREAM_TIMEOUT}, Verdict.UPSTREAM_ERROR),
        (GOOD, {"status_code": 500}, Verdict.UPSTREAM_ERROR),
        (b"", {"status_code": 503}, Verdict.UPSTREAM_ERROR),
        (ERROR, {"status_code": 503}, Verdict.PROVIDER_ERROR),
        (b'{"detail":"Not authenticated"}', {"status_code": 403}, Verdict.PROVIDER_ERROR),
        (GOOD, {"status_code": 499}, Verdict.COMPLETE),
        (b"", {"status_code": 404}, Verdict.UPSTREAM_ERROR),
        (b"error code: 1010", {"status_code": 403}, Verdict.UPSTREAM_ERROR),
        (b"error code: 1010", {"status_code": 302}, Verdict.NOT_A_RESPONSE),
        (HI + event(ERROR) + b"data: {", {}, Verdict.PROVIDER_ERROR),
        (HI + event(ERROR) + DONE, {}, Verdict.PROVIDER_ERROR),
        (b'{"a": 1,}', {}, Verdict.NOT_A_RESPONSE),
        (b'{"a": ', {}, Verdict.NOT_A_RESPONSE),
        (ELISION + b'{"choices":[{"del', {}, Verdict.ELIDED),
        (BROKEN[:-2], {}, Verdict.CUT_OFF),
        (HI + DONE + b"data: {", {}, Verdict.CUT_OFF),
        (chunk(delta(b"", 0), delta(b"", 1)) + chunk(STOP), {}, Verdict.MISSING_FINISH),
        (chunk(delta(b"", 0), delta(b"", 1)) + chunk(STOP) + DONE, {}, Verdict.MISSING_FINISH),
        (chunk(b'{"index":0,"delta":{},"finish_reason":""}') + DONE, {}, Verdict.MISSING_FINISH),
        (chunk(b'{"index":0,"delta":{"a":1},"cost_usd":0}'), {}, Verdict.CUT_OFF),
    ],
)
def test_of_two_verdicts_one_is_told(body: bytes, known: dict[str, Any], verdict: Verdict) -> None:
    assert analysis(body, **known).verdict is verdict


WHOLE_WORKFLOWAI = HI + chunk(STOP[:-1] + WORKFLOWAI)
MESSAGES = b'data: {"type":"message_start","message":{"stop_reason":"end_turn"}}\n\n'
MESSAGE_STOP = b'data: {"type":"message_stop"}\n\n'


@pytest.mark.parametrize(
    "body", [GOOD_STREAM, GOOD_STREAM[:-1], GOOD, WHOLE_WORKFLOWAI, MESSAGES + MESSAGE_STOP]
)
def test_a_client_that_closes_after_the_end_of_the_answer_cancels_nothing(body: bytes) -> None:
    result = analysis(body, outcome=TransportOutcome.CLIENT_CANCELLED)
    assert result.verdict is Verdict.COMPLETE
    assert result.timeline.client_closed_after_bytes == len(body)
    assert "ending.client-cancelled" not in {finding.code for finding in result.findings}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        HI,
        HI + DONE,
        HI + chunk(STOP),
        GOOD_STREAM.removesuffix(DONE),
        chunk(delta(b"", 0), delta(b"", 1)) + chunk(STOP) + DONE,
        WHOLE_WORKFLOWAI[:-40],
        GOOD[:-9],
        completion(choice(b'"content":"a"', b'"finish_reason":null')),
        completion(),
        MESSAGES,
    ],
)
def test_a_client_that_closes_before_the_end_of_the_answer_cancels_it(body: bytes) -> None:
    result = analysis(body, outcome=TransportOutcome.CLIENT_CANCELLED)
    assert result.verdict is Verdict.CLIENT_CANCELLED
    assert result.timeline.client_closed_after_bytes == len(body)


@pytest.mark.parametrize(
    "outcome", [one for one in TransportOutcome if one is not TransportOutcome.CLIENT_CANCELLED]
)
def test_only_a_client_that_closed_is_said_to_have_closed(outcome: TransportOutcome) -> None:
    assert analysis(GOOD_STREAM, outcome=outcome).timeline.client_closed_after_bytes is None


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (b'"gone"', "gone"),
        (b'{"message":"gone","code":1}', "gone"),
        (b'{"message":"","code":"quota"}', "quota"),
        (b'{"title":"gone","details":"x"}', "gone: x"),
        (b'{"code":502}', "502"),
        (b"{}", "an empty object, {}"),
        (b"7", "7"),
        (b'{"oops":"gone"}', '{"oops": "gone"}'),
        (b"[]", "an empty list, []"),
        (b'{"message":"%s"}' % (b"x" * 5000), "x" * 500 + "…"),
    ],
)
def test_what_an_error_says_is_told_whatever_its_shape(error: bytes, message: str) -> None:
    result = analysis(b'{"error":%s}' % error)
    assert result.verdict_reason == f"The provider sent an error: {message}"
