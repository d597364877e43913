"""The texts of a body: its strings, and which of them are one text that grew event by event."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.redaction.decoded_text import SpeltPiece
from inspector.core.redaction.json_tokens import (
    JsonFrame,
    JsonString,
    JsonTokens,
    is_root,
    json_tokens,
)
from inspector.core.wire.event_data import ByteRange
from inspector.core.wire.event_frames import PRELUDE, FrameSplitter, begins_frame, payload_range

_NOT_GROWING = frozenset({
    "created_at", "encrypted_content", "event_id", "finish_reason", "id", "item_id", "model",
    "object", "obfuscation", "provider", "role", "signature", "system_fingerprint",
    "thoughtSignature", "tool_call_id", "type",
})  # fmt: skip
"""Names of strings that are whole in every event."""
ALONE_CHARACTERS = 6
"""Shorter strings are searched only together with those that they grow with, if there are any."""
_MACHINE = frozenset({"event", "finish_reason", "object", "role", "status", "stop_reason", "type"})
# As in "chat.completion".
_MACHINE_WORD = re.compile(rb"[a-z_.\-]*+")


@dataclass(frozen=True, slots=True)
class BodySegment:
    """A part of a body that is cut into strings by itself: all of it, or a frame's payload."""

    start: int
    end: int
    tokens: JsonTokens
    """Their places count from ``start``."""
    frame: ByteRange | None = None


@dataclass(frozen=True, slots=True)
class BodyTexts:
    segments: tuple[BodySegment, ...]

    def growing(self) -> Iterator[list[SpeltPiece]]:
        """Yield the pieces of each text that came in several, or is too short to be searched
        alone; not those by which programs go.
        """
        for strings in self._strands():
            pieces, step = [piece for piece, _ in strings], strings[0][1].step
            if step in _MACHINE:
                continue
            if step in _NOT_GROWING:
                yield from ([piece] for piece in pieces if is_short(piece))
            elif len(pieces) > 1 or is_short(pieces[0]):
                yield pieces

    def growing_with_strings(self) -> Iterator[tuple[list[SpeltPiece], JsonString]]:
        """Yield the pieces of each text, with its first string."""
        for strings in self._strands():
            grows = strings[0][1].step not in _NOT_GROWING
            for group in [strings] if grows else [[each] for each in strings]:
                yield [piece for piece, _ in group], group[0][1]
            if grows and len(strings) > 1:
                yield from (([piece], string) for piece, string in strings)

    def _strands(self) -> Iterator[list[tuple[SpeltPiece, JsonString]]]:
        found: dict[object, list[tuple[SpeltPiece, JsonString]]] = {}
        keys = _FrameKeys()
        for segment in self.segments:
            for each in segment.tokens.strings:
                if each.frame is None or each.is_name:
                    continue
                piece = SpeltPiece(segment.start + each.start, segment.start + each.end)
                found.setdefault(keys.place_of(each, each.frame), []).append((piece, each))
        yield from found.values()


class _FrameKeys:
    """Numbers for objects and lists: the same for those in which one text grows, event by event."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}

    def place_of(self, string: JsonString, frame: JsonFrame) -> object:
        """Equal for strings that are parts of one text."""
        parts = frame.parent
        if string.step == "text" and not frame.signs and parts and parts.is_list and parts.parent:
            # The text of a part stands for the list of parts: an event may bring it as a string.
            return self.of(parts.parent), parts.name
        return self.of(frame), "*" if frame.is_list else string.step

    def of(self, frame: JsonFrame) -> int:
        if frame.key < 0:
            frame.key = self._numbers.setdefault(self._key(frame), len(self._numbers))
        return frame.key

    def _key(self, frame: JsonFrame) -> object:
        signs = tuple(sorted(frame.signs.items())) if frame.signs else ()
        if is_root(frame) or frame.parent is None:
            return signs
        # Positions of a list tell nothing: the parts of one event go on in those of the next.
        name = "*" if frame.parent.is_list else frame.name
        return self.of(frame.parent), name, signs


def is_short(piece: SpeltPiece) -> bool:
    return piece.end - piece.start < ALONE_CHARACTERS


def body_texts(body: bytes) -> BodyTexts:
    return BodyTexts(tuple(_segments(body)))


def _segments(body: bytes) -> Iterator[BodySegment]:
    end = 0
    for frame in FrameSplitter().feed(body) if begins_frame(body[:PRELUDE]) else ():
        end = frame.byte_end
        if at := payload_range(body, frame.byte_start, frame.byte_end):
            yield _segment(body, *at, frame.type, (frame.byte_start, frame.byte_end))
    if end < len(body):
        yield _segment(body, end, len(body))


def _segment(
    body: bytes, start: int, end: int, kind: str = "", frame: ByteRange | None = None
) -> BodySegment:
    # Each byte as one character, so that places are those of bytes.
    tokens = json_tokens(body[start:end].decode("latin-1"), kind)
    return BodySegment(start, end, tokens, frame)


def is_machine_word(string: JsonString, spelt: bytes) -> bool:
    """Return True for a word by which programs go, such as the role of a message."""
    return string.step in _MACHINE and _MACHINE_WORD.fullmatch(spelt) is not None
