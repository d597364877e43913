"""Bytes of a text as the lines and columns that editors count."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

_CONTINUATION = bytes(range(0x80, 0xC0))
"""Bytes that go on with a character of UTF-8 instead of beginning one."""


class Position(msgspec.Struct, frozen=True):
    """Both count from 1; a column is a character (code point), a line ends with LF."""

    line: int
    column: int


def positions(body: bytes, offsets: Iterable[int]) -> dict[int, Position]:
    """Where bytes stand, by their offset; linear in the body, however many are asked for.

    An offset behind the last byte is the place where the next one would stand.
    """
    found: dict[int, Position] = {}
    line = column = 1
    at = 0
    for offset in sorted(set(offsets)):
        passed = body[at:offset]
        if ends := passed.count(b"\n"):
            line, column = line + ends, 1
            passed = passed[passed.rindex(b"\n") + 1 :]
        column += len(passed.translate(None, _CONTINUATION))
        found[offset] = Position(line, column)
        at = offset
    return found
