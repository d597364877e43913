"""Rules about choices: their indexes, their number, and how each of them finished."""

from collections.abc import Iterator

from msgspec import UNSET

from inspector.core.completion import Choice, Result
from inspector.core.fields.finish_reasons import ORDINARY, is_model_end, meaning_of, result_of
from inspector.core.findings import Severity, Where, shorten
from inspector.core.fold.anomalies import Anomaly
from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.core.json import Json
from inspector.core.json.type_words import type_word
from inspector.core.rule_context import RuleContext, has_finish_reason
from inspector.core.rules.rule import (
    CHAT_FAMILY,
    Remark,
    at_finish,
    in_choice,
    read_choices,
    rule,
    times,
)
from inspector.core.rules.traits import Trait

COUNTS_CHOICES = CHAT_FAMILY | {"gemini"}
"""The formats of which a request may ask for several choices."""
NAMES_CALLS = CHAT_FAMILY | {"anthropic"}
"""The formats that have a finish reason of their own for calls."""


@rule(
    "choice.index-missing", Severity.WARNING, formats=CHAT_FAMILY, when=Anomaly.CHOICE_INDEX_MISSING
)
def index_missing(context: RuleContext) -> Iterator[Remark]:
    """A choice has no index; it is read as 0, in a complete answer as its position.
    Clients that assemble choices by index fail or merge them.
    """
    for note, count in context.notes.by_subject(Anomaly.CHOICE_INDEX_MISSING):
        instead = "0" if context.streamed else "its position"
        yield f"A choice has no index; it is read as {instead}{times(count)}.", note.where


@rule("choice.index-malformed", Severity.WARNING, formats=CHAT_FAMILY, when=Anomaly.BAD_INDEX)
def index_malformed(context: RuleContext) -> Iterator[Remark]:
    """The index of a choice or tool call is not a whole number of 0 or more.
    Clients that use it as a position fail.
    """
    for note, count in context.notes.by_subject(Anomaly.BAD_INDEX):
        is_none = f"is {note.detail}, not a whole number of 0 or more"
        yield f"The index of a {note.subject} {is_none}{times(count)}.", note.where


@rule("choice.index-repeated", Severity.WARNING, formats=CHAT_FAMILY, when=Anomaly.REPEATED_INDEX)
def index_repeated(context: RuleContext) -> Iterator[Remark]:
    """Two choices of one answer have the same index.
    Clients that assemble choices by index overwrite one with the other.
    """
    note = context.notes.first(Anomaly.REPEATED_INDEX)
    if note is not None:
        yield (
            f"Two choices have the same index{times(context.notes.count(Anomaly.REPEATED_INDEX))}.",
            note.where,
        )


@rule("choice.index-gap", Severity.WARNING, formats=CHAT_FAMILY, at_end=True)
def index_gap(context: RuleContext) -> Iterator[Remark]:
    """The indexes of the choices skip some numbers.
    Clients that size a list by the index fail.
    """
    choices = read_choices(context)
    if choices and choices[-1].index >= len(choices):
        message = f"The answer has {len(choices)} choices, but one has index {choices[-1].index:,}."
        yield message, in_choice(context, choices[-1], "index")


def _finished(context: RuleContext) -> Iterator[tuple[Choice, Json]]:
    """Yield every choice that has a finish reason, with the reason."""
    for choice in read_choices(context):
        if has_finish_reason(choice.finish_reason):
            yield choice, choice.finish_reason


@rule("choice.finish-malformed", Severity.WARNING, when=Trait.FINISH_UNCOMMON)
def finish_malformed(context: RuleContext) -> Iterator[Remark]:
    """``finish_reason`` is not a text.
    Typed clients fail.
    """
    for choice, reason in _finished(context):
        if not isinstance(context.finish_name(choice), str):
            message = f"The finish reason is {type_word(reason)}, not a text."
            yield message, at_finish(context, choice)


TOLD_BY_OTHERS = frozenset(
    {FinishMeaning.FAILED, FinishMeaning.FILTERED, FinishMeaning.LENGTH, FinishMeaning.CONTEXT}
)
"""Meanings that findings of their own say, whoever spells them."""


@rule("choice.finish-unknown", Severity.INFO, when=Trait.FINISH_UNCOMMON)
def finish_unknown(context: RuleContext) -> Iterator[Remark]:
    """A finish reason that neither the references nor the vendor are known to use.
    Clients with a closed list of reasons fail.
    """
    for choice, reason in _finished(context):
        name = context.finish_name(choice)
        is_known = not isinstance(name, str) or name in context.finish_reasons
        if not is_known and meaning_of(name) not in TOLD_BY_OTHERS:
            yield (
                f"Choice {choice.index} ended with the unknown finish reason {shorten(reason)!r}.",
                at_finish(context, choice),
            )


@rule("choice.finish-length", Severity.INFO, when=Trait.FINISH_UNCOMMON)
def finish_length(context: RuleContext) -> Iterator[Remark]:
    """A choice hit its length limit (max_tokens), or the limit of the model's context.
    Readers take a truncated text for the full answer.
    """
    for choice, _ in _finished(context):
        meaning = meaning_of(context.finish_name(choice))
        where = at_finish(context, choice)
        if meaning is FinishMeaning.CONTEXT:
            yield f"Choice {choice.index} hit the limit of the model's context.", where
        elif meaning is FinishMeaning.LENGTH:
            yield f"Choice {choice.index} hit max_tokens.", where


@rule("choice.finish-filtered", Severity.INFO, when=Trait.FINISH_UNCOMMON)
def finish_filtered(context: RuleContext) -> Iterator[Remark]:
    """A content filter ended a choice.
    Readers take a truncated text for the full answer.
    """
    for choice, _ in _finished(context):
        if result_of(context.finish_name(choice)) is Result.FILTERED:
            where = at_finish(context, choice)
            yield f"Choice {choice.index} was ended by a content filter.", where


@rule("choice.finish-failed", Severity.WARNING, when=Trait.FINISH_UNCOMMON)
def finish_failed(context: RuleContext) -> Iterator[Remark]:
    """A choice ended because the provider failed while it answered.
    Readers take a truncated text for the full answer.
    """
    for choice, reason in _finished(context):
        if result_of(context.finish_name(choice)) is Result.ERROR:
            yield (
                f"Choice {choice.index} ended with finish reason {reason}: the provider failed.",
                at_finish(context, choice),
            )


@rule("choice.finish-stop-with-calls", Severity.INFO, formats=NAMES_CALLS, when=Trait.CALLS)
def finish_stop_with_calls(context: RuleContext) -> Iterator[Remark]:
    """A choice calls tools, but its finish reason is "stop" ("end_turn"), not "tool_calls".
    Agents that run tools only on "tool_calls" ("tool_use") end the turn.
    """
    for choice, reason in _finished(context):
        if is_model_end(reason) and choice.tool_calls:
            count = len(choice.tool_calls)
            calls = "a tool" if count == 1 else f"{count:,} tools"
            message = f"Choice {choice.index} calls {calls} but ended with finish reason {reason}."
            yield message, at_finish(context, choice)


@rule("choice.finish-mismatch", Severity.WARNING, formats=NAMES_CALLS)
def finish_mismatch(context: RuleContext) -> Iterator[Remark]:
    """The finish reason is "tool_calls" ("tool_use"), but the choice has no tool call.
    Agents that then run the first tool call fail.
    """
    for choice, reason in (
        _finished(context) if not context.notes.count(Anomaly.NOT_PRINTED) else ()
    ):
        if meaning_of(reason) is FinishMeaning.CALLED and not choice.tool_calls:
            yield (
                f"Choice {choice.index} ended with finish reason {reason} but has no tool call.",
                at_finish(context, choice),
            )


@rule("choice.finish-repeated", Severity.INFO, when=Anomaly.FINISH_REPEATED)
def finish_repeated(context: RuleContext) -> Iterator[Remark]:
    """A choice got a finish reason more than once; the last one is used.
    Clients that stop at the first one miss what follows.
    """
    for note, count in context.notes.by_subject(Anomaly.FINISH_REPEATED):
        yield f"Choice {note.subject} got another finish reason{times(count)}.", note.where


@rule("choice.content-after-finish", Severity.WARNING, when=Anomaly.CONTENT_AFTER_FINISH)
def content_after_finish(context: RuleContext) -> Iterator[Remark]:
    """Text or arguments came after the finish reason.
    Clients that stop at the finish reason lose it.
    """
    for note, count in context.notes.by_subject(Anomaly.CONTENT_AFTER_FINISH):
        yield f"Choice {note.subject} continued after its finish reason{times(count)}.", note.where


@rule("choice.says-nothing", Severity.WARNING, when=Trait.SAYS_NOTHING)
def says_nothing(context: RuleContext) -> Iterator[Remark]:
    """A choice has no text, tool call, refusal, audio or image; reasoning and white space are none.
    The user sees an empty answer.
    """
    for choice in read_choices(context) if context.fragment is None else ():
        if choice.result is Result.EMPTY:
            reason = context.finish_name(choice)
            is_told = isinstance(reason, str) and meaning_of(reason) not in {*ORDINARY, None}
            ended = f"ended with {shorten(reason)} and " if is_told else ""
            yield (
                f"Choice {choice.index} {ended}is empty: it has no text, tool call or refusal.",
                Where(pointer=context.pointer_of(choice.index)),
            )


@rule(
    "choice.fewer-than-asked",
    Severity.WARNING,
    formats=COUNTS_CHOICES,
    at_end=True,
    when=Trait.REQUEST_KNOWN,
)
def fewer_than_asked(context: RuleContext) -> Iterator[Remark]:
    """The answer has fewer choices than the request asks for with n.
    Clients that read choices[n - 1] fail.
    """
    count = len(read_choices(context))
    if context.request_params is not None and 0 < count < context.request_params.choices:
        wanted = f"{context.request_params.choices:,}"
        message = f"The request asks for {wanted} choices; the answer has {count:,}."
        yield message, Where(pointer=context.choices_pointer)


@rule("choice.more-than-asked", Severity.WARNING, formats=COUNTS_CHOICES, when=Trait.REQUEST_KNOWN)
def more_than_asked(context: RuleContext) -> Iterator[Remark]:
    """The answer has more choices than the request asks for with n.
    Clients that read choices[0] pay for choices that they never see.
    """
    count = len(read_choices(context))
    if context.request_params is not None and count > context.request_params.choices:
        wanted = context.request_params.choices
        choices = "1 choice" if wanted == 1 else f"{wanted:,} choices"
        yield (
            f"The request asks for {choices}; the answer has {count:,}.",
            Where(pointer=context.choices_pointer),
        )


@rule(
    "choice.index-not-position", Severity.INFO, formats=CHAT_FAMILY, when=Anomaly.INDEX_NOT_POSITION
)
def index_not_position(context: RuleContext) -> Iterator[Remark]:
    """A choice's index is not its position in the list, as WorkflowAI's reference defines it.
    Clients that take choices[0] for the choice with index 0 show another one.
    """
    note = context.notes.first(Anomaly.INDEX_NOT_POSITION)
    if context.is_answer and note is not None:
        count = context.notes.count(Anomaly.INDEX_NOT_POSITION)
        yield f"The index of a choice is not its position in the list{times(count)}.", note.where


@rule("choice.text-missing", Severity.WARNING, formats=CHAT_FAMILY, at_end=True)
def text_missing(context: RuleContext) -> Iterator[Remark]:
    """A choice has no text, which OpenAI's completions reference requires.
    Clients that read choices[0].text fail.
    """
    for choice in read_choices(context) if context.object == "text_completion" else ():
        if choice.text is UNSET:
            yield f"Choice {choice.index} has no text.", in_choice(context, choice, "text")
