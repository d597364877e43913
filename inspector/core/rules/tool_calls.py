"""Rules about tool calls: "the model may hallucinate fields or generate invalid JSON"
(the reasoning reference).
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice

from msgspec import UNSET

from inspector.core.completion import (
    ArgumentsState,
    Choice,
    FunctionCall,
    SchemaRemarkKind,
    ToolCall,
    known,
)
from inspector.core.fields.finish_reasons import meaning_of
from inspector.core.findings import Severity, Where, shorten, shorten_quoted
from inspector.core.fold.anomalies import Anomaly
from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.core.formats.places import CHAT_CHOICE
from inspector.core.json import Json
from inspector.core.json.type_words import type_word
from inspector.core.rule_context import RuleContext
from inspector.core.rules.rule import CHAT_FAMILY, Remark, listing, rule, times
from inspector.core.rules.traits import Trait
from inspector.core.tool_calls.call_faults import call_name, invalid_arguments, truncated_arguments
from inspector.core.tool_calls.hosted_tools import hosted_fault
from inspector.core.tool_calls.tool_definitions import ToolDefinitions

MAX_NAMES = 5
"""It is one sentence; the panel has all of them."""
WITH_CALL_IDS = CHAT_FAMILY | {"anthropic", "bedrock-converse", "cohere", "openai-responses"}
"""The formats that require an id of every call."""
WITHOUT_A_REASON = (FinishMeaning.COMPLETE, FinishMeaning.CALLED)
"""Meanings of finish reasons that explain no missing call."""
CALL_TYPES = ("function", "custom")
NAMELESS = "A call has no name."
MALFORMED: Mapping[str, str] = {
    "tool call": "A tool call is not an object",
    "function": "A tool call has no function",
    "input": "The input of a custom tool call is not a text",
}

# As in "get_weather".
_NAME = re.compile(r"[A-Za-z0-9_-]+")
# Gemini takes dots and colons, gateways of several servers put dots and slashes between names.
_LOOSE_NAME = re.compile(r"[A-Za-z0-9_.:/@-]+")
LONGEST_NAME, LONGEST_ELSEWHERE = 64, 128
"""Characters of a tool's name in chat completions, and in other formats."""

PlacedCall = tuple[ToolCall | FunctionCall, str]
"""A call, and the JSON Pointer of the object with its name."""


def _calls(context: RuleContext) -> Iterator[tuple[Choice, int, ToolCall]]:
    for choice in context.choices if context.is_answer else ():
        for position, call in enumerate(choice.tool_calls):
            yield choice, position, call


def _functions(context: RuleContext) -> Iterator[PlacedCall]:
    """Yield all function calls, the deprecated ones included."""
    for choice, position, call in _calls(context):
        if call.arguments_state is not ArgumentsState.FREE_TEXT:
            yield call, f"{_pointer(context, choice, position)}{context.places.named}"
    for choice in context.choices if context.is_answer else ():
        if choice.function_call is not None and not choice.function_call.is_empty:
            yield choice.function_call, f"{context.pointer_of(choice.index)}/message/function_call"


def _custom_calls(context: RuleContext) -> Iterator[PlacedCall]:
    for choice, position, call in _calls(context):
        if call.arguments_state is ArgumentsState.FREE_TEXT:
            yield call, _pointer(context, choice, position)


def _pointer(context: RuleContext, choice: Choice, position: int) -> str:
    return context.call_pointer_of(choice, position)


def _arguments_of(context: RuleContext, pointer: str) -> str:
    """The place of the arguments, by that of the object with the call's name."""
    return f"{pointer}/{context.places.arguments}"


def _at(context: RuleContext, choice: Choice, position: int, rest: str) -> Where:
    return Where(pointer=f"{_pointer(context, choice, position)}{rest}")


def _at_id(context: RuleContext, choice: Choice, position: int) -> Where:
    return _at(context, choice, position, context.places.call_id)


def _subject(call: ToolCall | FunctionCall) -> str:
    is_named = known(call.name) and bool(call.name)
    return f"The call of {call_name(call)}" if is_named else "A call without a name"


def _named(context: RuleContext) -> Iterator[PlacedCall]:
    """Yield all calls with the pointer of the object that holds their name."""
    yield from _functions(context)
    yield from ((call, f"{pointer}/custom") for call, pointer in _custom_calls(context))


def _odd(call: ToolCall | FunctionCall, name: str) -> Json:
    """The value that was sent in the place of a text, UNSET if there is none."""
    return call.extras.get(name, UNSET)


def _arguments_at(context: RuleContext, call: ToolCall | FunctionCall, pointer: str) -> Where:
    start, end = call.invalid_bytes or (None, None)
    return Where(
        pointer=_arguments_of(context, pointer),
        event=call.invalid_event,
        byte_start=start,
        byte_end=end,
    )


@rule("tool.arguments-invalid", Severity.ERROR, when=Trait.CALL_UNUSUAL)
def arguments_invalid(context: RuleContext) -> Iterator[Remark]:
    """The arguments of a tool call are not valid JSON, or are JSON inside a string.
    Agents cannot make the call.
    """
    for call, pointer in _functions(context):
        if call.arguments_cause is None or call.arguments_state is ArgumentsState.TRUNCATED:
            continue
        yield invalid_arguments(call), _arguments_at(context, call, pointer)


@rule("tool.arguments-truncated", Severity.ERROR, at_end=True, when=Trait.CALL_UNUSUAL)
def arguments_truncated(context: RuleContext) -> Iterator[Remark]:
    """The arguments of a tool call end before their JSON is complete.
    Agents cannot make the call.
    """
    for call, pointer in _functions(context):
        if call.arguments_state is ArgumentsState.TRUNCATED:
            yield truncated_arguments(call), _arguments_at(context, call, pointer)


@rule("tool.arguments-empty", Severity.INFO, at_end=True, when=Trait.CALL_UNUSUAL)
def arguments_empty(context: RuleContext) -> Iterator[Remark]:
    """The arguments of a tool call are empty, which some providers send instead of {}.
    Agents that parse them without a check fail.
    """
    for call, pointer in _functions(context):
        if call.arguments_state is ArgumentsState.EMPTY:
            yield (
                f"The arguments of {call_name(call)} are empty.",
                _arguments_at(context, call, pointer),
            )


@rule("tool.unknown-name", Severity.WARNING, when=Trait.TOOLS_KNOWN)
def unknown_name(context: RuleContext) -> Iterator[Remark]:
    """The answer calls a tool that is not in the request.
    Agents have nothing to call.
    """
    for call, pointer in _named(context):
        if call.is_offered is False and context.tools:
            name = shorten(call.name) if known(call.name) else ""
            message = f"The request has no tool {name!r}; {_offered(context.tools)}."
            yield message, Where(pointer=f"{pointer}/name")


def _offered(tools: ToolDefinitions) -> str:
    names = list(tools.by_name)
    more = f" and {len(names) - MAX_NAMES:,} more" if len(names) > MAX_NAMES else ""
    return f"it has {', '.join(map(shorten, names[:MAX_NAMES]))}{more}"


@rule("tool.arguments-against-schema", Severity.WARNING, when=Trait.TOOLS_KNOWN)
def arguments_against_schema(context: RuleContext) -> Iterator[Remark]:
    """Arguments do not match the schema that the request gives for the tool.
    The tool fails or gets wrong input.
    """
    return _schema_remarks(context, SchemaRemarkKind.BROKEN, "do not match its schema")


@rule("tool.forbidden-field", Severity.WARNING, when=Trait.TOOLS_KNOWN)
def forbidden_field(context: RuleContext) -> Iterator[Remark]:
    """Arguments have an invented field that the tool's schema, or strict mode, forbids.
    Tools that reject unknown fields fail.
    """
    return _schema_remarks(context, SchemaRemarkKind.FORBIDDEN, "have a forbidden field")


@rule("tool.invented-field", Severity.INFO, when=Trait.TOOLS_KNOWN)
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
            sentence = f"The arguments of {call_name(call)} {what}{place}: {first.message}"
            where = Where(pointer=_arguments_of(context, pointer))
            yield f"{sentence}{times(len(remarks))}.", where


@rule("tool.name-malformed", Severity.WARNING, when=Trait.CALL_UNUSUAL)
def name_malformed(context: RuleContext) -> Iterator[Remark]:
    """A call's name has characters that no tool's name can have, or too many.
    Agents find no tool of that name.
    """
    offered = context.tools.by_name if context.tools is not None else ()
    longest = LONGEST_NAME if context.format_names & CHAT_FAMILY else LONGEST_ELSEWHERE
    for call, where in _functions(context):
        name = call.name
        if isinstance(name, str) and name not in offered and (fault := _spelling(name, longest)):
            yield f"The name {shorten_quoted(name)} {fault}.", Where(pointer=where)


def _spelling(name: str, longest: int) -> str:
    """The fault in the spelling of a name, "" if there is none."""
    if not name or (len(name) <= longest and _LOOSE_NAME.fullmatch(name)):
        return ""
    if _LOOSE_NAME.fullmatch(name):
        return f"has {len(name):,} characters; a tool's name has at most {longest}"
    meant = _NAME.match(name)
    rest = f"; {shorten(meant[0])} may be meant" if meant else ""
    return f"has characters that no tool's name is allowed to have{rest}"


@rule("tool.name-missing", Severity.ERROR, at_end=True, when=Trait.CALL_UNUSUAL)
def name_missing(context: RuleContext) -> Iterator[Remark]:
    """A call has no name, or one that is null, empty or not a text.
    Agents have nothing to call.
    """
    lacks_function = context.notes.count(Anomaly.BAD_CALL) > 0
    for call, pointer in _named(context):
        # A call without any function has a finding of its own.
        is_bodiless = lacks_function and call.name is UNSET and not call.arguments_text
        fault = _name_fault(call, pointer)
        if fault and not (is_bodiless and fault == NAMELESS):
            yield fault, Where(pointer=f"{pointer}/name")


def _name_fault(call: ToolCall | FunctionCall, pointer: str) -> str | None:
    odd = _odd(call, f"/{pointer.rpartition('/')[2]}/name")
    if odd is not UNSET:
        return f"The name of a call is {type_word(odd)}, not a text."
    if call.name is UNSET:
        return NAMELESS
    if call.name:
        return None
    return "The name of a call is null." if call.name is None else "The name of a call is empty."


@rule("tool.name-in-pieces", Severity.WARNING, when=Anomaly.CALL_NAME_IN_PIECES)
def name_in_pieces(context: RuleContext) -> Iterator[Remark]:
    """The name of a streamed call came in several pieces; they are joined.
    Clients that keep the first piece call an unknown tool.
    """
    places = {
        note.subject: note.where
        for note, _ in context.notes.by_subject(Anomaly.CALL_NAME_IN_PIECES)
    }
    for call, _ in _named(context):
        if call.name_pieces:
            pieces = " + ".join(shorten(piece, 40) for piece in call.name_pieces[:MAX_NAMES])
            where = places.get(str(getattr(call, "index", 0)), Where())
            yield f"The name {call_name(call)} came in pieces: {pieces}.", where


@rule("tool.name-changed", Severity.WARNING, when=Anomaly.CALL_NAME_CHANGED)
def name_changed(context: RuleContext) -> Iterator[Remark]:
    """Another name followed at the index of a call after its arguments began; the first is kept.
    Clients that keep the last one, or join both, call another tool.
    """
    for note, count in context.notes.by_subject(Anomaly.CALL_NAME_CHANGED):
        message = f"The name of call {note.subject} changed: {note.detail}{times(count)}."
        yield message, note.where


@rule("tool.type-missing", Severity.INFO, formats=CHAT_FAMILY, at_end=True, when=Trait.CALL_UNUSUAL)
def type_missing(context: RuleContext) -> Iterator[Remark]:
    """A tool call has no type, or one that is null or empty (the reasoning reference: "function").
    Clients that choose by the type have none.
    """
    for choice, position, call in _calls(context):
        if _odd(call, "/type") is UNSET and (not known(call.type) or not call.type):
            yield f"{_subject(call)} has no type.", _at(context, choice, position, "/type")


@rule("tool.type-unknown", Severity.WARNING, formats=CHAT_FAMILY, when=Trait.CALL_UNUSUAL)
def type_unknown(context: RuleContext) -> Iterator[Remark]:
    """The type of a tool call is neither "function" nor "custom".
    Clients that choose by the type skip the call.
    """
    for choice, position, call in _calls(context):
        where, odd = _at(context, choice, position, "/type"), _odd(call, "/type")
        if odd is not UNSET:
            yield f"The type of {call_name(call)} is {type_word(odd)}, not a text.", where
        elif known(call.type) and call.type and call.type not in CALL_TYPES:
            yield f"{_subject(call)} has the unknown type {shorten(call.type)!r}.", where


@rule("tool.none-offered", Severity.WARNING, when=Trait.REQUEST_KNOWN)
def none_offered(context: RuleContext) -> Iterator[Remark]:
    """The answer calls a tool although the request offers none.
    Agents have nothing to call.
    """
    params = context.request_params
    # A record may tell of messages and leave out the tools.
    if params is None or params.tool_choice.offers_tools or context.is_told:
        return
    for call, pointer in islice(_named(context), 1):
        yield f"The request offers no tools. {_subject(call)} came.", Where(pointer=pointer)


@rule("tool.choice-not-followed", Severity.WARNING, when=Trait.REQUEST_KNOWN)
def choice_not_followed(context: RuleContext) -> Iterator[Remark]:
    """The calls are not those that the request allows or requires (``tool_choice``).
    Agents get a call that they excluded, or none where they rely on one.
    """
    if context.request_params is None or not context.request_params.tool_choice.offers_tools:
        return
    chosen, named = context.request_params.tool_choice, list(_named(context))
    if chosen.is_forbidden and named:
        call, pointer = named[0]
        yield f"The request forbids calls. {_subject(call)} came.", Where(pointer=pointer)
    for call, pointer in named if chosen.names else ():
        if known(call.name) and call.name and call.name not in chosen.names:
            allowed = " or ".join(map(shorten, sorted(chosen.names)[:MAX_NAMES]))
            message = f"The request allows only calls of {allowed}; {call_name(call)} was called."
            yield message, Where(pointer=f"{pointer}/name")
    if chosen.is_required and not named:
        yield from _nothing_called(context)


def _nothing_called(context: RuleContext) -> Iterator[Remark]:
    """Yield a remark for a choice that ended by itself without the call that is required."""
    for choice in context.choices if context.is_answer else ():
        if meaning_of(choice.finish_reason) in WITHOUT_A_REASON and not choice.refusal:
            message = f"The request requires a call; choice {choice.index} has none."
            yield message, _at_calls(context, choice)


@rule("tool.parallel-not-allowed", Severity.WARNING, when=Trait.REQUEST_KNOWN)
def parallel_not_allowed(context: RuleContext) -> Iterator[Remark]:
    """A choice has several calls although the request allows one at a time (parallel_tool_calls).
    Agents that run one call at a time lose the others.
    """
    params = context.request_params
    if params is None or params.tool_choice.allows_parallel or not context.is_answer:
        return
    for choice in context.choices:
        if len(choice.tool_calls) > 1:
            has = f"choice {choice.index} has {len(choice.tool_calls):,}"
            message = f"The request allows one call at a time; {has}."
            yield message, _at_calls(context, choice)


def _at_calls(context: RuleContext, choice: Choice) -> Where:
    """The place of the list of calls; of the choice, in formats that list all parts together."""
    is_chat = context.places.choice == CHAT_CHOICE
    return Where(pointer=context.pointer_of(choice.index) + ("/message/tool_calls" * is_chat))


@rule("tool.hosted-failed", Severity.WARNING, when=Trait.HOSTED)
def hosted_failed(context: RuleContext) -> Iterator[Remark]:
    """A tool that the provider runs itself failed: a search, a fetch, code, a call of a server.
    The answer lacks what the tool should have found, and may have made it up.
    """
    for choice in context.choices if context.is_answer else ():
        for block in choice.blocks:
            fault, at = hosted_fault(block), block.pointer
            if fault is not None:
                where = Where(pointer=context.pointer_of(choice.index) if at is UNSET else at)
                yield f"The provider's {shorten(block.type)} failed{fault}.", where


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


@rule("tool.arguments-not-object", Severity.WARNING, when=Anomaly.TEXT_ARGUMENTS)
def arguments_not_object(context: RuleContext) -> Iterator[Remark]:
    """Arguments were sent as a text instead of an object (Gemini, Ollama).
    Typed clients fail.
    """
    note = context.notes.first(Anomaly.TEXT_ARGUMENTS)
    if note is not None:
        count = context.notes.count(Anomaly.TEXT_ARGUMENTS)
        yield f"Arguments were sent as a text, not as an object{times(count)}.", note.where


@rule("tool.arguments-derived", Severity.INFO, when=Anomaly.PARTIAL_ARGUMENTS)
def arguments_derived(context: RuleContext) -> Iterator[Remark]:
    """Arguments came as values with paths; their JSON was derived from them.
    Clients that read only whole arguments make the call without any.
    """
    note = context.notes.first(Anomaly.PARTIAL_ARGUMENTS)
    if note is not None:
        count = len(list(context.notes.by_subject(Anomaly.PARTIAL_ARGUMENTS)))
        message = "Arguments came as values with paths; their JSON was derived from them"
        yield f"{message}{times(count)}.", note.where


@rule("tool.partial-misplaced", Severity.WARNING, when=Anomaly.PARTIAL_MISPLACED)
def partial_misplaced(context: RuleContext) -> Iterator[Remark]:
    """A value of streamed arguments has no valid path, or one that leads back; it is left out.
    Agents lack it, or get it at another place.
    """
    for note, count in context.notes.by_subject(Anomaly.PARTIAL_MISPLACED):
        yield (
            f"A value of the arguments of call {note.subject} has no place{times(count)}.",
            note.where,
        )


@rule("tool.call-malformed", Severity.ERROR, when=Anomaly.BAD_CALL)
def call_malformed(context: RuleContext) -> Iterator[Remark]:
    """A tool call is not an object, has no function, or its input is not a text.
    Agents have nothing to call.
    """
    # Where a print leaves out what lies deeper, null stands, not what was sent.
    if context.notes.count(Anomaly.NOT_PRINTED):
        return
    for note, count in context.notes.by_subject(Anomaly.BAD_CALL):
        yield f"{MALFORMED[note.subject]}{times(count)}.", note.where


@rule("tool.id-missing", Severity.WARNING, formats=WITH_CALL_IDS, when=Trait.CALL_UNUSUAL)
def id_missing(context: RuleContext) -> Iterator[Remark]:
    """A tool call has no id.
    Agents cannot send the result back.
    """
    for choice, position, call in _calls(context):
        if _odd(call, "/id") is UNSET and (not known(call.id) or not call.id):
            yield (f"{_subject(call)} has no id.", _at_id(context, choice, position))


@rule("tool.id-malformed", Severity.WARNING, when=Trait.CALL_UNUSUAL)
def id_malformed(context: RuleContext) -> Iterator[Remark]:
    """The id of a tool call is not a text.
    Typed clients fail.
    """
    for choice, position, call in _calls(context):
        if (sent := _odd(call, "/id")) is not UNSET:
            where = _at_id(context, choice, position)
            yield f"The id of {call_name(call)} is {type_word(sent)}, not a text.", where


@rule("tool.id-repeated", Severity.WARNING, when=Trait.CALLS)
def id_repeated(context: RuleContext) -> Iterator[Remark]:
    """Two tool calls of one choice have the same id.
    Agents that send results back by id mix them up.
    """
    for choice in context.choices if context.is_answer else ():
        ids = Counter(call.id for call in choice.tool_calls if known(call.id) and call.id)
        for id_, count in ids.items():
            if count > 1:
                yield (f"{count} calls have the id {shorten(id_)!r}.", _at_id(context, choice, 0))


@rule("tool.id-changed", Severity.WARNING, when=Anomaly.CALL_ID_CHANGED)
def id_changed(context: RuleContext) -> Iterator[Remark]:
    """The id of a tool call changed between chunks; the last one is used.
    Clients that keep the first one disagree.
    """
    for note, count in context.notes.by_subject(Anomaly.CALL_ID_CHANGED):
        yield f"The id of call {note.subject} changed: {note.detail}{times(count)}.", note.where


@rule("tool.field-repeated", Severity.INFO, when=Anomaly.CALL_FIELD_AGAIN)
def field_repeated(context: RuleContext) -> Iterator[Remark]:
    """The id, type or name of a call is sent again with a later delta.
    Clients that join every text of a delta read "functionfunction".
    """
    notes = [note for note, _ in context.notes.by_subject(Anomaly.CALL_FIELD_AGAIN)]
    if notes:
        names = listing([note.subject for note in notes], "and")
        verb = "is" if len(notes) == 1 else "are"
        yield f"The {names} of a call {verb} sent again with a later delta.", notes[0].where


@rule("tool.field-emptied", Severity.INFO, formats=CHAT_FAMILY, when=Anomaly.CALL_FIELD_EMPTY)
def field_emptied(context: RuleContext) -> Iterator[Remark]:
    """The id, type, name or arguments of a call are null or empty in a later delta.
    Clients that keep the last value lose the id or name; those that join texts fail at null.
    """
    for note, _ in context.notes.by_subject(Anomaly.CALL_FIELD_EMPTY):
        name, _, word = note.subject.partition(" ")
        verb = "are" if name == "arguments" else "is"
        yield f"The {name} of a call {verb} {word} in a later delta; what came holds.", note.where


@rule("tool.index-missing", Severity.WARNING, formats=CHAT_FAMILY, when=Anomaly.CALL_INDEX_MISSING)
def index_missing(context: RuleContext) -> Iterator[Remark]:
    """A streamed tool call has no index; it is joined by id or position.
    Clients that join by index fail or mix up calls.
    """
    note = context.notes.first(Anomaly.CALL_INDEX_MISSING)
    if note is not None:
        count = context.notes.count(Anomaly.CALL_INDEX_MISSING)
        yield f"A streamed tool call has no index{times(count)}.", note.where


@rule(
    "tool.index-repeated", Severity.WARNING, formats=CHAT_FAMILY, when=Anomaly.CALL_INDEX_REPEATED
)
def index_repeated(context: RuleContext) -> Iterator[Remark]:
    """A second tool call uses the index of another: its id, or a second object, tells them apart.
    Clients that join by index concatenate the arguments of both.
    """
    note = context.notes.first(Anomaly.CALL_INDEX_REPEATED)
    if note is not None:
        count = context.notes.count(Anomaly.CALL_INDEX_REPEATED)
        yield f"A second tool call began at an index in use{times(count)}.", note.where


@rule("tool.index-gap", Severity.WARNING, formats=CHAT_FAMILY, at_end=True, when=Trait.CALLS)
def index_gap(context: RuleContext) -> Iterator[Remark]:
    """The indexes of streamed tool calls do not begin at 0 or skip some numbers.
    Clients that use the index as a position fail or mix up calls.
    """
    for choice in context.choices if context.is_answer and context.streamed else ():
        indexes = {call.index for call in choice.tool_calls}
        if indexes and max(indexes) >= len(indexes):
            count = len(indexes)
            calls = f"{count:,} tool {'call' if count == 1 else 'calls'}"
            message = f"Choice {choice.index} has {calls}, but one has index {max(indexes):,}."
            yield message, Where(pointer=f"{context.pointer_of(choice.index)}/message/tool_calls")
