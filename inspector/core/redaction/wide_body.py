"""Bodies in UTF-16 and UTF-32: searched as UTF-8, overwritten in units of their own."""

import codecs
import re
from collections.abc import Iterable
from typing import NamedTuple

from inspector.core.wire.event_data import ByteRange
from inspector.core.wire.event_frames import PRELUDE, begins_frame

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""UTF-32's first: one of them begins like one of UTF-16's."""
# RFC 4627, section 3: JSON begins with two ASCII characters, so its zeros tell the encoding.
_ZEROS = (
    (re.compile(rb"(?:\0\0\0[^\0]){2}"), "utf-32-be"),
    (re.compile(rb"(?:[^\0]\0\0\0){2}"), "utf-32-le"),
    (re.compile(rb"(?:\0[^\0]){4}"), "utf-16-be"),
    (re.compile(rb"(?:[^\0]\0){4}"), "utf-16-le"),
)
_LONE_HALVES = "surrogatepass"
"""Half a surrogate pair is kept: a stream may be cut there."""


class WideText(NamedTuple):
    """A body's text as UTF-8, and the encoding that it came in."""

    utf8: bytes
    encoding: str


def wide_text(body: bytes) -> WideText | None:
    """None for a body in any other encoding; else as much as can be decoded."""
    encoding = _encoding(body)
    if encoding is None:
        return None
    try:
        text = body.decode(encoding, _LONE_HALVES)
    except UnicodeDecodeError as error:
        text = body[: error.start].decode(encoding, _LONE_HALVES)
    return WideText(text.encode("utf-8", _LONE_HALVES), encoding)


def wide_ranges(wide: WideText, ranges: Iterable[ByteRange]) -> dict[ByteRange, ByteRange]:
    """Map ranges of the UTF-8 text to those of the body."""
    wanted = set(ranges)
    places = _places(wide, {place for each in wanted for place in each})
    return {(start, end): (places[start], places[end]) for start, end in wanted}


def widened(masked: bytes, units: int, encoding: str) -> bytes:
    """Return the overwritten passages, in as many units as they took before."""
    text = masked.decode("ascii")
    return (text if len(text) == units else "*" * units).encode(encoding)


def unit_bytes(encoding: str) -> int:
    return 4 if encoding.startswith("utf-32") else 2


def _places(wide: WideText, wanted: set[int]) -> dict[int, int]:
    found: dict[int, int] = {}
    before = place = 0
    for at in sorted(wanted):
        text = wide.utf8[before:at].decode("utf-8", _LONE_HALVES)
        place += len(text.encode(wide.encoding, _LONE_HALVES))
        found[at], before = place, at
    return found


def _encoding(body: bytes) -> str | None:
    if begins_frame(body[:PRELUDE]):
        return None
    marked = (
        encoding
        for mark, encoding in _MARKS
        if body.startswith(mark) and not _is_plain(body[len(mark) :][:PRELUDE])
    )
    shaped = (encoding for zeros, encoding in _ZEROS if zeros.match(body))
    return next(marked, None) or next(shaped, None)


def _is_plain(text: bytes) -> bool:
    """Return True for ASCII, which no mark makes wide."""
    return text.isascii() and b"\0" not in text
