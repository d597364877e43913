"""Explains why a panel is empty: one reason with its evidence.

Compares what the request asked for with what the dialect can carry and what arrived. The first
reason that applies is shown. Pure functions.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from msgspec import UNSET

from inspector.core.analysis import Analysis, Verdict
from inspector.core.completion import known
from inspector.core.formats import DEFAULT_FAMILY, dialects, family_of
from inspector.core.formats.dialect import Dialect
from inspector.core.formats.fragment import FRAGMENT_WORDS, Fragment
from inspector.core.formats.grammar import BlockName, Effect, MergedUsage, UsageCounts, UsageMember
from inspector.core.json import Json
from inspector.core.json.pointer import pointer_to, value_at
from inspector.core.request.request_params import parse_request_params
from inspector.core.tool_calls.call_faults import unnamed_calls
from inspector.core.tool_calls.tool_definitions import offered_tools, read_tool_definitions
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.formatting.humanize import plural, seconds
from inspector.formatting.wire_values import json_text

LOGPROBS_IN_REQUEST: Mapping[str, tuple[str, ...]] = {
    DEFAULT_FAMILY: ("logprobs",),
    "cohere": ("logprobs",),
    "gemini": ("generationConfig", "responseLogprobs"),
    "ollama": ("logprobs",),
    "openai-responses": ("include",),
}
"""Where a request asks for log probabilities, by format."""
LOGPROBS_INCLUDED = "message.output_text.logprobs"
"""Item by which the list of a Responses request asks for them."""
STREAM_NOT_ASKED = ("bedrock-converse", "gemini", "ollama")
"""Formats in which ``stream`` need not be in the request of a stream."""
USAGE_EFFECTS = (MergedUsage, UsageCounts, UsageMember)


class EmptyReason(StrEnum):
    NOT_READ = "not parsed"
    OVER_LIMIT = "over our limit"
    REDACTED = "redacted"
    NOT_IN_DIALECT = "not sent by this format"
    NOT_REQUESTED = "not requested"
    CUT_OFF = "cut off"
    SHORTENED = "not in the shortened text"
    NOT_IN_PART = "not in this part"
    """The body is a part of a completion, and the feature has its place in another part."""
    DROPPED = "dropped upstream"
    """Requested or always present, and possible in the dialect, and yet missing."""
    NONE = "none"
    """Nothing is missing, or it is unknown whether the feature was requested."""


@dataclass(frozen=True, slots=True)
class WhyEmpty:
    """``evidence`` completes the sentence that the reason begins."""

    reason: EmptyReason
    evidence: str

    @property
    def sentence(self) -> str:
        if self.reason is EmptyReason.NONE:
            return f"{capitalized(self.evidence)}."
        return f"{self.reason.capitalize()}: {self.evidence}."


@dataclass(frozen=True, slots=True)
class RequestedFeature:
    """Whether the request wants a feature; ``wanted`` is None if it leaves that to the model."""

    wanted: bool | None
    evidence: str


RequestBody = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class PanelSubject:
    """The feature a panel would show."""

    name: str
    lacking: Callable[[Analysis], str]
    """Returns "there is none" as the end of a sentence."""
    is_of_answer: bool = True
    """True if an error object in place of an answer cannot have it."""
    is_awaited: bool = True
    """True if it might have arrived had the response not ended early."""
    wish: str = ""
    """Words on what a request does to get it; "" for "asked for" with its name."""
    is_defined: Callable[[Dialect], bool] = lambda dialect: True
    requested_by: Callable[[RequestBody, Analysis], RequestedFeature | None] | None = None
    is_always_due: bool = False
    """True if every complete answer of a dialect that defines it has it without being requested."""
    sent: Callable[[Analysis], Json] = lambda analysis: UNSET
    """Returns the value sent in its place, if any."""
    cut: str = ""
    """Suffix of the pointer under which the stored document lists its truncation."""


def why_empty(view: CaptureView, subject: PanelSubject) -> WhyEmpty:
    """Return the first reason that applies."""
    analysis = view.analysis
    if analysis is None:
        return WhyEmpty(EmptyReason.NOT_READ, "the capture is not analysed yet")
    return next(reasons(view, analysis, subject))


def not_empty(evidence: str) -> WhyEmpty:
    return WhyEmpty(EmptyReason.NONE, evidence)


def reasons(view: CaptureView, analysis: Analysis, subject: PanelSubject) -> Iterator[WhyEmpty]:
    """Yield every reason that applies, most specific first; the last one always applies."""
    dialect = dialects().get(analysis.dialect or "")
    lacking = subject.lacking(analysis)
    yield from not_in_dialect(analysis, dialect, subject)
    yield from not_kept(view, subject)
    yield from masked_values(subject.name, subject.sent(analysis))
    feature = requested_feature(view, analysis, subject)
    if feature is not None and feature.wanted is False:
        yield WhyEmpty(EmptyReason.NOT_REQUESTED, f"{feature.evidence}, and {lacking}")
    yield from ended_early(analysis) if subject.is_awaited else ()
    yield from not_printed(analysis, lacking) if can_be_left_out(subject) else ()
    yield from not_in_part(analysis, subject) if can_be_left_out(subject) else ()
    if feature is not None and feature.wanted:
        yield WhyEmpty(EmptyReason.DROPPED, f"{feature.evidence}, and {lacking}")
    if subject.is_always_due and dialect is not None:
        due = f"every answer of {dialect.slug} has {subject.name}"
        yield WhyEmpty(EmptyReason.DROPPED, f"{due}, and {lacking}")
    yield WhyEmpty(EmptyReason.NONE, not_requested_words(view, subject, feature, lacking))


def has(dialect: Dialect, *effects: type[Effect]) -> bool:
    """Return True if the dialect's own table has a place for one of these."""
    return any(isinstance(effect, effects) for effect in dialect.table.values())


def not_in_dialect(
    analysis: Analysis, dialect: Dialect | None, subject: PanelSubject
) -> Iterator[WhyEmpty]:
    if subject.is_of_answer and analysis.object == "error":
        yield WhyEmpty(EmptyReason.NOT_IN_DIALECT, "the body is an error object, not an answer")
    elif dialect is not None and not subject.is_defined(dialect):
        yield WhyEmpty(EmptyReason.NOT_IN_DIALECT, f"{dialect.slug} does not define {subject.name}")


def not_requested_words(
    view: CaptureView, subject: PanelSubject, feature: RequestedFeature | None, lacking: str
) -> str:
    """Sentence for a panel whose emptiness has no particular reason."""
    if feature is not None:
        return f"{feature.evidence}, and {lacking}"
    if subject.requested_by is None or view.request_body is not None:
        return lacking
    wish = subject.wish or f"asked for {subject.name}"
    return f"{lacking}; whether the request {wish} is unknown"


def requested_feature(
    view: CaptureView, analysis: Analysis, subject: PanelSubject
) -> RequestedFeature | None:
    """Return the requested feature; None if the request is unknown or does not ask for it."""
    if subject.requested_by is None or view.request_body is None:
        return None
    return subject.requested_by(view.request_body, analysis)


def not_kept(view: CaptureView, subject: PanelSubject) -> Iterator[WhyEmpty]:
    """Yield a reason if the readout of a large capture is without the feature."""
    cut = [cut.length for cut in view.cuts if subject.cut and cut.pointer.endswith(subject.cut)]
    if cut:
        lost = f"the {subject.name} of {plural(sum(cut), 'token')}"
        where = "are not kept of a capture this large"
        yield WhyEmpty(EmptyReason.OVER_LIMIT, f"{lost} {where}; the raw bytes have them")


# As in "[REDACTED]", "***" and "<removed>".
MASK = re.compile(
    r"\W*(?:redacted|removed|masked|hidden|omitted|\*{3,}|x{4,}|█+)\W*", re.IGNORECASE
)


def masked_values(name: str, sent: Json) -> Iterator[WhyEmpty]:
    """Yield a reason if a word or asterisks were sent in place of the value."""
    if isinstance(sent, str) and MASK.fullmatch(sent):
        yield WhyEmpty(EmptyReason.REDACTED, f"{name} is {json_text(sent)[:60]}")


ENDED_EARLY_REASONS: Mapping[str, EmptyReason] = {
    Verdict.CAPPED: EmptyReason.OVER_LIMIT,
    Verdict.CUT_OFF: EmptyReason.CUT_OFF,
    Verdict.CLIENT_CANCELLED: EmptyReason.CUT_OFF,
    Verdict.UPSTREAM_ERROR: EmptyReason.CUT_OFF,
    Verdict.PROVIDER_ERROR: EmptyReason.CUT_OFF,
    Verdict.IN_PROGRESS: EmptyReason.NONE,
}


def ended_early(analysis: Analysis) -> Iterator[WhyEmpty]:
    """Yield a reason if the response ended before the feature could arrive."""
    reason = ENDED_EARLY_REASONS.get(analysis.verdict)
    if analysis.verdict is Verdict.UPSTREAM_ERROR and not analysis.choices:
        # There may be a whole body, such as a page of a gateway: nothing of an answer was cut.
        reason = EmptyReason.NONE
    if reason is not None:
        reason_words = analysis.verdict_reason.rstrip(".")
        yield WhyEmpty(reason, reason_words[:1].lower() + reason_words[1:])


def can_be_left_out(subject: PanelSubject) -> bool:
    """Return True if the feature may stand in what was left out, so not in a stream beside its
    print.
    """
    return subject.is_awaited and subject is not STREAM


def not_printed(analysis: Analysis, lacking: str) -> Iterator[WhyEmpty]:
    if analysis.verdict is not Verdict.ELIDED:
        return
    read = "chunks" if analysis.streamed else "answer"
    reason_words = analysis.verdict_reason.rstrip(".")
    evidence = f"{lacking} in the printed {read} that could be read. {reason_words}"
    yield WhyEmpty(EmptyReason.SHORTENED, evidence)


def not_in_part(analysis: Analysis, subject: PanelSubject) -> Iterator[WhyEmpty]:
    fragment = analysis.fragment
    if fragment is not None and subject is not WHOLE_IN_FRAGMENT.get(fragment):
        evidence = f"the body is {FRAGMENT_WORDS[fragment]}, a part of a chat completion"
        yield WhyEmpty(EmptyReason.NOT_IN_PART, evidence)


def is_printed(analysis: Analysis) -> bool:
    """Return True if the analysis is of a text that prints the answer."""
    is_mended = analysis.repair is not None and analysis.repair.is_read
    return is_mended or analysis.verdict is Verdict.ELIDED


def capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


# -- what the panels would show --------------------------------------------------------------------


def requested_logprobs(request: RequestBody, analysis: Analysis) -> RequestedFeature | None:
    """``logprobs`` is a boolean in chat and a number, possibly 0, in legacy completions
    (OpenAI's completions reference). Other formats have places of their own.
    """
    path = LOGPROBS_IN_REQUEST.get(family_slug(analysis))
    if path is None:
        return None
    named, value = ".".join(path), value_at(request, pointer_to(path))
    if isinstance(value, list):
        is_in = LOGPROBS_INCLUDED in value
        word = "has" if is_in else "lacks"
        return RequestedFeature(is_in, f"{named} of the request {word} {LOGPROBS_INCLUDED}")
    if value is UNSET:
        return RequestedFeature(False, f"{named} is not in the request")
    if value is None or value is False:
        return RequestedFeature(False, f"the request has {named} {json_text(value)}")
    return RequestedFeature(True, f"the request has {named} {json_text(value)[:20]}")


def family_slug(analysis: Analysis) -> str:
    dialect = dialects().get(analysis.dialect or "")
    return family_of(dialect) if dialect else DEFAULT_FAMILY


def requested_usage(request: RequestBody, analysis: Analysis) -> RequestedFeature:
    """Usage must be requested for streams of chat completions only."""
    if family_slug(analysis) != DEFAULT_FAMILY:
        return RequestedFeature(None, "usage need not be requested in this format")
    if not analysis.streamed:
        return RequestedFeature(None, "usage need not be requested when stream is off")
    options = request.get("stream_options")
    value = options.get("include_usage", UNSET) if isinstance(options, dict) else UNSET
    if value is UNSET:
        return RequestedFeature(False, "stream_options.include_usage is not in the request")
    evidence = f"the request has stream_options.include_usage {json_text(value)[:20]}"
    return RequestedFeature(value is True, evidence)


def requested_calls(request: RequestBody, analysis: Analysis) -> RequestedFeature:
    tools = read_tool_definitions(request)
    if tools is None:
        return RequestedFeature(False, "the request has no tools")
    params = parse_request_params(request)
    number = plural(sum(1 for _ in offered_tools(request)), "tool")
    if params is not None and params.tool_choice.is_forbidden:
        return RequestedFeature(False, f"the request has {number} and tool_choice none")
    if params is not None and params.tool_choice.is_required:
        return RequestedFeature(True, f"the request has {number} and requires a call")
    return RequestedFeature(None, f"the request has {number} and lets the model choose")


def requested_stream(request: RequestBody, analysis: Analysis) -> RequestedFeature | None:
    """Read ``stream`` of the request; None if it is absent in a format where the address decides,
    or where a stream is the default.
    """
    value = request.get("stream", UNSET)
    if value is UNSET and family_slug(analysis) in STREAM_NOT_ASKED:
        return None
    if value is UNSET:
        return RequestedFeature(False, "stream is not in the request")
    return RequestedFeature(value is True, f"the request has stream {json_text(value)[:20]}")


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
    if not analysis.choices:
        return "there are no choices"
    number = sum(1 for choice in analysis.choices for _ in unnamed_calls(choice))
    if number:
        return f"no call names a tool; {plural(number, 'call')} without one in the choices"
    return "no choice has tool calls"


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


def no_event_times(analysis: Analysis) -> str:
    """Sentence for a body without events, for which there are no arrival times to show."""
    times = analysis.timeline
    if times.duration_us is None and is_printed(analysis):
        return "the text prints one answer and no stream, and no arrival times were recorded"
    if times.duration_us is None:
        return "the answer was not streamed, and no arrival times were recorded"
    reads = plural(times.counts.reads, "read")
    if times.first_byte_us is None:
        return (
            f"the answer was not streamed; it came in {reads} within {seconds(times.duration_us)}"
        )
    first, last = seconds(times.first_byte_us), seconds(times.duration_us)
    return f"the answer was not streamed; it came in {reads}: first byte at {first}, last at {last}"


CHOICES = PanelSubject(name="choices", lacking=no_choices, is_always_due=True, sent=sent_choices)
STREAM = PanelSubject(name="a stream", lacking=no_event_times, requested_by=requested_stream)
EVENTS = PanelSubject(
    name="events", lacking=lambda _: "the stream has no events", is_of_answer=False
)
BODY = PanelSubject(name="a body", lacking=lambda _: NOT_ONE_BYTE, is_of_answer=False)
EXTRAS = PanelSubject(
    name="unknown fields",
    lacking=lambda analysis: f"every field of the body is one that {analysis.dialect} defines",
    is_of_answer=False,
    is_awaited=False,
)
TOOL_CALLS = PanelSubject(
    name="tool calls",
    lacking=no_calls,
    is_defined=lambda dialect: "tool_calls" in dialect.message_fields or has(dialect, BlockName),
    requested_by=requested_calls,
    wish="had tools",
)
USAGE = PanelSubject(
    name="usage",
    lacking=no_usage,
    is_defined=lambda dialect: "usage" in dialect.top_fields or has(dialect, *USAGE_EFFECTS),
    requested_by=requested_usage,
    sent=lambda analysis: analysis.usage.extras.get("", UNSET),
)
FEEDBACK = PanelSubject(
    name="feedback tokens",
    lacking=no_feedback,
    is_defined=lambda dialect: "feedback_token" in dialect.choice_fields,
    is_always_due=True,
    sent=sent_token,
)
LOGPROBS = PanelSubject(
    name="logprobs",
    lacking=no_logprobs,
    is_defined=lambda dialect: "logprobs" in dialect.choice_fields,
    requested_by=requested_logprobs,
    sent=sent_logprobs,
    cut="/logprobs",
)
WHOLE_IN_FRAGMENT: Mapping[Fragment, PanelSubject] = {
    Fragment.MESSAGE: TOOL_CALLS,
    Fragment.USAGE: USAGE,
}
"""The feature that a part of a completion has whole: if it lacks it, nothing else has it."""
