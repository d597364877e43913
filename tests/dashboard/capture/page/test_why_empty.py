"""Why a panel is empty: every reason with a case that fires and one that stays silent."""

import json
from typing import Any

import pytest

from inspector.archive.readouts import TruncatedValue
from inspector.core.analysis import Analysis, Repair, Verdict
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
from tests.core.bodies import analysis as core_analysis
from tests.dashboard.capture.samples import analysis, view, whole

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


def test_a_capture_that_waits_is_not_read_yet() -> None:
    assert why_empty(view(), CHOICES).reason is EmptyReason.NOT_READ


# -- not sent by this format -----------------------------------------------------------------------


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


def of_format(slug: str, *, streamed: bool = True) -> Analysis:
    return analysis(ONE, dialect=slug, streamed=streamed)


@pytest.mark.parametrize(
    ("slug", "asked", "told"),
    [
        ("gemini", {"generationConfig": {"responseLogprobs": True}}, "Dropped upstream: the request"
         " has generationConfig.responseLogprobs true, and no choice has logprobs."),
        ("gemini", {}, "Not requested: generationConfig.responseLogprobs is not in the request, and"
         " no choice has logprobs."),
        ("openai-responses", {"include": ["message.output_text.logprobs"]}, "Dropped upstream:"
         " include of the request has message.output_text.logprobs, and no choice has logprobs."),
        ("openai-responses", {"include": []}, "Not requested: include of the request lacks"
         " message.output_text.logprobs, and no choice has logprobs."),
        ("bedrock-converse", {}, "No choice has logprobs."),
    ],
)  # fmt: skip
def test_each_format_has_its_own_place_to_ask_for_logprobs(
    slug: str, asked: Any, told: str
) -> None:
    assert why(LOGPROBS, of_format(slug), asked).sentence == told


def test_a_stream_of_another_format_has_usage_unasked() -> None:
    assert why(USAGE, of_format("anthropic"), {"stream": True}).sentence == (
        "Usage need not be requested in this format, and no event has usage."
    )


def test_where_stream_is_no_member_of_the_request_nothing_is_said_of_it() -> None:
    whole = "The answer was not streamed, and no arrival times were recorded."
    for slug in ("gemini", "ollama"):
        assert why(STREAM, of_format(slug, streamed=False), {}).sentence == whole
    asked = why(STREAM, of_format("ollama", streamed=False), {"stream": False})
    assert asked.reason is EmptyReason.NOT_REQUESTED


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"type": "auto"}, "lets the model choose"),
        ({"type": "none"}, "tool_choice none"),
        ({"type": "any"}, "requires a call"),
        ({"type": "tool", "name": "f"}, "requires a call"),
    ],
)
def test_the_tool_choice_of_messages_is_an_object(choice: Any, words: str) -> None:
    asked = {"tools": [{"name": "f", "input_schema": {}}], "tool_choice": choice}
    assert words in why(TOOL_CALLS, of_format("anthropic"), asked).evidence


def test_calls_that_name_no_tool_are_told_where_the_named_ones_would_stand() -> None:
    shell = {"type": "local_shell_call", "call_id": "c1", "action": {"command": ["ls"]}}
    shown = whole({"object": "response", "status": "completed", "output": [shell]})
    assert why_empty(shown, TOOL_CALLS).evidence.startswith(
        "no call names a tool; 1 call without one"
    )


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
        (
            TOOL_CALLS,
            {"tools": TOOLS, "tool_choice": {"type": "function", "function": {"name": "f"}}},
        ),
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


# -- a part of a completion ------------------------------------------------------------------------

MESSAGE = b'{"role": "assistant", "content": "Hi"}'
USAGE_OBJECT = b'{"prompt_tokens": 20, "completion_tokens": 9, "total_tokens": 29}'
CHUNK = (
    b'{"id": "c", "object": "chat.completion.chunk", "created": 1795183339, "model": "m", '
    b'"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": null}]}'
)


@pytest.mark.parametrize(
    "body, subject, named",
    [(MESSAGE, USAGE, "an assistant message alone"), (MESSAGE, LOGPROBS, "an assistant message alone"),
     (USAGE_OBJECT, CHOICES, "a usage object alone"), (USAGE_OBJECT, TOOL_CALLS, "a usage object alone"),
     (CHUNK, USAGE, "one chunk of a stream"), (CHUNK, TOOL_CALLS, "one chunk of a stream")],
)  # fmt: skip
def test_what_has_its_place_in_another_part_of_the_completion_is_not_called_dropped(
    body: bytes, subject: PanelSubject, named: str
) -> None:
    told = why_empty(whole(body), subject)
    assert told.sentence == f"Not in this part: the body is {named}, a part of a chat completion."


def test_a_message_alone_would_have_its_calls_and_was_never_a_stream() -> None:
    assert why_empty(whole(MESSAGE), TOOL_CALLS).reason is EmptyReason.NONE
    assert why_empty(whole(MESSAGE), STREAM).sentence.startswith("The answer was not streamed")
    assert why_empty(whole(MESSAGE), EXTRAS).reason is EmptyReason.NONE


# -- printed and shortened -------------------------------------------------------------------------

SHORTENED = "Shortened with “…” in 1 place, so the text is incomplete."


@pytest.mark.parametrize("subject", [USAGE, LOGPROBS, TOOL_CALLS])
def test_dots_in_a_printed_text_may_stand_for_what_is_missing(subject: PanelSubject) -> None:
    read = analysis(ONE, verdict=Verdict.ELIDED, verdict_reason=SHORTENED)
    told = why(subject, read)
    assert told.reason is EmptyReason.SHORTENED
    assert told.sentence.endswith(f" in the printed chunks that could be read. {SHORTENED}")


def test_a_stored_printed_answer_says_what_was_read_and_from_what() -> None:
    body = (
        b'{"id": "a", "object": "chat.completion", "created": 1, "model": "m", "choices": ['
        b'{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop",'
        b"}],\n...\n}"
    )
    read = core_analysis(body)
    assert (read.verdict, read.choices[0].content) == (Verdict.ELIDED, "Hi")
    assert why(TOOL_CALLS, read).sentence == (
        "Not in the shortened text: no choice has tool calls in the printed answer that could be "
        f"read. {SHORTENED}"
    )
    assert why(STREAM, read).sentence == (
        "The text prints one answer and no stream, and no arrival times were recorded; whether the "
        "request asked for a stream is unknown."
    )


def test_a_printed_answer_that_is_not_shortened_has_no_stream_either() -> None:
    repair = Repair(("Left out commas before a closing bracket",), {}, is_read=True)
    read = analysis(ONE, streamed=False, verdict=Verdict.UNREADABLE, repair=repair)
    assert why(STREAM, read).evidence.startswith("the text prints one answer and no stream")
    assert why(TOOL_CALLS, read).reason is EmptyReason.NONE


# -- cut off, over our limit, redacted -------------------------------------------------------------


@pytest.mark.parametrize(
    "verdict, reason",
    [
        (Verdict.CUT_OFF, EmptyReason.CUT_OFF),
        (Verdict.CLIENT_CANCELLED, EmptyReason.CUT_OFF),
        (Verdict.UPSTREAM_ERROR, EmptyReason.CUT_OFF),
        (Verdict.PROVIDER_ERROR, EmptyReason.CUT_OFF),
        (Verdict.CAPPED, EmptyReason.OVER_LIMIT),
        (Verdict.COMPLETE, EmptyReason.NONE),
        (Verdict.MISSING_TERMINATOR, EmptyReason.NONE),
    ],
)
@pytest.mark.parametrize("subject", [USAGE, LOGPROBS, TOOL_CALLS])
def test_the_verdict_tells_what_kept_it_from_coming(
    subject: PanelSubject, verdict: Verdict, reason: EmptyReason
) -> None:
    read = analysis(ONE, verdict=verdict, verdict_reason="The body ends inside event #5.")
    told = why(subject, read)
    assert told.reason is reason
    assert (told.evidence == "the body ends inside event #5") is (reason is not EmptyReason.NONE)


def test_of_a_call_that_failed_without_an_answer_nothing_was_cut_off() -> None:
    failed = analysis(verdict=Verdict.UPSTREAM_ERROR, verdict_reason="The page is a gateway's.")
    assert why(STREAM, failed).sentence == "The page is a gateway's."


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
    assert told.evidence.startswith("the logprobs of 1,234 tokens are not kept of a capture")
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
