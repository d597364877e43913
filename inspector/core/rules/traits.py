"""Properties of an answer that decide which rules are asked: a rule without its trait is silent."""

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from enum import StrEnum
from typing import Any

from msgspec import UNSET

from inspector.core.completion import ArgumentsState, BlockKind, Choice, Result, ToolCall
from inspector.core.fields import finish_reasons
from inspector.core.fields.service_tier import NAME as TIER
from inspector.core.formats.usage_table import CHAT_USAGE
from inspector.core.rule_context import RuleContext, has_finish_reason
from inspector.core.text.misread_encoding import may_be_misread
from inspector.core.text.template_markup import may_have_markup
from inspector.core.wire.exchange import Clock


class Trait(StrEnum):
    """A property that decides which rules run; framing, verdict, how the transport ended and
    anomalies are traits as well.
    """

    REQUEST_KNOWN = "the request is known"
    CALLS = "tools are called"
    CALL_UNUSUAL = "a call is not that of a function by name and id, with an object of arguments"
    TOOLS_KNOWN = "tools are called, and those that the request offers are known"
    WHOLE = "the answer came as one body"
    LOGPROBS = "there are logprobs"
    TIMES = "times are known"
    CONTENT_TYPE = "the content type is known"
    CODED = "the body is compressed"
    FRAGMENT = "the body is a part of an answer"
    FAULT = "the JSON is broken"
    LACKING = "a chunk lacks a field that others may have"
    FINISH_UNCOMMON = "a choice ended in another way than complete answers of the format do"
    THOUGHT_INLINE = "content begins with reasoning"
    MARKUP = "a text has signs of a template's markup"
    MISREAD = "a text has UTF-8 that was read as another encoding"
    REPLACED = "a text has a replacement character"
    PROVIDER_TIMES = "the provider states times"
    TIER = "a service tier is stated"
    USAGE = "usage is reported"
    NO_USAGE = "no usage is reported"
    COUNT_UNUSUAL = "usage lacks a count that all have, has one elsewhere, or is no chat's"
    USAGE_EXTRAS = "usage has members that are in no count"
    USAGE_ELSEWHERE = "usage stands at another place than in most answers"
    SUMS_BROKEN = "the counts of usage do not add up"
    SAID_AGAIN = "pieces of a text say again what came before"
    NO_ANSWER = "the body is an error, or no answer in a known format"
    NO_CHOICES = "the answer has no choices"
    NO_MESSAGE = "no choice has a message"
    IDENTITY_UNUSUAL = "a field that names the answer is missing, empty or of another type"
    ERROR_STATUS = "the status is that of an error"
    ROLE_UNUSUAL = "a choice has another role than the assistant's, or none"
    REASONING = "a choice has reasoning"
    REFUSAL = "a choice has a refusal"
    ANNOTATIONS = "a choice has annotations, or null in their place"
    HOSTED = "the provider ran a tool itself"
    SAYS_NOTHING = "a choice is empty"
    FILTERED = "a content filter tells of the answer or of the prompt"
    RATED = "a choice has a feedback token, a cost or a duration"
    ROUTED = "a choice has the finish reason of the provider behind a router"
    TOLD = "a program tells of the answer"
    RECONNECTION = "the stream tells clients how to reconnect"
    WIDE = "the body begins as UTF-16 does"


# Unix seconds from 2000 to 2100; a time outside was meant in another unit, or not meant at all.
CREATED_SECONDS = range(946_684_800, 4_102_444_800)
_FILTER_RESULTS = frozenset(
    {"content_filter_result", "content_filter_results", "error", "prompt_filter_results"}
)
# As in "get_weather".
_is_name = re.compile(r"[A-Za-z0-9_-]{1,64}").fullmatch
_RATINGS = frozenset({"cost_usd", "duration_seconds", "feedback_token"})


def traits_of(context: RuleContext) -> frozenset[str]:
    found = {trait for trait, holds in _answer_traits(context) if holds}
    for choice in context.choices:
        found |= {trait for trait, holds in _choice_traits(context, choice) if holds}
    found |= {trait for trait, holds in _text_traits(_texts_of(context)) if holds}
    how = (context.framing, context.verdict, context.outcome, str(context.transport_fault))
    return frozenset(found.union(context.notes.kinds, how))


def _answer_traits(context: RuleContext) -> tuple[tuple[Trait, object], ...]:
    signs, usage = context.signs, context.usage
    return (
        (Trait.REQUEST_KNOWN, context.request_params is not None),
        (Trait.TOOLS_KNOWN, context.tools is not None),
        (Trait.WHOLE, not context.streamed),
        (Trait.LOGPROBS, context.logprobs),
        (Trait.TIMES, context.timeline.clock is not Clock.NONE),
        (Trait.CONTENT_TYPE, context.content_type is not None),
        (Trait.CODED, context.coding is not None),
        (Trait.FRAGMENT, context.fragment is not None),
        (Trait.FAULT, context.fault is not None),
        (Trait.LACKING, context.lacking),
        (Trait.PROVIDER_TIMES, context.timeline.provider_clocks),
        (Trait.TIER, context.service_tier is not None or TIER in context.top),
        (Trait.USAGE, usage.reported),
        (Trait.NO_USAGE, not usage.reported),
        (Trait.COUNT_UNUSUAL, usage.reported and not _is_counted_as_usual(context)),
        (Trait.USAGE_EXTRAS, usage.extras),
        (Trait.USAGE_ELSEWHERE, usage.reported and usage.pointer != "/usage"),
        (Trait.SUMS_BROKEN, context.ledger.broken),
        (Trait.SAID_AGAIN, context.said_again),
        (Trait.NO_ANSWER, not context.is_answer or context.error_body is not UNSET),
        (Trait.NO_CHOICES, not context.choices),
        (Trait.NO_MESSAGE, not signs.message),
        (Trait.IDENTITY_UNUSUAL, not _is_named_as_usual(context)),
        (Trait.ERROR_STATUS, (context.status_code or 0) >= 400),
        (Trait.FILTERED, not _FILTER_RESULTS.isdisjoint(signs.choice | signs.top)),
        (Trait.RATED, not _RATINGS.isdisjoint(signs.choice)),
        (Trait.ROUTED, "native_finish_reason" in signs.choice),
        (Trait.TOLD, context.is_told),
        (Trait.RECONNECTION, context.last_event_id or context.retry_ms is not None),
        (Trait.WIDE, context.opening[:2] in (BOM_UTF16_LE, BOM_UTF16_BE)),
    )


def _is_named_as_usual(context: RuleContext) -> bool:
    sent = context.top.get
    fingerprint, created = sent("system_fingerprint"), sent("created")
    names = (sent("id"), sent("object"), sent("model"), "-" if fingerprint is None else fingerprint)
    is_named = all(names) and {name.__class__ for name in names} == {str}
    return is_named and created.__class__ is int and created in CREATED_SECONDS


def _is_counted_as_usual(context: RuleContext) -> bool:
    usage, table = context.usage, context.usage_table
    counts = [getattr(usage, name) for name in table.always]
    is_sent = UNSET not in counts and None not in counts
    return table is CHAT_USAGE and not usage.places and is_sent


def _choice_traits(context: RuleContext, choice: Choice) -> tuple[tuple[Trait, object], ...]:
    return (
        (Trait.CALLS, choice.tool_calls or choice.function_call),
        (Trait.CALL_UNUSUAL, choice.function_call or not all(map(_is_usual, choice.tool_calls))),
        (Trait.FINISH_UNCOMMON, not _is_finish_common(context, choice)),
        (Trait.THOUGHT_INLINE, choice.inline_reasoning),
        (Trait.REASONING, choice.reasoning),
        (Trait.REFUSAL, choice.refusal),
        (Trait.ANNOTATIONS, choice.annotations is not UNSET),
        (Trait.ROLE_UNUSUAL, choice.role != "assistant"),
        (Trait.SAYS_NOTHING, choice.result is Result.EMPTY),
        (Trait.HOSTED, any(block.kind is BlockKind.HOSTED for block in choice.blocks)),
    )


def _is_usual(call: ToolCall) -> bool:
    name, id_ = call.name, call.id
    is_named = isinstance(name, str) and isinstance(id_, str) and bool(id_ and _is_name(name))
    is_usable = call.arguments_state is ArgumentsState.VALID and call.arguments_cause is None
    return is_named and is_usable and call.type == "function" and not call.extras


def _is_finish_common(context: RuleContext, choice: Choice) -> bool:
    """Return True for a choice without a finish reason, or with one of complete answers."""
    if not has_finish_reason(choice.finish_reason):
        return True
    name = context.finish_name(choice)
    slug = context.dialect.slug if context.dialect else None
    return isinstance(name, str) and name in finish_reasons.common_in(slug)


def _texts_of(context: RuleContext) -> str:
    """The texts that readers get and the arguments of calls, a line end between them."""
    texts: list[Any] = []
    for choice in context.choices:
        texts += [block.text for block in choice.blocks]
        texts += [call.arguments_text for call in choice.tool_calls]
    return "\n".join(filter(None, texts))


def _text_traits(texts: str) -> tuple[tuple[Trait, bool], ...]:
    return (
        (Trait.MARKUP, may_have_markup(texts)),
        (Trait.MISREAD, may_be_misread(texts)),
        (Trait.REPLACED, "\ufffd" in texts),
    )
