"""Choices: their indexes, how many there are, and how each of them finished."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from inspector.core.completion import Choice, Json
from inspector.core.cursor import shorten
from inspector.core.facts import Facts, Trait, is_finish
from inspector.core.findings import Severity, Where
from inspector.core.notes import Oddity
from inspector.core.rules.rule import Remark, in_choice, read_choices, rule, times

FAILURES = frozenset({"error", "insufficient_system_resource"})
"""Finish reasons that say that the provider failed (OpenRouter, Mistral, DeepSeek)."""


@rule("choice.index-missing", Severity.WARNING, when=Oddity.CHOICE_INDEX_MISSING)
def index_missing(facts: Facts) -> Iterator[Remark]:
    """A choice has no index; it is read as 0, in a whole answer as its position.
    Clients that put choices together by index.
    """
    for note, count in facts.notes.by_subject(Oddity.CHOICE_INDEX_MISSING):
        instead = "0" if facts.streamed else "its position"
        yield f"A choice has no index and is read as {instead}{times(count)}.", note.where


@rule("choice.index-malformed", Severity.WARNING, when=Oddity.BAD_INDEX)
def index_malformed(facts: Facts) -> Iterator[Remark]:
    """The index of a choice or tool call is no whole number of zero or more.
    Clients that use it as a position.
    """
    for note, count in facts.notes.by_subject(Oddity.BAD_INDEX):
        yield f"The index of a {note.subject} is not a position{times(count)}.", note.where


@rule("choice.index-repeated", Severity.WARNING, when=Oddity.REPEATED_INDEX)
def index_repeated(facts: Facts) -> Iterator[Remark]:
    """Two choices of one answer have the same index.
    Clients that put choices together by index: one replaces the other.
    """
    note = facts.notes.first(Oddity.REPEATED_INDEX)
    if note is not None:
        yield f"An index stands twice{times(facts.notes.count(Oddity.REPEATED_INDEX))}.", note.where


@rule("choice.index-gap", Severity.WARNING, at_end=True)
def index_gap(facts: Facts) -> Iterator[Remark]:
    """The indexes of the choices leave some out.
    Clients that size a list by the index.
    """
    choices = read_choices(facts)
    if choices and choices[-1].index >= len(choices):
        message = f"{len(choices)} choices, but an index of {choices[-1].index:,}."
        yield message, in_choice(facts, choices[-1], "index")


def _finished(facts: Facts) -> Iterator[tuple[Choice, Json, Where]]:
    """Every choice with a finish reason that says something, that reason and where it stands."""
    for choice in read_choices(facts):
        if is_finish(choice.finish_reason):
            yield choice, choice.finish_reason, in_choice(facts, choice, "finish_reason")


@rule("choice.finish-malformed", Severity.WARNING)
def finish_malformed(facts: Facts) -> Iterator[Remark]:
    """``finish_reason`` is not text (002 types it as an object, yet gives only texts).
    Typed clients.
    """
    for _, reason, where in _finished(facts):
        if not isinstance(reason, str):
            yield f"The finish reason is {type(reason).__name__}, not text.", where


@rule("choice.finish-unknown", Severity.INFO)
def finish_unknown(facts: Facts) -> Iterator[Remark]:
    """A finish reason that neither the documents nor the vendor are known to use (003 allows any).
    Clients with a closed list of reasons.
    """
    for choice, reason, where in _finished(facts):
        if isinstance(reason, str) and reason not in facts.finish_reasons:
            yield f"Choice {choice.index} ended with {shorten(reason)!r}.", where


@rule("choice.finish-length", Severity.INFO)
def finish_length(facts: Facts) -> Iterator[Remark]:
    """A choice reached its length limit.
    Whoever takes the text for the whole answer.
    """
    for choice, reason, where in _finished(facts):
        if reason == "length":
            yield f"Choice {choice.index} reached its length limit.", where


@rule("choice.finish-filtered", Severity.INFO)
def finish_filtered(facts: Facts) -> Iterator[Remark]:
    """A content filter ended a choice.
    Whoever takes the text for the whole answer.
    """
    for choice, reason, where in _finished(facts):
        if reason == "content_filter":
            yield f"A content filter ended choice {choice.index}.", where


@rule("choice.finish-failed", Severity.WARNING)
def finish_failed(facts: Facts) -> Iterator[Remark]:
    """A choice ended because the provider failed while it answered.
    Whoever takes the text for the whole answer.
    """
    for choice, reason, where in _finished(facts):
        if isinstance(reason, str) and reason in FAILURES:
            yield f"Choice {choice.index} ended with {reason}: the provider failed.", where


@rule("choice.finish-stop-with-calls", Severity.INFO)
def finish_stop_with_calls(facts: Facts) -> Iterator[Remark]:
    """A choice calls tools and its finish reason is "stop", where 002 and 003 have "tool_calls".
    Agents that run tools on "tool_calls" only: they end the turn.
    """
    for choice, reason, where in _finished(facts):
        if reason == "stop" and choice.tool_calls:
            count = len(choice.tool_calls)
            calls = "a tool" if count == 1 else f"{count:,} tools"
            yield f"Choice {choice.index} calls {calls} and ended with stop.", where


@rule("choice.finish-mismatch", Severity.WARNING)
def finish_mismatch(facts: Facts) -> Iterator[Remark]:
    """The finish reason says tool calls and there are none.
    Agents that then run the first tool call.
    """
    for choice, reason, where in _finished(facts):
        if reason == "tool_calls" and not choice.tool_calls:
            yield f"Choice {choice.index} calls no tool, yet says so.", where


@rule("choice.finish-repeated", Severity.INFO, when=Oddity.FINISH_REPEATED)
def finish_repeated(facts: Facts) -> Iterator[Remark]:
    """A choice got a finish reason more than once; the last one holds.
    Clients that stop at the first.
    """
    for note, count in facts.notes.by_subject(Oddity.FINISH_REPEATED):
        yield f"Choice {note.subject} finished again{times(count)}.", note.where


@rule("choice.content-after-finish", Severity.WARNING, when=Oddity.CONTENT_AFTER_FINISH)
def content_after_finish(facts: Facts) -> Iterator[Remark]:
    """Text or arguments came after the finish reason.
    Clients that stop at the finish reason: they lose it.
    """
    for note, count in facts.notes.by_subject(Oddity.CONTENT_AFTER_FINISH):
        yield f"Choice {note.subject} went on after its finish reason{times(count)}.", note.where


@rule("choice.says-nothing", Severity.INFO)
def says_nothing(facts: Facts) -> Iterator[Remark]:
    """A finished choice holds no text, reasoning, refusal or call.
    Whoever shows it.
    """
    for choice in read_choices(facts):
        if is_finish(choice.finish_reason) and not choice.says_something:
            yield (
                f"Choice {choice.index} says nothing.",
                Where(pointer=facts.pointer_of(choice.index)),
            )


@rule("choice.fewer-than-asked", Severity.WARNING, at_end=True, when=Trait.ASKED)
def fewer_than_asked(facts: Facts) -> Iterator[Remark]:
    """The request asks for more choices than came (000 and 001: one for each of n).
    Clients that read choices[n - 1].
    """
    count = len(read_choices(facts))
    if facts.asked is not None and 0 < count < facts.asked.choices:
        message = f"The request asks for {facts.asked.choices:,} choices, {count:,} came."
        yield message, Where(pointer="/choices")


@rule("choice.index-not-position", Severity.INFO, when=Oddity.INDEX_NOT_POSITION)
def index_not_position(facts: Facts) -> Iterator[Remark]:
    """The index of a choice is not its position in the list, which 000 says it is.
    Clients that take choices[0] for the choice of index 0.
    """
    note = facts.notes.first(Oddity.INDEX_NOT_POSITION)
    if facts.is_read and note is not None:
        count = facts.notes.count(Oddity.INDEX_NOT_POSITION)
        yield f"An index is not the position in the list{times(count)}.", note.where


@rule("choice.text-missing", Severity.WARNING, at_end=True)
def text_missing(facts: Facts) -> Iterator[Remark]:
    """A choice of a legacy completion has no text (004 has it always).
    Clients that read choices[0].text.
    """
    for choice in read_choices(facts) if facts.object == "text_completion" else ():
        if choice.text is UNSET:
            yield f"Choice {choice.index} has no text.", in_choice(facts, choice, "text")
