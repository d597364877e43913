"""Tool calls: "the model may hallucinate fields or generate invalid JSON" (002)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from inspector.core.completion import ArgumentsState, Choice, ToolCall, known
from inspector.core.facts import Facts
from inspector.core.findings import Severity, Where
from inspector.core.notes import Oddity
from inspector.core.rules.rule import Remark, rule, times


def _calls(facts: Facts) -> Iterator[tuple[Choice, int, ToolCall]]:
    for choice in facts.choices if facts.is_read else ():
        for position, call in enumerate(choice.tool_calls):
            if call.type != "custom":
                yield choice, position, call


def _at(choice: Choice, position: int, rest: str) -> Where:
    return Where(pointer=f"/choices/{choice.index}/message/tool_calls/{position}{rest}")


def _name(call: ToolCall) -> str:
    return str(call.name) if known(call.name) else "a call without name"


def _arguments(facts: Facts, state: ArgumentsState, remark: str) -> Iterator[Remark]:
    for choice, position, call in _calls(facts):
        if call.arguments_state is state:
            yield (
                remark.format(name=_name(call), at=call.invalid_at),
                _at(choice, position, "/function/arguments"),
            )
    for choice in facts.choices if facts.is_read else ():
        legacy = choice.function_call
        if legacy is not None and legacy.arguments_state is state:
            name = str(legacy.name) if known(legacy.name) else "a call without name"
            where = Where(pointer=f"/choices/{choice.index}/message/function_call/arguments")
            yield remark.format(name=name, at=legacy.invalid_at), where


@rule("tool.arguments-invalid", Severity.ERROR)
def arguments_invalid(facts: Facts) -> Iterator[Remark]:
    """The arguments of a call are not valid JSON.
    Agents that parse them: the call cannot be made.
    """
    return _arguments(
        facts, ArgumentsState.INVALID, "The arguments of {name} break at character {at}."
    )


@rule("tool.arguments-truncated", Severity.ERROR, at_end=True)
def arguments_truncated(facts: Facts) -> Iterator[Remark]:
    """The arguments of a call end before the JSON does.
    Agents that parse them: the call cannot be made.
    """
    return _arguments(
        facts, ArgumentsState.TRUNCATED, "The arguments of {name} end before their JSON does."
    )


@rule("tool.arguments-empty", Severity.INFO, at_end=True)
def arguments_empty(facts: Facts) -> Iterator[Remark]:
    """A call has empty arguments, which is no JSON; some providers mean an empty object.
    Agents that parse them without looking.
    """
    return _arguments(facts, ArgumentsState.EMPTY, "The arguments of {name} are empty.")


@rule("tool.arguments-not-text", Severity.WARNING)
def arguments_not_text(facts: Facts) -> Iterator[Remark]:
    """Arguments were sent as an object where 002 promises text.
    Clients that parse them, or join them as text.
    """
    note = facts.notes.first(Oddity.OBJECT_ARGUMENTS)
    if note is not None:
        count = facts.notes.count(Oddity.OBJECT_ARGUMENTS)
        yield f"Arguments were sent as JSON, not as text{times(count)}.", note.where


@rule("tool.call-malformed", Severity.ERROR)
def call_malformed(facts: Facts) -> Iterator[Remark]:
    """A tool call is no object or has no function.
    Agents: there is nothing to call.
    """
    for note, count in facts.notes.by_subject(Oddity.BAD_CALL):
        what = (
            "A tool call is not an object"
            if note.subject == "tool call"
            else "A tool call has no function"
        )
        yield f"{what}{times(count)}.", note.where


@rule("tool.id-missing", Severity.WARNING)
def id_missing(facts: Facts) -> Iterator[Remark]:
    """A tool call has no id.
    Agents that send the result back under it.
    """
    for choice, position, call in _calls(facts):
        if not known(call.id) or not call.id:
            yield f"The call of {_name(call)} has no id.", _at(choice, position, "/id")


@rule("tool.id-repeated", Severity.WARNING)
def id_repeated(facts: Facts) -> Iterator[Remark]:
    """Two calls of one choice have the same id.
    Agents that send results back by id.
    """
    for choice in facts.choices if facts.is_read else ():
        ids = Counter(call.id for call in choice.tool_calls if known(call.id) and call.id)
        for id_, count in ids.items():
            if count > 1:
                yield f"{count} calls have the id {id_!r}.", _at(choice, 0, "/id")


@rule("tool.id-changed", Severity.WARNING)
def id_changed(facts: Facts) -> Iterator[Remark]:
    """A call's id changed between chunks; the last one holds.
    Clients that keep the first.
    """
    for note, count in facts.notes.by_subject(Oddity.CALL_ID_CHANGED):
        yield f"The id of call {note.subject} changed: {note.detail}{times(count)}.", note.where


@rule("tool.index-missing", Severity.WARNING)
def index_missing(facts: Facts) -> Iterator[Remark]:
    """A streamed tool call has no index; it is joined by id or position.
    Clients that join by index: they raise or mix up calls.
    """
    note = facts.notes.first(Oddity.CALL_INDEX_MISSING)
    if note is not None:
        count = facts.notes.count(Oddity.CALL_INDEX_MISSING)
        yield f"A streamed tool call has no index{times(count)}.", note.where
