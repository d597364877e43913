"""Why a panel is empty: every reason with a case that fires and one that stays silent."""

import json
from typing import Any

import pytest

from inspector.archive.storage.document import TruncatedValue
from inspector.core.analysis import Analysis, Verdict
from inspector.core.completion import Choice, Usage
from inspector.core.wire.exchange import Request
from inspector.dashboard.capture.page.why_empty import (
    BODY,
    CHOICES,
    EVENTS,
    EXTRAS,
    FEEDBACK,
    LOGPROBS,
    STREAM,
    TOOL_CALLS,
    USAGE,
    EmptyReason,
    PanelSubject,
    WhyEmpty,
    not_empty,
    why_empty,
)
from tests.dashboard.capture.samples import analysis, view

ONE = Choice(index=0, content="Hi", finish_reason="stop")
TOOLS = [{"type": "function", "function": {"name": "f"}}]


def why(
    subject: PanelSubject, read: Analysis | None = None, asked: Any = None, **more: Any
) -> WhyEmpty:
    """``asked`` is the request's body, None where it is not known."""
    request = None if asked is None else Request(body=json.dumps(asked).encode())
    shown = view(read if read is not None else analysis(ONE), request=request, **more)
    return why_empty(shown, subject)


# -- the sentence ----------------------------------------------------------------------------------


def test_a_sentence_begins_with_its_reason() -> None:
    told = WhyEmpty(EmptyReason.NOT_REQUESTED, "logprobs is not in the request")
    assert told.sentence == "Not requested: logprobs is not in the request."
    assert not_empty("142 rules, nothing to say").sentence == "142 rules, nothing to say."


# -- not read --------------------------------------------------------------------------------------


def test_of_a_format_that_is_only_recognised_nothing_is_read() -> None:
    ollama = analysis(dialect="ollama", object="unknown")
    for subject in (CHOICES, TOOL_CALLS, USAGE, LOGPROBS, FEEDBACK, EXTRAS):
        assert why(subject, ollama).reason is EmptyReason.NOT_READ
    assert why(STREAM, ollama).reason is not EmptyReason.NOT_READ


def test_a_capture_that_waits_is_not_read_yet() -> None:
    assert why_empty(view(), CHOICES).reason is EmptyReason.NOT_READ


# -- not sent by this dialect ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "subject, dialect",
    [(TOOL_CALLS, "openai-text"), (FEEDBACK, "openai-chat"), (FEEDBACK, "openai-text")],
)
def test_what_a_dialect_does_not_define_it_does_not_send(
    subject: PanelSubject, dialect: str
) -> None:
    told = why(subject, analysis(ONE, dialect=dialect))
    assert told.reason is EmptyReason.NOT_IN_DIALECT
    assert dialect in told.evidence


@pytest.mark.parametrize(
    "subject, dialect",
    [(TOOL_CALLS, "openai-chat"), (FEEDBACK, "workflowai"), (LOGPROBS, "openai-text"),
     (USAGE, "openai-text"), (LOGPROBS, None)],
)  # fmt: skip
def test_what_a_dialect_defines_has_another_reason(
    subject: PanelSubject, dialect: str | None
) -> None:
    assert why(subject, analysis(ONE, dialect=dialect)).reason is not EmptyReason.NOT_IN_DIALECT


def test_an_error_object_is_no_answer() -> None:
    error = analysis(dialect="provider-error", object="error", verdict=Verdict.PROVIDER_ERROR)
    for subject in (CHOICES, USAGE, LOGPROBS, STREAM):
        told = why(subject, error)
        assert told.reason is EmptyReason.NOT_IN_DIALECT
        assert "error object" in told.evidence
    assert why(EVENTS, error).reason is not EmptyReason.NOT_IN_DIALECT


# -- not requested ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "subject, asked, evidence",
    [
        (LOGPROBS, {}, "logprobs is not in the request"),
        (LOGPROBS, {"logprobs": False}, "the request has logprobs false"),
        (LOGPROBS, {"logprobs": None}, "the request has logprobs null"),
        (USAGE, {"stream": True}, "stream_options.include_usage is not in the request"),
        (USAGE, {"stream_options": {"include_usage": False}}, "include_usage false"),
        (USAGE, {"stream_options": 5}, "stream_options.include_usage is not in the request"),
        (TOOL_CALLS, {}, "the request has no tools"),
        (TOOL_CALLS, {"tools": TOOLS, "tool_choice": "none"}, "has 1 tool and tool_choice none"),
        (TOOL_CALLS, {"functions": [{"name": "f"}], "function_call": "none"}, "has 1 tool and"),
    ],
)
def test_what_the_request_does_not_ask_for_was_not_requested(
    subject: PanelSubject, asked: Any, evidence: str
) -> None:
    told = why(subject, asked=asked)
    assert told.reason is EmptyReason.NOT_REQUESTED
    assert evidence in told.evidence


@pytest.mark.parametrize("subject", [LOGPROBS, USAGE, TOOL_CALLS, STREAM])
def test_of_a_request_that_is_not_known_nothing_is_claimed(subject: PanelSubject) -> None:
    told = why(subject, analysis(ONE, streamed=subject is not STREAM))
    assert told.reason is EmptyReason.NONE
    wish = "had tools" if subject is TOOL_CALLS else f"asked for {subject.name}"
    assert told.evidence.endswith(f"; whether the request {wish} is unknown")


def test_a_body_that_was_asked_for_as_one_came_as_one() -> None:
    whole = analysis(ONE, streamed=False)
    assert why(STREAM, whole, {}).reason is EmptyReason.NOT_REQUESTED
    assert why(STREAM, whole, {"stream": False}).reason is EmptyReason.NOT_REQUESTED


def test_usage_of_a_body_that_is_no_stream_need_not_be_asked_for() -> None:
    assert why(USAGE, analysis(ONE, streamed=False), {}).reason is EmptyReason.NONE


# -- dropped upstream ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "subject, asked",
    [
        (LOGPROBS, {"logprobs": True}),
        (LOGPROBS, {"logprobs": 0}),
        (USAGE, {"stream_options": {"include_usage": True}}),
        (TOOL_CALLS, {"tools": TOOLS, "tool_choice": "required"}),
        (TOOL_CALLS, {"tools": TOOLS, "tool_choice": {"type": "function"}}),
    ],
)
def test_what_was_asked_for_and_lacks_was_dropped(subject: PanelSubject, asked: Any) -> None:
    told = why(subject, asked=asked)
    assert told.reason is EmptyReason.DROPPED
    assert "and no " in told.evidence
    cut = analysis(ONE, verdict=Verdict.CUT_OFF, verdict_reason="It ends.")
    assert why(subject, cut, asked).reason is EmptyReason.CUT_OFF


def test_a_stream_that_was_asked_for_and_came_as_one_body_was_dropped() -> None:
    assert (
        why(STREAM, analysis(ONE, streamed=False), {"stream": True}).reason is EmptyReason.DROPPED
    )


def test_a_model_that_may_choose_has_dropped_nothing() -> None:
    told = why(TOOL_CALLS, asked={"tools": TOOLS, "tool_choice": "auto"})
    assert told.sentence == (
        "The request has 1 tool and lets the model choose, and no choice has tool calls."
    )


def test_tools_without_a_name_are_counted_too() -> None:
    told = why(TOOL_CALLS, asked={"tools": [{"type": "web_search"}]})
    assert told.evidence.startswith("the request has 1 tool and lets")


def test_what_every_answer_has_was_dropped_where_a_whole_one_lacks_it() -> None:
    told = why(CHOICES, analysis(completion={"choices": []}))
    assert (told.reason, told.evidence) == (
        EmptyReason.DROPPED,
        "every answer of openai-chat has choices, and the list of choices is empty",
    )
    assert why(FEEDBACK, analysis(ONE, dialect="workflowai")).reason is EmptyReason.DROPPED
    assert why(CHOICES, analysis(dialect=None)).reason is EmptyReason.NONE


# -- cut off, over our limit, redacted -------------------------------------------------------------


@pytest.mark.parametrize(
    "verdict, reason",
    [
        (Verdict.CUT_OFF, EmptyReason.CUT_OFF),
        (Verdict.CLIENT_CANCELLED, EmptyReason.CUT_OFF),
        (Verdict.UPSTREAM_ERROR, EmptyReason.CUT_OFF),
        (Verdict.PROVIDER_ERROR, EmptyReason.CUT_OFF),
        (Verdict.CAPPED, EmptyReason.OVER_LIMIT),
        (Verdict.ELIDED, EmptyReason.REDACTED),
        (Verdict.COMPLETE, EmptyReason.NONE),
        (Verdict.MISSING_TERMINATOR, EmptyReason.NONE),
    ],
)
@pytest.mark.parametrize("subject", [USAGE, LOGPROBS, TOOL_CALLS])
def test_the_verdict_tells_what_kept_it_from_coming(
    subject: PanelSubject, verdict: Verdict, reason: EmptyReason
) -> None:
    read = analysis(ONE, verdict=verdict, verdict_reason="The body ends inside event 5.")
    told = why(subject, read)
    assert told.reason is reason
    assert (told.evidence == "the body ends inside event 5") is (reason is not EmptyReason.NONE)


def test_what_was_not_requested_was_not_cut_off_either() -> None:
    cut = analysis(ONE, verdict=Verdict.CUT_OFF, verdict_reason="It ends.")
    assert why(LOGPROBS, cut, {}).reason is EmptyReason.NOT_REQUESTED


def test_what_the_stored_reading_does_not_keep_is_over_our_limit() -> None:
    told = why(
        LOGPROBS,
        cuts=(
            TruncatedValue("/choices/0/logprobs", 1_200),
            TruncatedValue("/choices/1/logprobs", 34),
        ),
    )
    assert told.reason is EmptyReason.OVER_LIMIT
    assert told.evidence.startswith("the logprobs of 1,234 tokens are not in the stored")
    assert (
        why(LOGPROBS, cuts=(TruncatedValue("/choices/0/content", 70_000),)).reason
        is EmptyReason.NONE
    )


@pytest.mark.parametrize("mask", ["[REDACTED]", "***", "<removed>", "xxxx", "████"])
def test_a_mask_in_its_place_is_a_redaction(mask: str) -> None:
    assert why(USAGE, analysis(ONE, usage=Usage(extras={"": mask}))).reason is EmptyReason.REDACTED
    masked = analysis(Choice(index=0, logprobs=mask))
    assert why(LOGPROBS, masked).sentence.startswith("Redacted: logprobs is")
    assert why(CHOICES, analysis(completion={"choices": mask})).reason is EmptyReason.REDACTED


@pytest.mark.parametrize("value", ["none", "", "x", "a redacted value", {"a": "[REDACTED]"}, 5])
def test_another_value_in_its_place_is_none(value: Any) -> None:
    assert why(USAGE, analysis(ONE, usage=Usage(extras={"": value}))).reason is EmptyReason.NONE


# -- none ------------------------------------------------------------------------------------------


def test_absent_null_and_empty_logprobs_are_told_apart() -> None:
    assert why(LOGPROBS).evidence.startswith("no choice has logprobs;")
    null = analysis(Choice(index=0, logprobs=None))
    assert why(LOGPROBS, null).evidence.startswith("the provider sent logprobs as null;")
    empty = analysis(Choice(index=0, logprobs={"content": []}))
    assert why(LOGPROBS, empty).evidence.startswith("the provider sent logprobs without tokens")


def test_a_stream_without_events_and_a_body_without_bytes_say_so() -> None:
    assert why(EVENTS).sentence == "The stream has no events."
    assert why(BODY).sentence == "The body is empty."
    gone = analysis(
        verdict=Verdict.CLIENT_CANCELLED, verdict_reason="The client closed the connection."
    )
    assert why(BODY, gone).sentence == "Cut off: the client closed the connection."


def test_a_body_without_unknown_fields_says_whose_fields_it_has() -> None:
    told = "Every field of the body is one that openai-chat defines."
    assert why(EXTRAS).sentence == told
    assert why(EXTRAS, analysis(ONE, verdict=Verdict.CUT_OFF)).sentence == told


def test_an_answer_that_still_arrives_says_so() -> None:
    read = analysis(verdict=Verdict.IN_PROGRESS, verdict_reason="It is still arriving.")
    assert why(USAGE, read).sentence == "It is still arriving."
