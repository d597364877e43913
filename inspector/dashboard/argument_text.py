"""A call's argument text as it came, with the character that breaks it and the proposed repair."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.completion import ArgumentsState, FunctionCall, ToolCall
from inspector.core.passages import Change, Passage, Proposal
from inspector.dashboard.arguments import breaking_at, shown_breaking
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.provenance import u16_length

CLIPPED = 8_000
"""Characters of a long text that are shown."""
MAX_WHOLE = 400_000
"""Of one that is asked for whole."""
KINDS = {Change.KEPT: "", Change.PUT_IN: "put-in", Change.LEFT_OUT: "left-out"}


@dataclass(frozen=True, slots=True)
class Piece:
    """``kind``: empty as it came, ``left-out`` of the repair though it came, ``put-in`` by it,
    ``break`` the breaking character, ``gap`` characters that are not shown.
    """

    kind: str
    text: tuple[Segment, ...] = ()
    code: str = ""
    """Number of the breaking character; empty where the text ends instead."""
    length: int = 0
    """Of what is not shown, in characters and in UTF-16 units."""
    length_u16: int = 0


def pieces_of(
    call: ToolCall | FunctionCall, proposal: Proposal | None, limit: int
) -> tuple[Piece, ...]:
    """All of a text with its repair; of a longer one its beginning and where it breaks or ends."""
    text, at = call.arguments_text, broken_at(call)
    if len(text) > limit:
        return tuple(clipped(text, at, limit))
    whole = Passage(Change.KEPT, text)
    return tuple(told(proposal.passages if proposal else (whole,), at))


def broken_at(call: ToolCall | FunctionCall) -> int | None:
    """The breaking character; the end of a text that was cut."""
    is_broken = call.arguments_state in (ArgumentsState.INVALID, ArgumentsState.TRUNCATED)
    return breaking_at(call) if is_broken else None


def told(passages: tuple[Passage, ...], at: int | None) -> Iterator[Piece]:
    """The cell of a text that was cut stands where the repair begins to put in."""
    done, length = 0, sum(len(e.text) for e in passages if e.change is not Change.PUT_IN)
    for passage in passages:
        if passage.change is Change.PUT_IN:
            if at == done == length:
                yield breaking("", 0)
                at = None
            yield Piece("put-in", exact(passage.text))
            continue
        yield from split(passage.text, None if at is None else at - done, KINDS[passage.change])
        done += len(passage.text)
    if at == done:
        yield breaking("", 0)


def split(text: str, at: int | None, kind: str = "") -> Iterator[Piece]:
    """A text around its breaking character, where that stands in it."""
    if at is None or not 0 <= at < len(text):
        yield Piece(kind, exact(text))
        return
    if at:
        yield Piece(kind, exact(text[:at]))
    yield breaking(text, at)
    if at + 1 < len(text):
        yield Piece(kind, exact(text[at + 1 :]))


def breaking(text: str, at: int) -> Piece:
    character = text[at : at + 1]
    code = f"{ord(character):x}" if character else ""
    return Piece("break", (Segment(shown_breaking(text, at)),), code)


def clipped(text: str, at: int | None, limit: int) -> Iterator[Piece]:
    """The beginning, then as much on both sides of the break, or the end."""
    side = limit // 4
    start = len(text) - 2 * side if at is None else max(min(at - side, len(text) - 2 * side), 0)
    head = min(2 * side, start)
    if head:
        yield Piece("", exact(text[:head]))
    if start > head:
        yield gap(text[head:start])
    end = min(start + 2 * side, len(text))
    yield from split(text[start:end], None if at is None else at - start)
    if at == len(text):
        yield breaking("", 0)
    if end < len(text):
        yield gap(text[end:])


def gap(left_out: str) -> Piece:
    return Piece("gap", length=len(left_out), length_u16=u16_length(left_out))
