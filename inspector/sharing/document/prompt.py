"""The prompt of a document: messages by role, tools, parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.prompt.prompt import (
    PromptMessage,
    PromptPart,
    PromptReading,
    PromptText,
    PromptTool,
)
from inspector.formatting.humanize import plural, size
from inspector.sharing.document.withheld import DocumentText, TextRoom

MAX_MESSAGES = 1_000
KNOWN_ROLES = ("system", "developer", "user", "assistant", "model", "tool", "function")


@dataclass(frozen=True, slots=True)
class DocumentPart:
    words: str
    name: str
    text: DocumentText | None
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DocumentMessage:
    role: str
    parts: tuple[DocumentPart, ...]
    parts_left_out: int


@dataclass(frozen=True, slots=True)
class DocumentTool:
    name: str
    description: DocumentText | None
    schema: DocumentText | None


@dataclass(frozen=True, slots=True)
class DocumentPrompt:
    """``text`` is the beginning of a request that is no JSON object."""

    messages: tuple[DocumentMessage, ...]
    more_messages: int
    tools: tuple[DocumentTool, ...]
    more_tools: int
    parameters: tuple[tuple[str, DocumentText], ...]
    parameter_total: int
    text: DocumentText | None = None


def document_prompt(found: PromptReading, room: TextRoom) -> DocumentPrompt:
    return DocumentPrompt(
        messages=tuple(document_message(each, room) for each in found.messages),
        more_messages=found.total - len(found.messages),
        tools=tuple(document_tool(each, room) for each in found.tools),
        more_tools=found.tool_total - len(found.tools),
        parameters=()
        if room.is_withheld
        else tuple((room.word(each.name), shown(each.value, room)) for each in found.parameters),
        parameter_total=found.parameter_total,
        text=shown(found.text, room) if found.text else None,
    )


def document_message(message: PromptMessage, room: TextRoom) -> DocumentMessage:
    role = message.role or message.type or message.field
    if role not in KNOWN_ROLES:
        role = room.word(role) or "message"
    parts = tuple(part for each in message.parts for part in document_parts(each, room))
    return DocumentMessage(role, parts, message.parts_left_out)


def document_parts(part: PromptPart, room: TextRoom) -> Iterator[DocumentPart]:
    """The part, then those inside it."""
    yield DocumentPart(
        words=str(part.kind).replace("-", " "),
        name=room.word(part.name),
        text=shown(part.text, room) if part.text else None,
        facts=tuple(part_facts(part, room)),
    )
    for inside in part.parts:
        yield from document_parts(inside, room)


def part_facts(part: PromptPart, room: TextRoom) -> Iterator[str]:
    if part.text is not None:
        yield plural(part.text.length, "character")
    if part.media is not None:
        if media_type := room.word(part.media.media_type):
            yield media_type
        if part.media.byte_length is not None:
            yield size(part.media.byte_length)
    if part.is_error:
        yield "error"


def document_tool(tool: PromptTool, room: TextRoom) -> DocumentTool:
    return DocumentTool(
        name=room.word(tool.name),
        description=shown(tool.description, room) if tool.description else None,
        schema=shown(tool.schema, room) if tool.schema else None,
    )


def shown(text: PromptText, room: TextRoom) -> DocumentText:
    return room.text(text.head, text.length)


def prompt_counts(found: PromptReading) -> str:
    """Such as ``4 messages, 3 tools``: what is said of a prompt that is withheld."""
    parts = [plural(found.total, "message")]
    if found.tool_total:
        parts.append(plural(found.tool_total, "tool"))
    return ", ".join(parts)
