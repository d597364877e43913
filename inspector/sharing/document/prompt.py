"""The prompt of a document: messages by role, tools, parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.prompt.prompt import (
    PromptMedia,
    PromptMember,
    PromptMessage,
    PromptPart,
    PromptPartKind,
    PromptReading,
    PromptText,
    PromptTool,
)
from inspector.formatting.humanize import plural, size
from inspector.formatting.prompt_kinds import KIND_WORDS, pixel_words
from inspector.sharing.document.withheld import LAID_OUT, DocumentText, TextRoom

MAX_MESSAGES = 1_000
FIELD_CHARACTERS = 500
"""Of a field beside a text, such as a signature."""
KNOWN_ROLES = ("system", "developer", "user", "assistant", "model", "tool", "function")


@dataclass(frozen=True, slots=True)
class DocumentFields:
    """Fields that a message, a part or a tool has besides; where texts are withheld their number
    alone.
    """

    shown: tuple[tuple[str, DocumentText], ...]
    total: int


@dataclass(frozen=True, slots=True)
class DocumentPart:
    words: str
    name: str
    text: DocumentText | None
    is_code: bool
    facts: tuple[str, ...]
    fields: DocumentFields


@dataclass(frozen=True, slots=True)
class DocumentMessage:
    role: str
    name: str
    parts: tuple[DocumentPart, ...]
    parts_left_out: int
    fields: DocumentFields


@dataclass(frozen=True, slots=True)
class DocumentTool:
    name: str
    description: DocumentText | None
    schema: DocumentText | None
    fields: DocumentFields


@dataclass(frozen=True, slots=True)
class DocumentPrompt:
    """``text`` is the beginning of a request that is no JSON object."""

    messages: tuple[DocumentMessage, ...]
    more_messages: int
    tools: tuple[DocumentTool, ...]
    tool_total: int
    more_tools: int
    parameters: DocumentFields
    text: DocumentText | None = None


def document_prompt(found: PromptReading, room: TextRoom) -> DocumentPrompt:
    return DocumentPrompt(
        messages=tuple(document_message(each, room) for each in found.messages),
        more_messages=found.total - len(found.messages),
        tools=tuple(document_tool(each, room) for each in found.tools),
        tool_total=found.tool_total,
        more_tools=found.tools_left_out,
        parameters=DocumentFields(
            () if room.is_withheld else tuple(field(each, room) for each in found.parameters),
            found.parameter_total,
        ),
        text=room.text(found.text.head, found.text.length) if found.text else None,
    )


def document_message(message: PromptMessage, room: TextRoom) -> DocumentMessage:
    role = message.role or message.type or message.field
    if role not in KNOWN_ROLES:
        role = room.word(role) or "message"
    return DocumentMessage(
        role=role,
        name=room.word(message.name),
        parts=tuple(part for each in message.parts for part in document_parts(each, room)),
        parts_left_out=message.parts_left_out,
        fields=document_fields(message.extras, room),
    )


def document_parts(
    part: PromptPart, room: TextRoom, *, is_of_result: bool = False
) -> Iterator[DocumentPart]:
    """The part, then those inside it."""
    text = part.text
    is_json = is_of_result or part.kind is PromptPartKind.TOOL_CALL or bool(text and text.is_json)
    shown = spelled(text, room, is_json=is_json) if text else None
    yield DocumentPart(
        words=KIND_WORDS[part.kind],
        name=room.word(part.name),
        text=shown,
        is_code=part.kind in (PromptPartKind.TOOL_CALL, PromptPartKind.UNKNOWN)
        or bool(shown and shown.is_laid_out),
        facts=tuple(part_facts(part, shown, room)),
        fields=document_fields(part.extras, room),
    )
    is_of_result = is_of_result or part.kind is PromptPartKind.TOOL_RESULT
    for inside in part.parts:
        yield from document_parts(inside, room, is_of_result=is_of_result)


def part_facts(part: PromptPart, shown: DocumentText | None, room: TextRoom) -> Iterator[str]:
    if sent_id := room.word(part.id):
        yield f"id {sent_id}"
    if part.text is not None:
        yield plural(part.text.length, "character")
    if shown is not None and shown.is_laid_out:
        yield LAID_OUT
    if part.media is not None:
        yield from media_facts(part.media, room)
    if part.is_error:
        yield "error"


def media_facts(media: PromptMedia, room: TextRoom) -> Iterator[str]:
    if media_type := room.word(media.media_type):
        yield media_type
    if media.pixels:
        yield pixel_words(media.pixels)
    if media.byte_length is not None:
        yield size(media.byte_length)
    if media.address:
        yield "at an address that is left out"


def document_fields(members: tuple[PromptMember, ...], room: TextRoom) -> DocumentFields:
    shown = () if room.is_withheld else tuple(short_field(each, room) for each in members)
    return DocumentFields(shown, len(members))


def short_field(member: PromptMember, room: TextRoom) -> tuple[str, DocumentText]:
    """Long ones are signatures and ciphers, of which a reader has nothing."""
    value = member.value
    if value.length <= FIELD_CHARACTERS:
        return field(member, room)
    return room.word(member.name), room.text(value.head[:FIELD_CHARACTERS], value.length)


def field(member: PromptMember, room: TextRoom) -> tuple[str, DocumentText]:
    return room.word(member.name), spelled(member.value, room, is_json=member.value.is_json)


def spelled(text: PromptText, room: TextRoom, *, is_json: bool) -> DocumentText:
    return (room.json if is_json else room.text)(text.head, text.length)


def document_tool(tool: PromptTool, room: TextRoom) -> DocumentTool:
    described = tool.description
    return DocumentTool(
        name=room.word(tool.name),
        description=spelled(described, room, is_json=False) if described else None,
        schema=spelled(tool.schema, room, is_json=True) if tool.schema else None,
        fields=document_fields(tool.extras, room),
    )


def prompt_counts(found: PromptReading) -> str:
    """Such as ``4 messages, 3 tools``: what is said of a prompt that is withheld."""
    parts = [plural(found.total, "message")]
    if found.tool_total:
        parts.append(plural(found.tool_total, "tool"))
    return ", ".join(parts)
