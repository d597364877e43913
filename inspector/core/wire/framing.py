"""Detects how a body is cut into objects: guessed from its first byte, confirmed at its end."""

import re
from collections.abc import Iterator
from enum import StrEnum

import msgspec

from inspector.core.wire.event_frames import PRELUDE, begins_frame

BOM = b"\xef\xbb\xbf"
JSON_WHITESPACE = b" \t\r\n"
_WHITESPACE = frozenset({b" ", b"\t", b"\r", b"\n"})
_FIRST_OF_TEXT = 0x20
"""Below are control characters: binary frames begin with a length, whose first bytes are 0."""
# As in "\n> > " in front of a line that was quoted twice.
QUOTED_LINE = re.compile(rb"\n(?:[ \t]*+>)++")

is_elision = re.compile(
    rb"""
    \s*+ (?:
        (?: (?://|\#) \s*+ )? [\[({"']? (?:\.{3,}+|\xe2\x80\xa6) [\])}"']? ,?
    |
        // [^\n]*? (?:\.{3}|\xe2\x80\xa6) [^\n]*+
    |
        [\[(<] [^\n\[\](){}<>"]{0,80}+ (?<=\.{3}) [\])>]
    ) \s*+ \Z
    """,
    re.VERBOSE,
).match
"""Matches a line that stands for left-out content, as OpenAI's reference prints a stream."""


class Framing(StrEnum):
    """How a body is cut into objects."""

    DOCUMENT = "document"
    EVENT_STREAM = "event-stream"
    EVENT_FRAMES = "event-frames"
    """Binary frames, each with the type of its event and with JSON."""
    LINES = "lines"
    ARRAY = "array"
    PASTED = "pasted"
    """One answer inside a longer text."""
    PASTED_STREAM = "pasted-stream"
    TEXT = "text"
    EMPTY = "empty"


class Ending(StrEnum):
    """How a body ends: at a boundary, with a whole event that lacks its blank line, or cut off."""

    CLEAN = "clean"
    WHOLE_TAIL = "whole-tail"
    CUT = "cut"


class FramedLine(msgspec.Struct, frozen=True):
    byte_start: int
    byte_end: int
    text: bytes
    is_ended: bool


class Sniffer:
    """Tells a JSON document from lines, by the first byte after white space and byte-order mark.
    Both are told from binary frames by how these begin. ``declares_frames``: the content type says
    that there are frames, so that a damaged one is taken for one, too.
    """

    def __init__(self, *, declares_frames: bool = False) -> None:
        self._declares_frames = declares_frames
        self._head = b""
        """Bytes that may be the beginning of a byte-order mark or of a frame."""
        self._past_mark = False

    def feed(self, data: bytes) -> Framing | None:
        """Return the framing; None while it is not known."""
        if not self._past_mark:
            head = self._head + data
            if head[:1] and head[0] < _FIRST_OF_TEXT and head[:1] not in _WHITESPACE:
                return self._binary(head)
            if len(head) < len(BOM) and BOM.startswith(head):
                self._head = head
                return None
            self._past_mark = True
            data = head.removeprefix(BOM)
        rest = data.lstrip(JSON_WHITESPACE)
        if not rest:
            return None
        return Framing.DOCUMENT if rest[:1] in (b"{", b"[", b'"') else Framing.EVENT_STREAM

    def _binary(self, head: bytes) -> Framing | None:
        """Tell frames from other bytes that begin no text."""
        if self._declares_frames or begins_frame(head):
            return Framing.EVENT_FRAMES
        self._head = head
        return None if len(head) < PRELUDE else Framing.EVENT_STREAM


def framed_lines(text: bytes) -> Iterator[FramedLine]:
    """Yield a text's lines that are not blank, with byte ranges."""
    position, last = 0, len(text)
    for part in text.split(b"\n"):
        end = position + len(part) + 1
        if part.strip():
            is_ended = end <= last
            yield FramedLine(position, min(end, last), part.strip(JSON_WHITESPACE), is_ended)
        position = end
