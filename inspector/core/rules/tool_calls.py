"""Rules about tool calls: "the model may hallucinate fields or generate invalid JSON"
(the reasoning reference).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from inspector.core.completion import (
    ArgumentsCause,
    ArgumentsState,
    Choice,
    FunctionCall,
    SchemaRemarkKind,
    ToolCall,
    known,
)
from inspector.core.findings import Severity, Where, shorten
from inspector.core.fold.anomalies import Anomaly
from inspector.core.rule_context import RuleContext, Trait
from inspector.core.rules.rule import CHAT_FAMILY, Remark, rule, times
from inspector.core.tool_calls.arguments import STATE_WORDS
from inspector.core.tool_calls.tool_definitions import ToolDefinitions

MOST_NAMES = 5
MALFORMED: Mapping[str, str] = {
    "tool call": "A tool call is not an object",
    "function": "A tool call has no function",
    "input": "The input of a custom tool call is not a text",
}

PlacedCall = tuple[ToolCall | FunctionCall, str]
"""A call, and the JSON Pointer of the object with its name."""


def _calls(context: RuleContext) -> Iterator[tuple[Choice, int, ToolCall]]:
    for choice in context.choices if context.is_read else ():
        for position, call in enumerate(choice.tool_calls):
            yield choice, position, call


def _functions(context: RuleContext) -> Iterator[PlacedCall]:
    """Yield all function calls, the deprecated ones included."""
    for choice, position, call in _calls(context):
        if call.arguments_state is not ArgumentsState.FREE_TEXT:
            yield call, f"{_pointer(context, choice, position)}/function"
    for choice in context.choices if context.is_read else ():
        if choice.function_call is not None and not choice.function_call.is_empty:
            yield choice.function_call, f"{context.pointer_of(choice.index)}/message/function_call"


def _custom_calls(context: RuleContext) -> Iterator[PlacedCall]:
    for choice, position, call in _calls(context):
        if call.arguments_state is ArgumentsState.FREE_TEXT:
            yield call, _pointer(context, choice, position)


def _pointer(context: RuleContext, choice: Choice, position: int) -> str:
    return f"{context.pointer_of(choice.index)}/message/tool_calls/{position}"


def _at(context: RuleContext, choice: Choice, position: int, rest: str) -> Where:
    return Where(pointer=f"{_pointer(context, choice, position)}{rest}")


def _name(call: ToolCall | FunctionCall) -> str:
    return shorten(call.name) if known(call.name) else "a call without a name"


def _arguments_at(call: ToolCall | FunctionCall, pointer: str) -> Where:
    start, end = call.invalid_bytes or (None, None)
    return Where(
        pointer=f"{pointer}/arguments", event=call.invalid_event, byte_start=start, byte_end=end
    )


@rule("tool.arguments-invalid", Severity.ERROR, when=Trait.CALLS)
def arguments_invalid(context: RuleContext) -> Iterator[Remark]:
    """The arguments of a tool call are not valid JSON, or are JSON inside a string.
    Agents cannot make the call.
    """
    for call, pointer in _functions(context):
        cause = call.arguments_cause
        if cause is None or call.arguments_state is ArgumentsState.TRUNCATED:
            continue
        where = "" if call.invalid_at is None else f" break at character {call.invalid_at:,}"
        verb = where or " cannot be used"
        yield (
            f"The arguments of {_name(call)}{verb}: {STATE_WORDS[cause]}.",
            _arguments_at(call, pointer),
        )


@rule("tool.arguments-truncated", Severity.ERROR, at_end=True, when=Trait.CALLS)
def arguments_truncated(context: RuleContext) -> Iterator[Remark]:
    """The arguments of a tool call end before their JSON is complete.
    Agents cannot make the call.
    """
    for call, pointer in _functions(context):
        if call.arguments_state is ArgumentsState.TRUNCATED:
            at_limit = call.arguments_cause is ArgumentsCause.LENGTH_LIMIT
            limit = f": {STATE_WORDS[ArgumentsCause.LENGTH_LIMIT]}" if at_limit else ""
            yield (
                f"The arguments of {_name(call)} are truncated{limit}.",
                _arguments_at(call, pointer),
            )


@rule("tool.arguments-empty", Severity.INFO, at_end=True, when=Trait.CALLS)
def arguments_empty(context: RuleContext) -> Iterator[Remark]:
    """The arguments of a tool call are empty, which some providers send instead of {}.
    Agents that parse them without a check fail.
    """
    for call, pointer in _functions(context):
        if call.arguments_state is ArgumentsState.EMPTY:
            yield f"The arguments of {_name(call)} are empty.", _arguments_at(call, pointer)


@rule("tool.unknown-name", Severity.WARNING, when=Trait.CALLS)
def unknown_name(context: RuleContext) -> Iterator[Remark]:
    """The answer calls a tool that is not in the request.
    Agents have nothing to call.
    """
    named: list[PlacedCall] = list(_functions(context))
    named += [(call, f"{pointer}/custom") for call, pointer in _custom_calls(context)]
    for call, pointer in named:
        if call.is_offered is False and context.tools:
            message = f"The request has no tool {_name(call)!r}; {_offered(context.tools)}."
            yield message, Where(pointer=f"{pointer}/name")


def _offered(tools: ToolDefinitions) -> str:
    names = list(tools.by_name)
    more = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
    return f"it has {', '.join(map(shorten, names[:MOST_NAMES]))}{more}"


@rule("tool.arguments-against-schema", Severity.WARNING, when=Trait.CALLS)
def arguments_against_schema(context: RuleContext) -> Iterator[Remark]:
    """Arguments do not match the schema that the request gives for the tool.
    The tool fails or gets wrong input.
    """
    return _schema_remarks(context, SchemaRemarkKind.BROKEN, "do not match its schema")


@rule("tool.forbidden-field", Severity.WARNING, when=Trait.CALLS)
def forbidden_field(context: RuleContext) -> Iterator[Remark]:
    """Arguments have an invented field that the tool's schema, or strict mode, forbids.
    Tools that reject unknown fields fail.
    """
    return _schema_remarks(context, SchemaRemarkKind.FORBIDDEN, "have a forbidden field")


@rule("tool.invented-field", Severity.INFO, when=Trait.CALLS)
def invented_field(context: RuleContext) -> Iterator[Remark]:
    """Arguments have a field that is not in the tool's schema.
    The tool ignores the field.
    """
    return _schema_remarks(context, SchemaRemarkKind.INVENTED, "have an invented field")


def _schema_remarks(context: RuleContext, kind: SchemaRemarkKind, what: str) -> Iterator[Remark]:
    for call, pointer in _functions(context):
        remarks = [remark for remark in call.schema_remarks if remark.kind is kind]
        if remarks:
            first = remarks[0]
            place = f" at {shorten(first.pointer)}" if first.pointer else ""
            said = f"The arguments of {_name(call)} {what}{place}: {first.message}"
            yield f"{said}{times(len(remarks))}.", Where(pointer=f"{pointer}/arguments")


@rule(
    "tool.arguments-not-text", Severity.WARNING, formats=CHAT_FAMILY, when=Anomaly.OBJECT_ARGUMENTS
)
def arguments_not_text(context: RuleContext) -> Iterator[Remark]:
    """Arguments were sent as an object instead of a text.
    Clients that parse them, or join them as text, fail.
    """
    note = context.notes.first(Anomaly.OBJECT_ARGUMENTS)
    if note is not None:
        count = context.notes.count(Anomaly.OBJECT_ARGUMENTS)
        yield f"Arguments were sent as an object, not as a text{times(count)}.", note.where


@rule("tool.call-malformed", Severity.ERROR, when=Anomaly.BAD_CALL)
def call_malformed(context: RuleContext) -> Iterator[Remark]:
    """A tool call is not an object, has no function, or its input is not a text.
    Agents have nothing to call.
    """
    for note, count in context.notes.by_subject(Anomaly.BAD_CALL):
        yield f"{MALFORMED[note.subject]}{times(count)}.", note.where


@rule("tool.id-missing", Severity.WARNING, when=Trait.CALLS)
def id_missing(context: RuleContext) -> Iterator[Remark]:
    """A tool call has no id.
    Agents cannot send the result back.
    """
    for choice, position, call in _calls(context):
        if not known(call.id) or not call.id:
            yield f"The call of {_name(call)} has no id.", _at(context, choice, position, "/id")


@rule("tool.id-repeated", Severity.WARNING, when=Trait.CALLS)
def id_repeated(context: RuleContext) -> Iterator[Remark]:
    """Two tool calls of one choice have the same id.
    Agents that send results back by id mix them up.
    """
    for choice in context.choices if context.is_read else ():
        ids = Counter(call.id for call in choice.tool_calls if known(call.id) and call.id)
        for id_, count in ids.items():
            if count > 1:
                yield f"{count} calls have the id {shorten(id_)!r}.", _at(context, choice, 0, "/id")


@rule("tool.id-changed", Severity.WARNING, when=Anomaly.CALL_ID_CHANGED)
def id_changed(context: RuleContext) -> Iterator[Remark]:
    """The id of a tool call changed between chunks; the last one is used.
    Clients that keep the first one disagree.
    """
    for note, count in context.notes.by_subject(Anomaly.CALL_ID_CHANGED):
        yield f"The id of call {note.subject} changed: {note.detail}{times(count)}.", note.where


@rule("tool.index-missing", Severity.WARNING, formats=CHAT_FAMILY, when=Anomaly.CALL_INDEX_MISSING)
def index_missing(context: RuleContext) -> Iterator[Remark]:
    """A streamed tool call has no index; it is joined by id or position.
    Clients that join by index fail or mix up calls.
    """
    note = context.notes.first(Anomaly.CALL_INDEX_MISSING)
    if note is not None:
        count = context.notes.count(Anomaly.CALL_INDEX_MISSING)
        yield f"A streamed tool call has no index{times(count)}.", note.where


@rule("tool.index-repeated", Severity.WARNING, formats=CHAT_FAMILY)
def index_repeated(context: RuleContext) -> Iterator[Remark]:
    """A second tool call uses the index of another; its new id and name tell them apart.
    Clients that join by index concatenate the arguments of both.
    """
    note = context.notes.first(Anomaly.CALL_INDEX_REPEATED)
    if note is not None:
        count = context.notes.count(Anomaly.CALL_INDEX_REPEATED)
        yield f"A second tool call began at an index in use{times(count)}.", note.where


@rule("tool.index-gap", Severity.WARNING, formats=CHAT_FAMILY, at_end=True)
def index_gap(context: RuleContext) -> Iterator[Remark]:
    """The indexes of streamed tool calls do not begin at 0 or skip some numbers.
    Clients that use the index as a position fail or mix up calls.
    """
    for choice in context.choices if context.is_read and context.streamed else ():
        indexes = {call.index for call in choice.tool_calls}
        if indexes and max(indexes) >= len(indexes):
            count = len(indexes)
            calls = f"{count:,} tool {'call' if count == 1 else 'calls'}"
            message = f"Choice {choice.index} has {calls}, but one has index {max(indexes):,}."
            yield message, Where(pointer=f"{context.pointer_of(choice.index)}/message/tool_calls")
