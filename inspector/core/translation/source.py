"""The answer to translate: its choices as parts in their order, each with its place."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import msgspec
from msgspec import UNSET, UnsetType

from inspector.core import formats
from inspector.core.analysis import Analysis
from inspector.core.completion import (
    ArgumentsState,
    Block,
    BlockKind,
    Choice,
    FunctionCall,
    Json,
    ToolCall,
    list_or_empty,
)
from inspector.core.formats import Dialect
from inspector.core.formats.grammar import CitationList, IdentityField
from inspector.core.formats.places import places_of
from inspector.core.fragment import Fragment
from inspector.core.json.pointer import pointer_to, steps_of, value_at

TEXT_KINDS = (BlockKind.TEXT, BlockKind.REASONING, BlockKind.REFUSAL)
MESSAGE_FIELDS = ("content", "reasoning_content", "reasoning", "refusal")


class SourceCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call that names its tool. ``is_custom``: its arguments are free text. ``is_legacy``: it is
    the deprecated function call of chat completions, which has no id.
    """

    call: ToolCall | FunctionCall
    pointer: str
    is_legacy: bool = False

    @property
    def id(self) -> str | None | UnsetType:
        return self.call.id if isinstance(self.call, ToolCall) else UNSET

    @property
    def name(self) -> str | None | UnsetType:
        return self.call.name

    @property
    def is_custom(self) -> bool:
        return self.call.arguments_state is ArgumentsState.FREE_TEXT


class SourcePart(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a message. ``text`` is "" for a part that has none."""

    kind: BlockKind
    type: str
    pointer: str
    text: str = ""
    call: SourceCall | None = None
    citations: tuple[Json, ...] = ()
    citations_pointer: str = ""


class SourceChoice(msgspec.Struct, frozen=True, kw_only=True):
    """One choice with its parts that hold something."""

    choice: Choice
    pointer: str
    finish_pointer: str
    parts: tuple[SourcePart, ...]

    def parts_of(self, *kinds: BlockKind) -> tuple[SourcePart, ...]:
        return tuple(part for part in self.parts if part.kind in kinds)


class SourceAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer as its own format has it, and its choices."""

    analysis: Analysis
    dialect: Dialect
    completion: dict[str, Json]
    choices: tuple[SourceChoice, ...]

    @property
    def family(self) -> str:
        return formats.family_of(self.dialect)

    @property
    def at(self) -> str:
        """JSON Pointer to the answer in the completion: "" unless that passes it on."""
        return self.dialect.answer_in(self.completion)

    @property
    def fields(self) -> dict[str, Json]:
        """The answer itself."""
        held = value_at(self.completion, self.at)
        return held if isinstance(held, dict) else {}

    @property
    def usage_pointer(self) -> str:
        """The usage object in the completion; in a stream it came inside an event."""
        pointer = self.analysis.usage.pointer
        *around, last = steps_of(pointer) or [""]
        is_wrapped = bool(around) and around[0] not in self.completion
        return pointer_to([last]) if is_wrapped else pointer

    def member(self, name: str) -> Json | UnsetType:
        """A member that names the answer: ``id``, ``model``, ``created`` of a chat completion."""
        return value_at(self.completion, self.member_pointer(name))

    def member_pointer(self, name: str) -> str:
        named = self.dialect.identity.get(name, name)
        return self.at + identity_place(self.family, named)


@cache
def identity_place(family: str, name: str) -> str:
    """Where the answers of a family have the member of this name that names them."""
    table = formats.table_of(family)
    found = (at for at, effect in table.items() if isinstance(effect, IdentityField))
    return next((at for at in found if at.endswith(f"/{name}")), f"/{name}")


def source_answer(analysis: Analysis) -> SourceAnswer | None:
    """The answer of an analysis in full; None if no choices were read."""
    completion = analysis.completion
    if not analysis.choices or not isinstance(completion, dict):
        return None
    known = formats.dialects()
    dialect = known[analysis.dialect or formats.DEFAULT_FAMILY]
    return SourceAnswer(
        analysis=analysis,
        dialect=dialect,
        completion=completion,
        choices=tuple(_source_choices(analysis, dialect)),
    )


def _source_choices(answer: Analysis, dialect: Dialect) -> Iterator[SourceChoice]:
    places, family = places_of(dialect.slug), formats.family_of(dialect)
    base = dialect.answer_in(answer.completion)
    positions = _positions(value_at(answer.completion, base), places.choice)
    is_message = answer.fragment is Fragment.MESSAGE
    for number, choice in enumerate(answer.choices):
        at = str(positions.get(choice.index, number))
        pointer = "" if is_message else base + places.choice.replace("*", at)
        message = "" if is_message else f"{pointer}/message"
        parts = tuple(_parts(choice, pointer, message, _citation_member(family)))
        if family == formats.DEFAULT_FAMILY:
            parts = _with_annotations(parts, choice.annotations, f"{message}/annotations")
        finish = base + places.finish.replace("*", at)
        yield SourceChoice(choice=choice, pointer=pointer, finish_pointer=finish, parts=parts)


def _positions(sent_answer: Json, choice: str) -> dict[Json, int]:
    """The first position of each index in the list of choices, if there is one."""
    sent = list_or_empty(value_at(sent_answer, choice.rpartition("/")[0])) if choice else []
    return {_index(one, at): at for at, one in reversed(list(enumerate(sent)))}


def _index(choice: Json, position: int) -> Json:
    index = choice.get("index") if isinstance(choice, dict) else None
    return index if index.__class__ is int else position


def _parts(choice: Choice, pointer: str, message: str, member: str) -> Iterator[SourcePart]:
    """``member`` has the citations of a part, "" in formats that have them beside the message."""
    for block in choice.blocks:
        at = _pointer(block, pointer, message)
        text = block.text if isinstance(block.text, str) else ""
        # An empty text says nothing, unless the part holds more, such as encrypted reasoning.
        if block.kind not in TEXT_KINDS or text or block.value is not UNSET:
            yield SourcePart(
                kind=block.kind,
                type=block.type or "",
                pointer=at,
                text=text,
                call=_call(block, choice, at),
                citations=block.citations,
                citations_pointer=f"{at}/{member}",
            )


def _with_annotations(
    parts: tuple[SourcePart, ...], annotations: Json, pointer: str
) -> tuple[SourcePart, ...]:
    """The parts of a chat message; what it cites belongs to its text."""
    texts = (at for at, part in enumerate(parts) if part.kind is BlockKind.TEXT)
    at, cited = next(texts, None), list_or_empty(annotations)
    if at is None or not cited:
        return parts
    text = msgspec.structs.replace(parts[at], citations=tuple(cited), citations_pointer=pointer)
    return (*parts[:at], text, *parts[at + 1 :])


@cache
def _citation_member(family: str) -> str:
    """The member of a part that lists what it cites, "" if its format has none."""
    table = formats.table_of(family)
    found = (at for at, effect in table.items() if isinstance(effect, CitationList))
    return next(found, "").rpartition("/")[2]


def _call(block: Block, choice: Choice, pointer: str) -> SourceCall | None:
    if block.kind is not BlockKind.TOOL_CALL:
        return None
    if block.tool_call is not None:
        return SourceCall(call=choice.tool_calls[block.tool_call], pointer=pointer)
    if block.value is UNSET and choice.function_call is not None:
        return SourceCall(call=choice.function_call, pointer=pointer, is_legacy=True)
    return None


def _pointer(block: Block, choice: str, message: str) -> str:
    """The place of a part; in chat completions that of the message's field."""
    if isinstance(block.pointer, str):
        return block.pointer
    if block.kind is BlockKind.TOOL_CALL:
        at = "function_call" if block.tool_call is None else f"tool_calls/{block.tool_call}"
        return f"{message}/{at}"
    if any((place.pointer or "").endswith("/text") for place in block.places[:1]):
        return f"{choice}/text"
    return f"{message}/{block.type if block.type in MESSAGE_FIELDS else 'content'}"
