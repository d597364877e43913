"""Text of a call's arguments as sent, with the breaking character and the proposed repair."""

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.completion import ArgumentsState, FunctionCall, ToolCall
from inspector.core.json.edits import EditKind, EditPassage, EditProposal
from inspector.core.tape import length_u16
from inspector.dashboard.capture.tool_calls.call_text import break_offset, breaking_character
from inspector.formatting.invisible_characters import TextSegment, exact_segments

CLIPPED_CHARACTERS = 8_000
"""Shown of a long text, until the whole is asked for."""
MAX_WHOLE = 400_000
"""Characters of the whole that is asked for; beyond it there is the download."""
PART_KINDS = {EditKind.KEPT: "", EditKind.PUT_IN: "put-in", EditKind.LEFT_OUT: "left-out"}


@dataclass(frozen=True, slots=True)
class ArgumentTextPart:
    """A run of the text. ``kind`` is "" (as sent), ``left-out`` (sent, removed by the repair),
    ``put-in`` (added by the repair), ``break`` (the breaking character) or ``gap_part`` (not
    shown).
    """

    kind: str
    text: tuple[TextSegment, ...] = ()
    code: str = ""
    """Code point of the breaking character; empty if the text ends there instead."""
    length: int = 0
    """Length of the part not shown, in characters and in UTF-16 units."""
    length_u16: int = 0


def argument_text_parts(
    call: ToolCall | FunctionCall, proposal: EditProposal | None, limit: int
) -> tuple[ArgumentTextPart, ...]:
    """Return the text with its repair; of a long text, its beginning and the part around
    the break.
    """
    text, at = call.arguments_text, break_or_end_offset(call)
    if len(text) > limit:
        return tuple(clip_around_break(text, at, limit))
    whole = EditPassage(EditKind.KEPT, text)
    return tuple(repaired_parts(proposal.passages if proposal else (whole,), at))


def break_or_end_offset(call: ToolCall | FunctionCall) -> int | None:
    """Offset of the breaking character, or the end of a truncated text."""
    is_broken = call.arguments_state in (ArgumentsState.INVALID, ArgumentsState.TRUNCATED)
    return break_offset(call) if is_broken else None


def repaired_parts(passages: tuple[EditPassage, ...], at: int | None) -> Iterator[ArgumentTextPart]:
    # The marker of a truncated text stands where the repair begins to add characters.
    done, length = 0, sum(len(e.text) for e in passages if e.change is not EditKind.PUT_IN)
    for passage in passages:
        if passage.change is EditKind.PUT_IN:
            if at == done == length:
                yield breaking_part("", 0)
                at = None
            yield ArgumentTextPart("put-in", exact_segments(passage.text))
            continue
        yield from split_at_break(
            passage.text, None if at is None else at - done, PART_KINDS[passage.change]
        )
        done += len(passage.text)
    if at == done:
        yield breaking_part("", 0)


def split_at_break(text: str, at: int | None, kind: str = "") -> Iterator[ArgumentTextPart]:
    """Split a text around the breaking character, if it contains it."""
    if at is None or not 0 <= at < len(text):
        yield ArgumentTextPart(kind, exact_segments(text))
        return
    if at:
        yield ArgumentTextPart(kind, exact_segments(text[:at]))
    yield breaking_part(text, at)
    if at + 1 < len(text):
        yield ArgumentTextPart(kind, exact_segments(text[at + 1 :]))


def breaking_part(text: str, at: int) -> ArgumentTextPart:
    character = text[at : at + 1]
    code = f"{ord(character):x}" if character else ""
    return ArgumentTextPart("break", (TextSegment(breaking_character(text, at)),), code)


def clip_around_break(text: str, at: int | None, limit: int) -> Iterator[ArgumentTextPart]:
    """Keep the beginning and equal parts before and after the break or the end."""
    side = limit // 4
    start = len(text) - 2 * side if at is None else max(min(at - side, len(text) - 2 * side), 0)
    head = min(2 * side, start)
    if head:
        yield ArgumentTextPart("", exact_segments(text[:head]))
    if start > head:
        yield gap_part(text[head:start])
    end = min(start + 2 * side, len(text))
    yield from split_at_break(text[start:end], None if at is None else at - start)
    if at == len(text):
        yield breaking_part("", 0)
    if end < len(text):
        yield gap_part(text[end:])


def gap_part(left_out: str) -> ArgumentTextPart:
    return ArgumentTextPart("gap", length=len(left_out), length_u16=length_u16(left_out))
