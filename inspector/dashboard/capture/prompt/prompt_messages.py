"""Messages of a request as the panel lists them: texts folded, images and files described."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from inspector.core.json.layout import lay_out, lay_out_line
from inspector.core.request.prompt.prompt import (
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
from inspector.formatting.prompt_kinds import KIND_WORDS, pixel_words

HEAD_CHARACTERS = 400
"""Some lines of a message: what it is about."""
MEMBER_HEAD = 160
"""One line of a field beside the text."""
LAID_OUT_HEAD = 1_200
"""Characters of a JSON text over several lines; it is cut behind a line."""
BESIDE_CHARACTERS = 40
"""Longer JSON stands below the name of its field, not beside it."""
LONGEST_ADDRESS = 200
"""A signed address is longer, and its query says nothing to a reader."""
NO_ROLE = "role not sent"


@dataclass(frozen=True, slots=True)
class PromptMemberDisplay:
    name: tuple[TextSegment, ...]
    value: FoldedText
    is_below: bool
    """The value is JSON that needs the width of its table."""
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
    is_laid_out: bool
    """The text is JSON that was sent as a text, here over several lines."""
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
    # Of Gemini's instructions the parts stand in an object of the field.
    is_item = is_in_list and message.pointer != f"/{message.field}/parts"
    return message.role or message.type or (NO_ROLE if is_item else message.field)


def message_facts(message: PromptMessage) -> str:
    """Length of a single text that is folded, or the kinds of several parts."""
    if len(message.parts) == 1:
        text = message.parts[0].text
        is_folded = text is not None and text.length > HEAD_CHARACTERS
        return plural(text.length, "character") if text and is_folded else ""
    kinds = Counter(KIND_WORDS[part.kind] for part in message.parts)
    return ", ".join(word if n == 1 else f"{n} × {word}" for word, n in kinds.items())


def part_display(
    part: PromptPart, folder: TextFolder, *, is_of_result: bool = False
) -> PromptPartDisplay:
    shown = part.text
    is_call = part.kind is PromptPartKind.TOOL_CALL
    layout = layout_of(shown) if shown and (shown.is_json or is_call or is_of_result) else None
    is_of_result = is_of_result or part.kind is PromptPartKind.TOOL_RESULT
    return PromptPartDisplay(
        kind=part.kind,
        words=KIND_WORDS[part.kind],
        type=exact_segments(part.type if part.type != KIND_WORDS[part.kind] else ""),
        name=exact_segments(part.name),
        id=exact_segments(part.id),
        is_error=part.is_error,
        text=folded_text(shown, layout, folder) if shown and shown.head else None,
        is_empty=shown is not None and not shown.length,
        is_code=is_code(part, is_of_result),
        is_laid_out=layout is not None and not (shown and shown.is_json),
        left_out=shown.length - len(shown.head) if shown else 0,
        media=media_display(part.media) if part.media else None,
        parts=tuple(part_display(each, folder, is_of_result=is_of_result) for each in part.parts),
        extras=member_displays(part.extras, folder),
    )


def is_code(part: PromptPart, is_of_result: bool) -> bool:
    if part.kind in (PromptPartKind.TOOL_CALL, PromptPartKind.UNKNOWN):
        return True
    text = part.text
    return text is not None and (text.is_json or (is_of_result and lay_out(text.head) is not None))


def layout_of(text: PromptText) -> str | None:
    """Its JSON over several lines; a text that was sent as one line only if it is too long."""
    if text.length > len(text.head):
        return None
    return lay_out(text.head) if text.is_json else lay_out_line(text.head)


def folded_text(text: PromptText, layout: str | None, folder: TextFolder) -> FoldedText:
    return folder.fold(text.head, HEAD_CHARACTERS) if layout is None else read_text(layout, folder)


def read_text(layout: str, folder: TextFolder) -> FoldedText:
    """Folded behind a line."""
    return folder.fold(layout, layout.rfind("\n", 0, LAID_OUT_HEAD) + 1 or LAID_OUT_HEAD)


def media_display(media: PromptMedia) -> MediaDisplay:
    facts = (
        spell_out_invisible(media.media_type),
        pixel_words(media.pixels),
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
    return tuple(member_display(member, folder, note_of(member)) for member in members)


def member_display(member: PromptMember, folder: TextFolder, note: str) -> PromptMemberDisplay:
    """As JSON: a text keeps its quotes, which tell ``"1"`` from ``1``."""
    value = member.value
    layout = layout_of(value) if value.is_json else None
    spelled = value.head if value.is_json else json.dumps(value.head, ensure_ascii=False)
    rest = "…" if value.length > len(value.head) else ""
    return PromptMemberDisplay(
        name=exact_segments(member.name),
        value=read_text(layout, folder) if layout else folder.fold(spelled + rest, MEMBER_HEAD),
        is_below=layout is not None and len(layout) > BESIDE_CHARACTERS,
        note=note,
    )
