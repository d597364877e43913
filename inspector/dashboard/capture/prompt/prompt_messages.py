"""Messages of a request as the panel lists them: texts folded, images and files described."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from inspector.core.prompt.prompt import (
    PromptMedia,
    PromptMember,
    PromptMessage,
    PromptPart,
    PromptPartKind,
    PromptText,
)
from inspector.dashboard.capture.choices.footnotes import link_of
from inspector.dashboard.text.folded_text import FoldedText, TextFolder
from inspector.formatting.humanize import plural, size
from inspector.formatting.invisible_characters import (
    TextSegment,
    exact_segments,
    spell_out_invisible,
)

HEAD_CHARACTERS = 400
MEMBER_HEAD = 160
LONGEST_ADDRESS = 200
KIND_WORDS = {
    PromptPartKind.TEXT: "text",
    PromptPartKind.REASONING: "reasoning",
    PromptPartKind.REFUSAL: "refusal",
    PromptPartKind.TOOL_CALL: "tool call",
    PromptPartKind.TOOL_RESULT: "tool result",
    PromptPartKind.IMAGE: "image",
    PromptPartKind.AUDIO: "sound",
    PromptPartKind.VIDEO: "video",
    PromptPartKind.FILE: "file",
    PromptPartKind.UNKNOWN: "JSON",
}
NO_ROLE = "role not sent"


@dataclass(frozen=True, slots=True)
class PromptMemberDisplay:
    name: tuple[TextSegment, ...]
    value: FoldedText
    note: str = ""


@dataclass(frozen=True, slots=True)
class MediaDisplay:
    """An image, sound or file that is described and never loaded."""

    facts: tuple[str, ...]
    address: tuple[TextSegment, ...]
    link: str
    """The address if it may be linked."""


@dataclass(frozen=True, slots=True)
class PromptPartDisplay:
    kind: str
    words: str
    type: tuple[TextSegment, ...]
    name: tuple[TextSegment, ...]
    id: tuple[TextSegment, ...]
    is_error: bool
    text: FoldedText | None
    is_empty: bool
    """The text was sent, and is empty."""
    is_code: bool
    left_out: int
    """Characters of the text that were not read."""
    media: MediaDisplay | None
    parts: tuple[PromptPartDisplay, ...]
    extras: tuple[PromptMemberDisplay, ...]


@dataclass(frozen=True, slots=True)
class MessageDisplay:
    anchor: str
    title: tuple[TextSegment, ...]
    is_field: bool
    """The title is the name of a field of the request, or a type, and no role."""
    name: tuple[TextSegment, ...]
    facts: str
    pointer: str
    parts: tuple[PromptPartDisplay, ...]
    parts_left_out: int
    extras: tuple[PromptMemberDisplay, ...]


def message_displays(
    messages: Iterable[PromptMessage], folder: TextFolder
) -> tuple[MessageDisplay, ...]:
    return tuple(message_display(each, folder) for each in messages)


def message_display(message: PromptMessage, folder: TextFolder) -> MessageDisplay:
    return MessageDisplay(
        anchor=message_anchor(message.number),
        title=exact_segments(message_title(message)),
        is_field=not message.role,
        name=exact_segments(message.name),
        facts=message_facts(message),
        pointer=message.pointer,
        parts=tuple(part_display(part, folder) for part in message.parts),
        parts_left_out=message.parts_left_out,
        extras=member_displays(message.extras, folder),
    )


def message_anchor(number: int) -> str:
    return f"prompt-{number}"


def message_title(message: PromptMessage) -> str:
    """Its role; without one the type of the item, or the field of the request that it is."""
    is_in_list = "/" in message.pointer[1:] and message.field not in ("prompt", "inputs")
    is_item = is_in_list and not is_instructions(message)
    return message.role or message.type or (NO_ROLE if is_item else message.field)


def is_instructions(message: PromptMessage) -> bool:
    """True for Gemini's instructions, whose parts stand in an object of the field."""
    return message.pointer == f"/{message.field}/parts"


def message_facts(message: PromptMessage) -> str:
    """Length of a single text, else the kinds of its parts."""
    if len(message.parts) == 1 and (text := message.parts[0].text) is not None:
        return plural(text.length, "character")
    kinds = Counter(KIND_WORDS[part.kind] for part in message.parts)
    return ", ".join(word if n == 1 else f"{n} × {word}" for word, n in kinds.items())


def part_display(part: PromptPart, folder: TextFolder) -> PromptPartDisplay:
    shown = part.text
    return PromptPartDisplay(
        kind=part.kind,
        words=KIND_WORDS[part.kind],
        type=exact_segments(part.type),
        name=exact_segments(part.name),
        id=exact_segments(part.id),
        is_error=part.is_error,
        text=folder.fold(shown.head, HEAD_CHARACTERS) if shown and shown.head else None,
        is_empty=shown is not None and not shown.length,
        is_code=part.kind in (PromptPartKind.TOOL_CALL, PromptPartKind.UNKNOWN)
        or bool(shown and shown.is_json),
        left_out=shown.length - len(shown.head) if shown else 0,
        media=media_display(part.media) if part.media else None,
        parts=tuple(part_display(inner, folder) for inner in part.parts),
        extras=member_displays(part.extras, folder),
    )


def media_display(media: PromptMedia) -> MediaDisplay:
    facts = (
        spell_out_invisible(media.media_type),
        "" if media.byte_length is None else size(media.byte_length),
    )
    rest = "…" if len(media.address) > LONGEST_ADDRESS else ""
    return MediaDisplay(
        facts=tuple(filter(None, facts)),
        address=exact_segments(media.address[:LONGEST_ADDRESS] + rest),
        link=link_of(media.address),
    )


def member_displays(
    members: Iterable[PromptMember],
    folder: TextFolder,
    note_of: Callable[[PromptMember], str] = lambda member: "",
) -> tuple[PromptMemberDisplay, ...]:
    return tuple(
        PromptMemberDisplay(
            exact_segments(member.name),
            folded_member(member.value, folder),
            note_of(member),
        )
        for member in members
    )


def folded_member(value: PromptText, folder: TextFolder) -> FoldedText:
    """As JSON: a text keeps its quotes, which tell ``"1"`` from ``1``."""
    spelled = value.head if value.is_json else json.dumps(value.head, ensure_ascii=False)
    rest = "…" if value.length > len(value.head) else ""
    return folder.fold(spelled + rest, MEMBER_HEAD)
