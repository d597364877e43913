"""Rules about what a single vendor promises, beyond the documents."""

from collections.abc import Iterator, Mapping

from msgspec import UNSET

from inspector.core.completion import Choice, known, list_or_empty
from inspector.core.findings import Severity, Where, shorten
from inspector.core.json import Json
from inspector.core.json.pointer import escape_step, pointer_to
from inspector.core.json.type_words import type_word
from inspector.core.rule_context import MAX_QUOTED, RuleContext, has_finish_reason
from inspector.core.rules.rule import FILTER_RESULTS, Remark, in_choice, read_choices, rule
from inspector.core.rules.traits import Trait

OLDER_FILTER_RESULT = "/content_filter_result"
OF_A_REFUSED_PROMPT = ("error", "innererror", "content_filter_result")
NATIVE_REASON = "/native_finish_reason"
NATIVE_MEANS: Mapping[str, frozenset[str]] = {
    "stop": frozenset({"stop", "tool_calls"}),
    "completed": frozenset({"stop", "tool_calls"}),
    "end_turn": frozenset({"stop", "tool_calls"}),
    "stop_sequence": frozenset({"stop"}),
    "eos": frozenset({"stop", "tool_calls"}),
    "tool_calls": frozenset({"tool_calls"}),
    "tool_use": frozenset({"tool_calls"}),
    "length": frozenset({"length"}),
    "max_tokens": frozenset({"length"}),
    "max_output_tokens": frozenset({"length"}),
    "content_filter": frozenset({"content_filter"}),
    "safety": frozenset({"content_filter"}),
    "refusal": frozenset({"content_filter"}),
    "error": frozenset({"error"}),
    "malformed_function_call": frozenset({"error"}),
}
"""Makers' finish reasons in lower case, each with those that a router may turn it into. Some makers
use one reason for turns with and without tool calls.
"""
WORKFLOWAI = frozenset({"workflowai"})
OWN_FIELDS = ("feedback_token", "cost_usd", "duration_seconds")

Category = tuple[str, Mapping[str, Json]]
"""A category of a content filter, with its entry."""


@rule("vendor.filter-triggered", Severity.INFO, when=Trait.FILTERED)
def filter_triggered(context: RuleContext) -> Iterator[Remark]:
    """A content filter matched in the answer or in the prompt (Azure).
    The answer may be short or missing.
    """
    for what, pointer, results in _filter_results(context):
        found = [name for name, entry in _categories(results) if entry.get("filtered") is True]
        if found:
            names = ", ".join(shorten(name) for name in found[:5])
            place = Where(pointer=f"{pointer}/{escape_step(found[0])}")
            yield f"The content filter blocked {what}: {names}.", place
        for name, entry in _categories(results):
            if entry.get("detected") is True and entry.get("filtered") is not True:
                place = Where(pointer=f"{pointer}/{escape_step(name)}")
                yield f"The content filter found {shorten(name)} in {what} and let it pass.", place


@rule("vendor.filter-failed", Severity.WARNING, when=Trait.FILTERED)
def filter_failed(context: RuleContext) -> Iterator[Remark]:
    """The content filter could not check the answer or the prompt (Azure).
    Nothing was filtered.
    """
    for what, pointer, results in _filter_results(context):
        error = results.get("error")
        if error:
            code = error.get("code") if isinstance(error, dict) else error
            words = error.get("message") if isinstance(error, dict) else None
            said = f": {shorten(words, MAX_QUOTED)}" if words else "."
            message = f"The content filter could not check {what}: {shorten(code)}{said}"
            yield message, Where(pointer=f"{pointer}/error")


def _filter_results(context: RuleContext) -> Iterator[tuple[str, str, Mapping[str, Json]]]:
    for choice in read_choices(context):
        for member in (FILTER_RESULTS, OLDER_FILTER_RESULT):
            if member in choice.extras and isinstance(results := choice.extras[member], dict):
                pointer = f"{context.pointer_of(choice.index)}{member}"
                yield f"choice {choice.index}", pointer, results
    if "prompt_filter_results" in context.top:
        yield from _results_of_prompts(list_or_empty(context.top["prompt_filter_results"]))
    if OF_A_REFUSED_PROMPT[0] in context.top:
        refused: Json = context.top
        for name in OF_A_REFUSED_PROMPT:
            refused = refused.get(name) if isinstance(refused, Mapping) else None
        if isinstance(refused, dict):
            yield "the prompt", pointer_to(OF_A_REFUSED_PROMPT), refused


def _results_of_prompts(prompts: list[Json]) -> Iterator[tuple[str, str, Mapping[str, Json]]]:
    for position, prompt in enumerate(prompts):
        results = prompt.get("content_filter_results") if isinstance(prompt, dict) else None
        if isinstance(results, dict):
            pointer = f"/prompt_filter_results/{position}{FILTER_RESULTS}"
            yield "the prompt", pointer, results


def _categories(results: Mapping[str, Json]) -> Iterator[Category]:
    return ((name, entry) for name, entry in results.items() if isinstance(entry, dict))


@rule("vendor.native-finish-differs", Severity.INFO, when=Trait.ROUTED)
def native_finish_differs(context: RuleContext) -> Iterator[Remark]:
    """The router's finish reason differs from that of the provider behind it (OpenRouter).
    Clients that use one of them may decide wrongly.
    """
    for choice in read_choices(context):
        native, reason = choice.extras.get(NATIVE_REASON), choice.finish_reason
        if not isinstance(native, str) or not isinstance(reason, str) or not reason:
            continue
        if reason not in NATIVE_MEANS.get(native.lower(), {reason}):
            where = in_choice(context, choice, "native_finish_reason")
            text = f"with {shorten(reason)}; the provider behind the router sent {shorten(native)}"
            yield f"Choice {choice.index} ended {text}.", where


@rule("vendor.workflowai-fields", Severity.WARNING, at_end=True, formats=WORKFLOWAI)
def workflowai_fields(context: RuleContext) -> Iterator[Remark]:
    """A finished choice has no feedback token, cost or duration (WorkflowAI's reference has all).
    Costs are missing, or users cannot rate the answer.
    """
    for choice in read_choices(context):
        lacks = [name for name in OWN_FIELDS if not _has(choice, name)]
        if lacks and has_finish_reason(choice.finish_reason):
            where = in_choice(context, choice, lacks[0])
            yield f"Choice {choice.index} has no {' and no '.join(lacks)}.", where


def _has(choice: Choice, name: str) -> bool:
    """True if the field is there. Null counts: the cost is unknown for models without a price. A
    value of a wrong type counts too; it has a finding of its own.
    """
    return f"/{name}" in choice.extras or getattr(choice, name) is not UNSET


@rule("vendor.workflowai-malformed", Severity.WARNING, when=Trait.RATED)
def workflowai_malformed(context: RuleContext) -> Iterator[Remark]:
    """A feedback token is null, empty or no text, or a cost or duration is null or no number.
    Users cannot rate the answer, or typed clients fail.
    """
    for choice in read_choices(context):
        token, duration = choice.feedback_token, choice.extras.get("/duration_seconds", UNSET)
        own = (token, choice.cost_usd, choice.duration_seconds)
        if None in own:
            nulls = [name for name, value in zip(OWN_FIELDS, own, strict=True) if value is None]
            where = in_choice(context, choice, nulls[0])
            yield f"{' and '.join(nulls)} of choice {choice.index} is null.", where
        if token == "":
            where = in_choice(context, choice, "feedback_token")
            yield f"The feedback token of choice {choice.index} is empty.", where
        elif known(token) and not isinstance(token, str):
            where = in_choice(context, choice, "feedback_token")
            word = type_word(token)
            yield f"The feedback token of choice {choice.index} is {word}, not a text.", where
        if duration is not UNSET:
            where = in_choice(context, choice, "duration_seconds")
            word = type_word(duration)
            yield f"duration_seconds of choice {choice.index} is {word}, not a number.", where
