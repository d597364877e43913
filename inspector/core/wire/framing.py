"""Detects how a body is cut into objects: guessed from its first byte, confirmed at its end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

import msgspec

BOM = b"\xef\xbb\xbf"
JSON_WHITESPACE = b" \t\r\n"
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
"""Matches a line that stands for left-out content, as in the stream printed in document 001."""


class Framing(StrEnum):
    """How a body is cut into objects."""

    DOCUMENT = "document"
    EVENT_STREAM = "event-stream"
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
    """Tells a JSON document from lines, by the first byte after white space and byte-order mark."""

    def __init__(self) -> None:
        self._head = b""
        """Bytes that may be the beginning of a byte-order mark."""
        self._past_mark = False

    def feed(self, data: bytes) -> bool | None:
        """Return True for a document, False for lines of an event stream, None while it is not
        known.
        """
        if not self._past_mark:
            head = self._head + data
            if len(head) < len(BOM) and BOM.startswith(head):
                self._head = head
                return None
            self._past_mark = True
            data = head.removeprefix(BOM)
        rest = data.lstrip(JSON_WHITESPACE)
        return rest[:1] in (b"{", b"[", b'"') if rest else None


def framed_lines(body: bytes) -> Iterator[FramedLine]:
    """Yield the lines of a body that are not blank, each with its byte range."""
    position = 0
    for part in body.split(b"\n"):
        end = position + len(part) + 1
        if part.strip():
            is_ended = end <= len(body)
            yield FramedLine(position, min(end, len(body)), part.strip(JSON_WHITESPACE), is_ended)
        position = end
