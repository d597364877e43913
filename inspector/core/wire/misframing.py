"""Event streams that a server framed wrongly in one of the known ways, cut as they were meant.

- ``data: data: {…}``: the server wrote the prefix, and its library wrote it once more.
- No blank lines: by the standard all lines are then the data of one event.
- ``data: "{\\"id\\": …}"``: the object was encoded as JSON twice.
- ``b'data: {…}\\n\\n'``, or ``\\n`` behind an object or between two: what programs print of bytes
  or text.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

import msgspec

from inspector.core.wire.framing import BOM

MOST_LAYERS = 4
"""Prefixes before one object, and encodings of it, that are undone."""
# As in "data: {}\r\n"; the last one may be without its end.
_LINE = re.compile(rb"([^\r\n]*+)(?:\r\n|\n|\r|\Z)")
# As in "data: ".
_FIELD = re.compile(rb"(data|event|id|retry):[ ]?")
# As in "\n" and "\xc3", as Python prints bytes.
_ESCAPE = re.compile(rb"\\(?:x([0-9a-fA-F]{2})|(.))", re.DOTALL)
# As in '{"a": 1}\n\ndata: {…', with "\" and "n" in place of the line end.
_PRINTED_ENDS = re.compile(rb"(?<=[}\]])(?:(?:\\r)?\\n)+(?=(?:data|event|id|retry)?:|\s*\Z)")
_MEANT = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}


class Misframing(StrEnum):
    PREFIX_REPEATED = "prefix-repeated"
    BLANK_LINES_MISSING = "blank-lines-missing"
    ENCODED_TWICE = "encoded-twice"
    PRINTED = "printed"


class MeantLine(NamedTuple):
    """A line of a stream; ``data`` is what was meant as an event's, None for a line without."""

    byte_start: int
    byte_end: int
    data: bytes | None
    type: bytes
    faults: frozenset[Misframing]


def meant_lines(body: bytes) -> Iterator[MeantLine]:
    """Yield the lines with fields of a stream in their order; each line of data is an event."""
    event_type, is_open = b"", False
    ended = _PRINTED_ENDS.sub(_line_ends, body)
    printed = frozenset[Misframing]() if ended == body else {Misframing.PRINTED}
    body = ended
    start = len(BOM) if body.startswith(BOM) else 0
    while start < len(body):
        line = _LINE.match(body, start)
        assert line is not None
        first, start = start, max(line.end(), start + 1)
        if not line[1]:
            event_type, is_open = b"", False
            continue
        name, value, faults = _undone(line[1])
        faults |= printed
        if name == b"event":
            event_type = value
        if name != b"data":
            yield MeantLine(first, line.end(), None, event_type, faults)
            continue
        if is_open:
            faults |= {Misframing.BLANK_LINES_MISSING}
        is_open = True
        yield MeantLine(first, line.end(), value, event_type, faults)
        event_type = b""


def _line_ends(found: re.Match[bytes]) -> bytes:
    """Line ends in place of what was printed of them, of the same length."""
    return b"\n" * len(found[0])


def _undone(line: bytes) -> tuple[bytes, bytes, frozenset[Misframing]]:
    """Name and value of a line, less prefixes and encodings that stand there once too often."""
    name, value, faults = b"", line, set()
    for _ in range(2 * MOST_LAYERS):
        if field := _FIELD.match(value):
            if name:
                faults.add(Misframing.PREFIX_REPEATED)
            name, value = field[1], value[field.end() :]
        elif (inner := _decoded(value)) is not None:
            value = inner
            faults.add(Misframing.ENCODED_TWICE)
        elif (inner := _printed(value)) is not None:
            value = inner
            faults.add(Misframing.PRINTED)
        else:
            break
    return name, value, frozenset(faults)


def _printed(value: bytes) -> bytes | None:
    """Return the bytes printed as ``b'…'``, or with line ends as printed; None for others."""
    quote = value[1:2]
    if value[:1] == b"b" and quote in (b"'", b'"') and value[-1:] == quote:
        return _ESCAPE.sub(_escaped, value[2:-1]).strip()
    end = len(value)
    while value[end - 2 : end] in (b"\\n", b"\\r"):
        end -= 2
    return value[:end] if end < len(value) else None


def _escaped(found: re.Match[bytes]) -> bytes:
    return bytes.fromhex(found[1].decode()) if found[1] else _MEANT.get(found[2], found[2])


def _decoded(value: bytes) -> bytes | None:
    """Return the text inside a JSON text with an object or end mark in it; None for others."""
    if not value.startswith(b'"'):
        return None
    try:
        text = msgspec.json.decode(value, type=str)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    if not text.lstrip().startswith(("{", '"', "[DONE]", "data:")):
        return None
    return text.strip().encode(errors="replace")
