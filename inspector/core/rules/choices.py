"""Choices and their messages."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.core.completion import Choice, known
from inspector.core.facts import Facts, is_finish
from inspector.core.findings import Severity, Where
from inspector.core.notes import Oddity
from inspector.core.rules.rule import Remark, rule, times


def _at(choice: Choice, name: str) -> Where:
    return Where(pointer=f"/choices/{choice.index}/{name}")


def _read(facts: Facts) -> tuple[Choice, ...]:
    return facts.choices if facts.is_read else ()


@rule("choice.index-missing", Severity.WARNING)
def index_missing(facts: Facts) -> Iterator[Remark]:
    """A choice has no index; it is read as 0.
    Clients that put choices together by index.
    """
    for note, count in facts.notes.by_subject(Oddity.CHOICE_INDEX_MISSING):
        yield f"A choice has no index and is read as 0{times(count)}.", note.where


@rule("choice.index-malformed", Severity.WARNING)
def index_malformed(facts: Facts) -> Iterator[Remark]:
    """The index of a choice or tool call is no whole number of zero or more.
    Clients that use it as a position.
    """
    for note, count in facts.notes.by_subject(Oddity.BAD_INDEX):
        yield f"The index of a {note.subject} is not a position{times(count)}.", note.where


@rule("choice.index-repeated", Severity.WARNING)
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
    choices = _read(facts)
    if choices and choices[-1].index >= len(choices):
        yield (
            f"{len(choices)} choices, but an index of {choices[-1].index:,}.",
            _at(choices[-1], "index"),
        )


@rule("choice.finish-malformed", Severity.WARNING)
def finish_malformed(facts: Facts) -> Iterator[Remark]:
    """``finish_reason`` is not text (002 types it as an object, yet gives only texts).
    Typed clients.
    """
    for choice in _read(facts):
        reason = choice.finish_reason
        if is_finish(reason) and not isinstance(reason, str):
            yield (
                f"The finish reason is {type(reason).__name__}, not text.",
                _at(choice, "finish_reason"),
            )


@rule("choice.finish-unknown", Severity.INFO)
def finish_unknown(facts: Facts) -> Iterator[Remark]:
    """A finish reason that neither the documents nor the vendor are known to use (003 allows any).
    Clients with a closed list of reasons.
    """
    for choice in _read(facts):
        reason = choice.finish_reason
        if is_finish(reason) and isinstance(reason, str) and reason not in facts.finish_reasons:
            yield f"Choice {choice.index} ended with {reason!r}.", _at(choice, "finish_reason")


@rule("choice.finish-length", Severity.INFO)
def finish_length(facts: Facts) -> Iterator[Remark]:
    """A choice reached its length limit.
    Whoever takes the text for the whole answer.
    """
    for choice in _read(facts):
        if choice.finish_reason == "length":
            yield f"Choice {choice.index} reached its length limit.", _at(choice, "finish_reason")


@rule("choice.finish-mismatch", Severity.WARNING)
def finish_mismatch(facts: Facts) -> Iterator[Remark]:
    """The finish reason says tool calls and there are none.
    Agents that then run the first tool call.
    """
    for choice in _read(facts):
        if choice.finish_reason == "tool_calls" and not choice.tool_calls:
            yield f"Choice {choice.index} calls no tool, yet says so.", _at(choice, "finish_reason")


@rule("choice.finish-repeated", Severity.INFO)
def finish_repeated(facts: Facts) -> Iterator[Remark]:
    """A choice got a finish reason more than once; the last one holds.
    Clients that stop at the first.
    """
    for note, count in facts.notes.by_subject(Oddity.FINISH_REPEATED):
        yield f"Choice {note.subject} finished again{times(count)}.", note.where


@rule("choice.content-after-finish", Severity.WARNING)
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
    for choice in _read(facts):
        texts = (choice.content, choice.text, choice.reasoning, choice.refusal)
        said = any(known(text) and text for text in texts)
        called = choice.tool_calls or choice.function_call is not None
        if is_finish(choice.finish_reason) and not said and not called:
            yield f"Choice {choice.index} says nothing.", Where(pointer=f"/choices/{choice.index}")


@rule("message.malformed", Severity.WARNING)
def message_malformed(facts: Facts) -> Iterator[Remark]:
    """The message or delta of a choice is not an object.
    Clients that read a field of it.
    """
    for note, count in facts.notes.by_subject(Oddity.BAD_DELTA):
        yield f"A {note.subject} is not an object{times(count)}.", note.where


@rule("message.missing", Severity.WARNING, at_end=True)
def message_missing(facts: Facts) -> Iterator[Remark]:
    """A choice of a chat answer has no message.
    Clients that read choices[0].message.
    """
    if facts.object != "chat.completion" or facts.signs.message or not facts.choices:
        return
    if not facts.notes.count(Oddity.BAD_DELTA):
        yield "No choice holds a message or delta.", Where(pointer="/choices/0")


@rule("message.field-malformed", Severity.WARNING)
def field_malformed(facts: Facts) -> Iterator[Remark]:
    """Content, text, reasoning, refusal or calls of a type that no document gives them.
    Clients that join or show them.
    """
    for note, count in facts.notes.by_subject(Oddity.BAD_CONTENT):
        yield f"{note.subject} is of a wrong type{times(count)}.", note.where


@rule("message.role-unexpected", Severity.WARNING)
def role_unexpected(facts: Facts) -> Iterator[Remark]:
    """The role is another than "assistant".
    Clients that append the message to the conversation.
    """
    for choice in _read(facts):
        if known(choice.role) and choice.role not in ("assistant", ""):
            yield (
                f"Choice {choice.index} has the role {choice.role!r}.",
                _at(choice, "message/role"),
            )


@rule("message.role-changed", Severity.WARNING)
def role_changed(facts: Facts) -> Iterator[Remark]:
    """The role of a choice changed between chunks; the first one holds.
    Clients that keep the last.
    """
    for note, count in facts.notes.by_subject(Oddity.ROLE_CHANGED):
        yield f"The role of choice {note.subject} changed: {note.detail}{times(count)}.", note.where


@rule("message.in-stream", Severity.WARNING)
def message_in_stream(facts: Facts) -> Iterator[Remark]:
    """A chunk holds a whole message where a delta is due (003: message or delta, by form).
    Clients that read the delta only.
    """
    note = facts.notes.first(Oddity.FOREIGN_CHUNK)
    if facts.streamed and note is not None:
        count = facts.notes.count(Oddity.FOREIGN_CHUNK)
        yield f"A chunk holds message where delta is due{times(count)}.", note.where
    note = facts.notes.first(Oddity.MESSAGE_BESIDE_DELTA)
    if note is not None:
        count = facts.notes.count(Oddity.MESSAGE_BESIDE_DELTA)
        yield f"A chunk repeats as message what its delta says{times(count)}.", note.where
