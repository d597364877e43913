"""Finds the data of HTTP's chunked transfer coding in a body from which nobody removed it."""

import re
from collections.abc import Iterator

from inspector.core.wire.event_data import ByteRange

# As in "1f4\r\n" and "1f4;name=value\r\n".
_SIZE = re.compile(rb"([0-9a-fA-F]{1,8})[ \t]*+(?:;[^\r\n]{0,200}+)?\r?\n").match
_LINE_END = re.compile(rb"\r?\n").match
# Trailer fields as in "Expires: 0\r\n", and the line that ends a body (RFC 9112, section 7.1).
_BODY_END = re.compile(rb"(?:[\w!#$%&'*+.^`|~-]{1,100}+:[^\r\n]*+\r?\n)*+(?:\r?\n)?\Z").match


def chunk_ranges(body: bytes) -> list[ByteRange]:
    """Return where the data of each chunk stands; empty unless all of the body is so coded."""
    ranges = list(_chunks(body))
    return ranges[:-1] if ranges and ranges[-1][0] == ranges[-1][1] else []


def _chunks(body: bytes) -> Iterator[ByteRange]:
    """Yield the chunks as far as their sizes are true, with the empty one that is the last."""
    at = 0
    while size := _SIZE(body, at):
        start, end = size.end(), size.end() + int(size[1], 16)
        if start == end:
            if _BODY_END(body, end):
                yield start, end
            return
        if (ended := _LINE_END(body, end)) is None:
            return
        yield start, end
        at = ended.end()
