"""Hex dump of a window of bytes with one highlighted byte."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

ROW = 16
NARROW_ROW = 8
WINDOW = 1_024
NEARBY_BYTES = 48
"""Bytes shown around a byte beside the text view."""

# As in "0x1f40", "1f40".
OFFSET = re.compile(r"(0[xX])?([0-9a-fA-F]{1,12})")


@dataclass(frozen=True, slots=True)
class HexRun:
    """A run of bytes with the same highlight: ``kind`` is "", ``lit`` or ``break``."""

    digits: str
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class HexRow:
    start: int
    end: int
    runs: tuple[HexRun, ...]


@dataclass(frozen=True, slots=True)
class HexWindow:
    """Bytes ``start`` to ``end`` of ``total``; ``first_lit`` is the highlighted byte, if any."""

    rows: tuple[HexRow, ...]
    start: int
    end: int
    total: int
    length: int
    first_lit: int | None
    trouble: str = ""
    """Why the requested offset cannot be shown."""

    @property
    def before(self) -> int | None:
        return max(0, self.start - self.length) if self.start else None

    @property
    def after(self) -> int | None:
        return self.end if self.end < self.total else None

    @property
    def last(self) -> int:
        return max(0, (self.total - 1) // self.length * self.length)


def window_at(body: bytes, offset: str, until: str = "") -> HexWindow:
    """Return the window that contains a typed offset; the first window if none was given."""
    start_byte, end = parse_offset(offset), parse_offset(until)
    byte = min(start_byte or 0, max(0, len(body) - 1))
    lit = range(byte, max(byte + 1, end or 0)) if start_byte is not None else range(0)
    start = byte // WINDOW * WINDOW
    return HexWindow(
        rows=tuple(hex_rows(body, start, min(start + WINDOW, len(body)), ROW, lit, "lit")),
        start=start,
        end=min(start + WINDOW, len(body)),
        total=len(body),
        length=WINDOW,
        first_lit=lit.start if lit else None,
        trouble=offset_problem(offset, start_byte, len(body)),
    )


def window_around(body: bytes, byte: int, kind: str) -> tuple[HexRow, ...]:
    """Return the few rows around one byte."""
    middle = byte // NARROW_ROW * NARROW_ROW
    start = max(0, middle - NEARBY_BYTES // 2)
    end = min(len(body), start + NEARBY_BYTES)
    return tuple(hex_rows(body, start, end, NARROW_ROW, range(byte, byte + 1), kind))


def parse_offset(text: str) -> int | None:
    """Parse ``1,024``, ``1 024`` or ``0x400``; None if it is no offset."""
    match = OFFSET.fullmatch(re.sub(r"[\s,_']", "", text))
    if match is None or not (match[1] or match[2].isdigit()):
        return None
    return int(match[2], 16 if match[1] else 10)


def offset_problem(text: str, start_byte: int | None, total: int) -> str:
    if start_byte is None:
        return f"{text[:40]!r} is not an offset." if text.strip() else ""
    if start_byte >= total:
        return f"Byte {start_byte:,} is after the end; the last byte is {max(0, total - 1):,}."
    return ""


def hex_rows(
    body: bytes, start: int, end: int, length: int, lit: range, kind: str
) -> Iterator[HexRow]:
    for at in range(start, end, length):
        stop = min(at + length, end)
        yield HexRow(at, stop, tuple(hex_runs(body, at, stop, lit, kind)))


def hex_runs(body: bytes, start: int, end: int, lit: range, kind: str) -> Iterator[HexRun]:
    first, last = max(start, lit.start), min(end, lit.stop)
    if first >= last:
        yield hex_run(body[start:end], "")
        return
    for piece, piece_kind in (
        (body[start:first], ""),
        (body[first:last], kind),
        (body[last:end], ""),
    ):
        if piece:
            yield hex_run(piece, piece_kind)


def hex_run(piece: bytes, kind: str) -> HexRun:
    text = "".join(chr(byte) if 0x20 <= byte < 0x7F else "·" for byte in piece)
    return HexRun(piece.hex(" "), text, kind)
