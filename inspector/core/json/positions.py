"""Converts byte offsets to the lines and columns that editors show."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

_CONTINUATION = bytes(range(0x80, 0xC0))
"""Continuation bytes of UTF-8, which do not begin a character."""


class TextPosition(msgspec.Struct, frozen=True):
    """Line and column, from 1. A column is a character (code point); a line ends with LF."""

    line: int
    column: int


def text_positions(body: bytes, offsets: Iterable[int]) -> dict[int, TextPosition]:
    """Return the position of each offset, in one pass over the body.

    An offset behind the last byte is the position at which the next one would stand.
    """
    found: dict[int, TextPosition] = {}
    line = column = 1
    at = 0
    for offset in sorted(set(offsets)):
        passed = body[at:offset]
        if ends := passed.count(b"\n"):
            line, column = line + ends, 1
            passed = passed[passed.rindex(b"\n") + 1 :]
        column += len(passed.translate(None, _CONTINUATION))
        found[offset] = TextPosition(line, column)
        at = offset
    return found
