"""Typed netstrings (tnetstrings.org) with mitmproxy's type ``;`` for Unicode text."""

from collections.abc import Iterator
from typing import Any, BinaryIO

from inspector.transfer.entries import BrokenFile

MAX_DIGITS = 9
"""As tnetstrings.org says."""
MAX_DEPTH = 20
"""Levels; a flow of mitmproxy has seven."""
LONGEST_VALUE_BYTES = 100 << 20
"""As of the entries of other files (`json_list`)."""


class BadTnetstring(Exception):
    """Raised for a text that is no value."""


def read_values(stream: BinaryIO) -> Iterator[bytes | None]:
    """Yield the content of each dictionary of a file; None for one that is too long to be read.
    Raises ``BrokenFile`` where the next one cannot be found.
    """
    while (length := _next_length(stream)) is not None:
        if length > LONGEST_VALUE_BYTES:
            stream.seek(length, 1)
            content = None
        else:
            content = stream.read(length)
        if (content is not None and len(content) < length) or stream.read(1) != b"}":
            raise BrokenFile("the file ends within this entry, or is no list of flows from here on")
        yield content


def parse_dictionary(content: bytes) -> dict[str, Any]:
    """Raise ``BadTnetstring``."""
    found = _parsed(memoryview(content), b"}", 0)
    assert isinstance(found, dict)
    return found


def _next_length(stream: BinaryIO) -> int | None:
    digits = b""
    while (byte := stream.read(1)) not in (b":", b""):
        digits += byte
        if not byte.isdigit() or len(digits) > MAX_DIGITS:
            raise BrokenFile("no flow begins here")
    if byte == b"" and not digits:
        return None
    if byte == b"" or not digits:
        raise BrokenFile("the file ends within a length")
    return int(digits)


def _parsed(content: memoryview, kind: bytes, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise BadTnetstring(f"it is more than {MAX_DEPTH} levels deep")
    if kind == b"]":
        return list(_items(content, depth))
    if kind == b"}":
        items = list(_items(content, depth))
        if len(items) % 2:
            raise BadTnetstring("a name has no value")
        names = [_name(name) for name in items[::2]]
        return dict(zip(names, items[1::2], strict=True))
    return _scalar(bytes(content), kind)


def _scalar(content: bytes, kind: bytes) -> Any:
    try:
        match kind:
            case b",":
                return content
            case b";":
                return content.decode()
            case b"#":
                return int(content)
            case b"^":
                return float(content)
            case b"!":
                return {b"true": True, b"false": False}[content]
            case b"~":
                return None
    except (ValueError, KeyError) as error:
        raise BadTnetstring(f"a value is broken: {error}") from error
    raise BadTnetstring(f"a value has the unknown type {kind!r}")


def _items(content: memoryview, depth: int) -> Iterator[Any]:
    at = 0
    while at < len(content):
        length, begin = _length_at(content, at)
        end = begin + length
        if end >= len(content):
            raise BadTnetstring("a value is longer than what holds it")
        yield _parsed(content[begin:end], bytes(content[end : end + 1]), depth + 1)
        at = end + 1


def _length_at(content: memoryview, at: int) -> tuple[int, int]:
    """Return the length of the value that begins here, and where its content begins."""
    digits, colon, _ = bytes(content[at : at + MAX_DIGITS + 1]).partition(b":")
    if not colon or not digits.isdigit():
        raise BadTnetstring("a value has no length")
    return int(digits), at + len(digits) + 1


def _name(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("ascii", "replace")
    if isinstance(value, str):
        return value
    raise BadTnetstring("a name is no text")
