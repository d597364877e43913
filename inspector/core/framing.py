"""How a body is cut into objects: told from its first byte, settled at its end."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

BOM = b"\xef\xbb\xbf"
WHITE = b" \t\r\n"

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
"""A line that stands for what was left out, as the stream printed in document 001 has it."""


class Line(msgspec.Struct, frozen=True):
    byte_start: int
    byte_end: int
    text: bytes
    is_ended: bool


class Sniffer:
    """Tells from the first byte that is neither white space nor mark whether lines or one text
    follow.
    """

    def __init__(self) -> None:
        self._head = b""
        """The beginning of what may be a byte-order mark."""
        self._past_mark = False

    def feed(self, data: bytes) -> bool | None:
        """True: a document; False: lines of an event stream; None: not known yet."""
        if not self._past_mark:
            head = self._head + data
            if len(head) < len(BOM) and BOM.startswith(head):
                self._head = head
                return None
            self._past_mark = True
            data = head.removeprefix(BOM)
        rest = data.lstrip(WHITE)
        return rest[:1] in (b"{", b"[", b'"') if rest else None


def lines(body: bytes) -> Iterator[Line]:
    """The lines of a body that hold more than white space, each with its byte range."""
    position = 0
    for part in body.split(b"\n"):
        end = position + len(part) + 1
        if part.strip():
            is_ended = end <= len(body)
            yield Line(position, min(end, len(body)), part.strip(WHITE), is_ended)
        position = end
