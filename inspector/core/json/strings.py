"""Maps the characters of a JSON string, in UTF-16 units, to the bytes that spell them.

An escape of six bytes is one unit, so an escaped surrogate pair is two escapes and two units. A
character of four UTF-8 bytes is two units with the same bytes. Bytes that are not UTF-8 are one
U+FFFD per maximal subpart (Unicode, section 3.9), as in Python.
"""

import re
from collections.abc import Iterator

_BACKSLASH = ord("\\")
# As in "abc", "\u00e4\u00f6", "\n\t": alike ones in a row.
_PARTS = re.compile(rb"[^\\]++|(?:\\u[0-9a-fA-F]{4})++|(?:\\[^u])++", re.DOTALL).finditer
# As in "\u00e4", "\n".
_ESCAPE = re.compile(rb"\\(?:u[0-9a-fA-F]{4}|[^u])", re.DOTALL).sub
# Blocks that end at a character boundary: in a long string all but one block are only counted.
_BLOCK = re.compile(
    rb"(?:\\u[0-9a-fA-F]{4}|\\[^u]|[\x00-\x5b\x5d-\x7f]|[\xc0-\xff][\x80-\xbf]*+|[\x80-\xbf])"
    rb"{1,8192}+",
    re.DOTALL,
).finditer
# As in "é" (c3 a9), and e2 82 of a "€" that was cut: what one U+FFFD stands for.
_CHARACTER = re.compile(
    rb"""
      [\x00-\x7f]
    | [\xc2-\xdf] [\x80-\xbf]?
    | (?: \xe0 [\xa0-\xbf] | [\xe1-\xec\xee\xef] [\x80-\xbf] | \xed [\x80-\x9f] ) [\x80-\xbf]?
    | (?: \xf0 [\x90-\xbf] | [\xf1-\xf3] [\x80-\xbf] | \xf4 [\x80-\x8f] )
      (?: [\x80-\xbf] [\x80-\xbf]? )?
    | [\x80-\xff]
    """,
    re.VERBOSE | re.DOTALL,
).finditer


def encoded_length_u16(spelt: bytes, *, is_escaped: bool = True) -> int:
    """Return the number of units that the content of a JSON string, without its quotes, spells."""
    if spelt.isascii() and not (is_escaped and b"\\" in spelt):
        return len(spelt)
    return _length_u16(_ESCAPE(b"x", spelt) if is_escaped else spelt)


def bytes_of(
    spelt: bytes, start_u16: int, end_u16: int, *, is_escaped: bool = True
) -> tuple[int, int]:
    """First byte and end of the bytes that spell some units. ``start_u16 < end_u16``."""
    if spelt.isascii() and not (is_escaped and b"\\" in spelt):
        return start_u16, end_u16
    first, _ = _unit(spelt, start_u16, is_escaped)
    _, last = _unit(spelt, end_u16 - 1, is_escaped)
    return first, last


def _parts(spelt: bytes, is_escaped: bool) -> Iterator[tuple[int, bytes, int, int]]:
    """Yield runs of escapes and unescaped text: start, bytes, bytes per escape or 0, and units."""
    if not is_escaped:
        yield 0, spelt, 0, _length_u16(spelt)
        return
    for match in _PARTS(spelt):
        part = match[0]
        if part[0] != _BACKSLASH:
            yield match.start(), part, 0, _length_u16(part)
        else:
            step = 6 if part[1] == ord("u") else 2
            yield match.start(), part, step, len(part) // step


def _length_u16(plain: bytes) -> int:
    if plain.isascii():
        return len(plain)
    return len(plain.decode(errors="replace").encode("utf-16-le")) // 2


def _unit(spelt: bytes, unit: int, is_escaped: bool) -> tuple[int, int]:
    """Bytes that spell one unit; for half a surrogate pair in UTF-8, the whole character's."""
    for block in _BLOCK(spelt) if is_escaped else ():
        length = encoded_length_u16(block[0])
        if unit < length:
            first, last = _unit_in(block[0], unit, is_escaped)
            return block.start() + first, block.start() + last
        unit -= length
    return (len(spelt), len(spelt)) if is_escaped else _unit_in(spelt, unit, is_escaped)


def _unit_in(spelt: bytes, unit: int, is_escaped: bool) -> tuple[int, int]:
    for at, part, step, length in _parts(spelt, is_escaped):
        if unit >= length:
            unit -= length
            continue
        if step:
            return at + unit * step, at + unit * step + step
        first, last = (unit, unit + 1) if part.isascii() else _character(part, unit)
        return at + first, at + last
    return len(spelt), len(spelt)


def _character(plain: bytes, unit: int) -> tuple[int, int]:
    try:
        text = plain.decode()
    except UnicodeDecodeError:
        return _character_slowly(plain, unit)
    units = text.encode("utf-16-le")
    is_second_half = 0xDC <= units[2 * unit + 1] <= 0xDF
    before = units[: 2 * (unit - is_second_half)].decode("utf-16-le")
    start = len(before.encode())
    return start, start + len(text[len(before)].encode())


def _character_slowly(plain: bytes, unit: int) -> tuple[int, int]:
    for match in _CHARACTER(plain):
        length = _length_u16(match[0])
        if unit < length:
            return match.span()
        unit -= length
    return len(plain), len(plain)
