"""Bytes as hexadecimal beside their ASCII, a window at a time, with one place in them marked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

ROW = 16
NARROW_ROW = 8
WINDOW = 1_024
BESIDE = 48
"""So many bytes around a place stand beside the text."""

OFFSET = re.compile(r"(0[xX])?([0-9a-fA-F]{1,12})")


@dataclass(frozen=True, slots=True)
class Run:
    """Bytes of one row that are marked alike: ``kind`` is "", ``lit`` or ``break``."""

    digits: str
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class HexRow:
    start: int
    end: int
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class HexWindow:
    """``start`` to ``end`` of ``total`` bytes; ``first_lit`` is the marked byte, if one is."""

    rows: tuple[HexRow, ...]
    start: int
    end: int
    total: int
    length: int
    first_lit: int | None
    trouble: str = ""
    """Why the place that was asked for is not shown."""

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
    """The window that holds an offset as somebody typed it; the first one where none was asked."""
    asked, end = offset_of(offset), offset_of(until)
    byte = min(asked or 0, max(0, len(body) - 1))
    lit = range(byte, max(byte + 1, end or 0)) if asked is not None else range(0)
    start = byte // WINDOW * WINDOW
    return HexWindow(
        rows=tuple(rows_of(body, start, min(start + WINDOW, len(body)), ROW, lit, "lit")),
        start=start,
        end=min(start + WINDOW, len(body)),
        total=len(body),
        length=WINDOW,
        first_lit=lit.start if lit else None,
        trouble=trouble(offset, asked, len(body)),
    )


def around(body: bytes, byte: int, kind: str) -> tuple[HexRow, ...]:
    """A few rows around one byte, to stand beside the text."""
    middle = byte // NARROW_ROW * NARROW_ROW
    start = max(0, middle - BESIDE // 2)
    end = min(len(body), start + BESIDE)
    return tuple(rows_of(body, start, end, NARROW_ROW, range(byte, byte + 1), kind))


def offset_of(text: str) -> int | None:
    """``1,024``, ``1 024`` and ``0x400`` are the same offset; None for what is none."""
    match = OFFSET.fullmatch(re.sub(r"[\s,_']", "", text))
    if match is None or not (match[1] or match[2].isdigit()):
        return None
    return int(match[2], 16 if match[1] else 10)


def trouble(text: str, asked: int | None, total: int) -> str:
    if asked is None:
        return f"{text[:40]!r} is not an offset." if text.strip() else ""
    if asked >= total:
        return f"Byte {asked:,} is after the end; the last byte is {max(0, total - 1):,}."
    return ""


def rows_of(
    body: bytes, start: int, end: int, length: int, lit: range, kind: str
) -> Iterator[HexRow]:
    for at in range(start, end, length):
        stop = min(at + length, end)
        yield HexRow(at, stop, tuple(runs_of(body, at, stop, lit, kind)))


def runs_of(body: bytes, start: int, end: int, lit: range, kind: str) -> Iterator[Run]:
    first, last = max(start, lit.start), min(end, lit.stop)
    if first >= last:
        yield run(body[start:end], "")
        return
    for piece, said in ((body[start:first], ""), (body[first:last], kind), (body[last:end], "")):
        if piece:
            yield run(piece, said)


def run(piece: bytes, kind: str) -> Run:
    text = "".join(chr(byte) if 0x20 <= byte < 0x7F else "·" for byte in piece)
    return Run(piece.hex(" "), text, kind)
