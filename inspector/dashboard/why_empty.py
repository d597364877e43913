"""Why a panel has nothing to show: one reason with its evidence.

What the request asked for is held against what the dialect can carry and what came; the first
reason that holds is told. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from msgspec import UNSET

from inspector.core.analysis import Analysis, Verdict
from inspector.core.completion import Json, known, listed
from inspector.core.dialects import dialects
from inspector.core.dialects.dialect import Dialect
from inspector.core.tool_calls.offered import offered_tools
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.templatetags.formats import plural, seconds
from inspector.dashboard.wire import json_text


class Reason(StrEnum):
    NOT_READ = "not parsed"
    OVER_LIMIT = "over our limit"
    REDACTED = "redacted"
    NOT_IN_DIALECT = "not sent by this dialect"
    NOT_REQUESTED = "not requested"
    CUT_OFF = "cut off"
    DROPPED = "dropped upstream"
    """The request asked for it, or every answer has it, the dialect can carry it, and it lacks."""
    NONE = "none"
    """Nothing is missing: there simply is none, or nobody knows whether it was asked for."""


@dataclass(frozen=True, slots=True)
class Why:
    """``evidence`` is the rest of a sentence that the reason begins."""

    reason: Reason
    evidence: str

    @property
    def sentence(self) -> str:
        if self.reason is Reason.NONE:
            return f"{begun(self.evidence)}."
        return f"{self.reason.capitalize()}: {self.evidence}."


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request says of it; ``wanted`` None where it leaves that to the model."""

    wanted: bool | None
    evidence: str


RequestBody = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Subject:
    """What a panel would show."""

    name: str
    lacking: Callable[[Analysis], str]
    """That there is none, as the end of a sentence."""
    is_read: bool = True
    """It is read out of the objects, which formats that are only recognised are not."""
    is_of_answer: bool = True
    """An error object in the place of an answer has none."""
    is_awaited: bool = True
    """It might have come, had the answer not ended early."""
    wish: str = ""
    """What a request does that wants it; "asked for" its name where nothing is said."""
    is_defined: Callable[[Dialect], bool] = lambda dialect: True
    asked: Callable[[RequestBody, Analysis], Asked] | None = None
    is_always_due: bool = False
    """Every whole answer of a dialect that defines it has it, whatever was asked for."""
    sent: Callable[[Analysis], Json] = lambda analysis: UNSET
    """What stands in its place."""
    cut: str = ""
    """How a pointer of the stored document ends that was cut."""


def why_empty(view: CaptureView, subject: Subject) -> Why:
    """The first reason that holds."""
    analysis = view.analysis
    if analysis is None:
        return Why(Reason.NOT_READ, "the capture is not analysed yet")
    return next(reasons(view, analysis, subject))


def nothing(evidence: str) -> Why:
    """Where nothing is missing."""
    return Why(Reason.NONE, evidence)


def reasons(view: CaptureView, analysis: Analysis, subject: Subject) -> Iterator[Why]:
    """Every reason that holds, the one to tell first; the last always does."""
    dialect = dialects().get(analysis.dialect or "")
    lacking = subject.lacking(analysis)
    yield from not_carried(analysis, dialect, subject)
    yield from kept_elsewhere(view, subject)
    yield from masked(subject.name, subject.sent(analysis))
    asked = asked_of(view, analysis, subject)
    if asked is not None and asked.wanted is False:
        yield Why(Reason.NOT_REQUESTED, f"{asked.evidence}, and {lacking}")
    yield from ended_early(analysis) if subject.is_awaited else ()
    if asked is not None and asked.wanted:
        yield Why(Reason.DROPPED, f"{asked.evidence}, and {lacking}")
    if subject.is_always_due and dialect is not None:
        due = f"every answer of {dialect.slug} has {subject.name}"
        yield Why(Reason.DROPPED, f"{due}, and {lacking}")
    yield Why(Reason.NONE, unasked(view, subject, asked, lacking))


def not_carried(analysis: Analysis, dialect: Dialect | None, subject: Subject) -> Iterator[Why]:
    if subject.is_of_answer and analysis.object == "error":
        yield Why(Reason.NOT_IN_DIALECT, "the body is an error object, not an answer")
    elif dialect is not None and subject.is_read and not dialect.is_read:
        yield Why(Reason.NOT_READ, f"only events and times of {dialect.slug} are parsed")
    elif dialect is not None and not subject.is_defined(dialect):
        yield Why(Reason.NOT_IN_DIALECT, f"{dialect.slug} does not define {subject.name}")


def unasked(view: CaptureView, subject: Subject, asked: Asked | None, lacking: str) -> str:
    """What is known where no reason is."""
    if asked is not None:
        return f"{asked.evidence}, and {lacking}"
    if subject.asked is None or view.request_body is not None:
        return lacking
    wish = subject.wish or f"asked for {subject.name}"
    return f"{lacking}; whether the request {wish} is unknown"


def asked_of(view: CaptureView, analysis: Analysis, subject: Subject) -> Asked | None:
    """None where the request is not known, or nothing in it asks for such a thing."""
    if subject.asked is None or view.request_body is None:
        return None
    return subject.asked(view.request_body, analysis)


def kept_elsewhere(view: CaptureView, subject: Subject) -> Iterator[Why]:
    """What the stored document, which is shown of a large capture, does not keep."""
    cut = [cut.length for cut in view.cuts if subject.cut and cut.pointer.endswith(subject.cut)]
    if cut:
        lost = f"the {subject.name} of {plural(sum(cut), 'token')}"
        where = "are not in the stored analysis, which is shown for a capture this large"
        yield Why(Reason.OVER_LIMIT, f"{lost} {where}; the raw bytes have them")


MASK = re.compile(
    r"\W*(?:redacted|removed|masked|hidden|omitted|\*{3,}|x{4,}|█+)\W*", re.IGNORECASE
)


def masked(name: str, sent: Json) -> Iterator[Why]:
    """A word or a row of asterisks in the place of the value."""
    if isinstance(sent, str) and MASK.fullmatch(sent):
        yield Why(Reason.REDACTED, f"{name} is {json_text(sent)[:60]}")


EARLY: Mapping[str, Reason] = {
    Verdict.CAPPED: Reason.OVER_LIMIT,
    Verdict.ELIDED: Reason.REDACTED,
    Verdict.CUT_OFF: Reason.CUT_OFF,
    Verdict.CLIENT_CANCELLED: Reason.CUT_OFF,
    Verdict.UPSTREAM_ERROR: Reason.CUT_OFF,
    Verdict.PROVIDER_ERROR: Reason.CUT_OFF,
    Verdict.IN_PROGRESS: Reason.NONE,
}


def ended_early(analysis: Analysis) -> Iterator[Why]:
    """The answer ended before it could come; the verdict says how."""
    reason = EARLY.get(analysis.verdict)
    if reason is not None:
        said = analysis.verdict_reason.rstrip(".")
        yield Why(reason, said[:1].lower() + said[1:])


def begun(text: str) -> str:
    return text[:1].upper() + text[1:]


# -- what the panels would show --------------------------------------------------------------------


def asked_for_logprobs(request: RequestBody, analysis: Analysis) -> Asked:
    """True in a chat; a number in legacy completions, 0 among them (004)."""
    value = request.get("logprobs", UNSET)
    if value is UNSET:
        return Asked(False, "logprobs is not in the request")
    if value is None or value is False:
        return Asked(False, f"the request has logprobs {json_text(value)}")
    return Asked(True, f"the request has logprobs {json_text(value)[:20]}")


def asked_for_usage(request: RequestBody, analysis: Analysis) -> Asked:
    """Only a stream needs asking for it."""
    if not analysis.streamed:
        return Asked(None, "usage need not be requested when stream is off")
    options = request.get("stream_options")
    value = options.get("include_usage", UNSET) if isinstance(options, dict) else UNSET
    if value is UNSET:
        return Asked(False, "stream_options.include_usage is not in the request")
    said = f"the request has stream_options.include_usage {json_text(value)[:20]}"
    return Asked(value is True, said)


def asked_for_calls(request: RequestBody, analysis: Analysis) -> Asked:
    tools = offered_tools(request)
    if tools is None:
        return Asked(False, "the request has no tools")
    choice = request.get("tool_choice", request.get("function_call"))
    number = plural(len([*listed(request.get("tools")), *listed(request.get("functions"))]), "tool")
    if choice == "none":
        return Asked(False, f"the request has {number} and tool_choice none")
    if choice == "required" or isinstance(choice, dict):
        return Asked(True, f"the request has {number} and requires a call")
    return Asked(None, f"the request has {number} and lets the model choose")


def asked_for_stream(request: RequestBody, analysis: Analysis) -> Asked:
    value = request.get("stream", UNSET)
    if value is UNSET:
        return Asked(False, "stream is not in the request")
    return Asked(value is True, f"the request has stream {json_text(value)[:20]}")


def sent_choices(analysis: Analysis) -> Any:
    completion = analysis.completion
    return completion.get("choices", UNSET) if isinstance(completion, dict) else UNSET


def sent_logprobs(analysis: Analysis) -> Any:
    return next((c.logprobs for c in analysis.choices if known(c.logprobs)), UNSET)


def sent_token(analysis: Analysis) -> Any:
    return next((c.feedback_token for c in analysis.choices if known(c.feedback_token)), UNSET)


def no_choices(analysis: Analysis) -> str:
    sent = sent_choices(analysis)
    return "the list of choices is empty" if sent == [] else "the body has no choices"


def no_calls(analysis: Analysis) -> str:
    return "no choice has tool calls" if analysis.choices else "there are no choices"


def no_usage(analysis: Analysis) -> str:
    return "no event has usage" if analysis.streamed else "the body has no usage object"


def no_feedback(analysis: Analysis) -> str:
    return "no choice has a feedback token, a stated cost or a stated duration"


def no_logprobs(analysis: Analysis) -> str:
    if sent_logprobs(analysis) is not UNSET:
        return "the provider sent logprobs without tokens"
    is_null = any(choice.logprobs is None for choice in analysis.choices)
    return "the provider sent logprobs as null" if is_null else "no choice has logprobs"


NOT_ONE_BYTE = "the body is empty"


def one_body(analysis: Analysis) -> str:
    """What is known of the times of a body that has no events to place in time."""
    times = analysis.timeline
    if times.duration_us is None:
        return "the answer was not streamed, and no arrival times were recorded"
    reads = plural(times.counts.reads, "read")
    if times.first_byte_us is None:
        return (
            f"the answer was not streamed; it came in {reads} within {seconds(times.duration_us)}"
        )
    first, last = seconds(times.first_byte_us), seconds(times.duration_us)
    return f"the answer was not streamed; it came in {reads}: first byte at {first}, last at {last}"


CHOICES = Subject(
    name="choices",
    lacking=no_choices,
    is_defined=lambda dialect: "choices" in dialect.top_fields,
    is_always_due=True,
    sent=sent_choices,
)
STREAM = Subject(name="a stream", lacking=one_body, is_read=False, asked=asked_for_stream)
EVENTS = Subject(
    name="events",
    lacking=lambda _: "the stream has no events",
    is_read=False,
    is_of_answer=False,
)
BODY = Subject(name="a body", lacking=lambda _: NOT_ONE_BYTE, is_read=False, is_of_answer=False)
EXTRAS = Subject(
    name="unknown fields",
    lacking=lambda analysis: f"every field of the body is one that {analysis.dialect} defines",
    is_of_answer=False,
    is_awaited=False,
)
TOOL_CALLS = Subject(
    name="tool calls",
    lacking=no_calls,
    is_defined=lambda dialect: "tool_calls" in dialect.message_fields,
    asked=asked_for_calls,
    wish="had tools",
)
USAGE = Subject(
    name="usage",
    lacking=no_usage,
    is_defined=lambda dialect: "usage" in dialect.top_fields,
    asked=asked_for_usage,
    sent=lambda analysis: analysis.usage.extras.get("", UNSET),
)
FEEDBACK = Subject(
    name="feedback tokens",
    lacking=no_feedback,
    is_defined=lambda dialect: "feedback_token" in dialect.choice_fields,
    is_always_due=True,
    sent=sent_token,
)
LOGPROBS = Subject(
    name="logprobs",
    lacking=no_logprobs,
    is_defined=lambda dialect: "logprobs" in dialect.choice_fields,
    asked=asked_for_logprobs,
    sent=sent_logprobs,
    cut="/logprobs",
)
