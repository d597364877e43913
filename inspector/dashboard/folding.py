"""One line of raw text in bits: as it is, equal to what the first event said, or left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from os.path import commonprefix

from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.lines import Line
from inspector.dashboard.marks import Segment, exact

LEAST_FOLD = 24
LONG = 2_000
HEAD = 1_000
TAIL = 600
MOST_MIDDLE = 40_000
"""A longer middle is not sent to the page: the download has it."""


@dataclass(frozen=True, slots=True)
class Bit:
    """``kind``: "" as it is, ``fold`` equal to the first event, ``break`` the byte that breaks,
    ``lit`` the one that was asked for, ``middle`` of a long line, ``omitted`` a middle too long
    for a page.
    """

    segments: tuple[Segment, ...]
    kind: str = ""
    length: int = 0
    is_unknown: bool = False
    """It belongs to a field that the dialect does not define."""


def bits_of(
    view: CaptureView,
    line: Line,
    breaking: int | None = None,
    unknown: Sequence[tuple[int, int]] = (),
    asked: int | None = None,
) -> tuple[Bit, ...]:
    """``breaking`` is the byte of the body that an error points at, where it is in this line;
    ``unknown`` are the bytes of fields that the dialect does not define; ``asked`` is a byte that
    somebody looks for, which nothing may fold away.
    """
    raw = view.lines.bytes_of(line)
    lit = character_at(raw, asked - line.start) if asked is not None else range(0)
    is_open = view.all_bytes or bool(lit)
    start, end = (0, 0) if is_open else repeated(view, line, raw)
    bits: list[Bit] = []
    if end:
        bits = [as_is(raw[:start]), Bit(exact(decoded(raw[start:end])), "fold", end - start)]
    broken = character_at(raw, breaking - line.start) if breaking is not None else range(0)
    fields = [range(first - line.start, last - line.start) for first, last in unknown]
    edges = {edge for part in (broken, lit, *fields) for edge in (part.start, part.stop)}
    cuts = sorted({end, len(raw), *(edge for edge in edges if end < edge < len(raw))})
    for first, last in pairwise(cuts):
        piece = raw[first:last]
        if first in broken:
            bits.append(Bit(exact(decoded(piece)), "break"))
        elif first in lit:
            bits.append(Bit(exact(decoded(piece)), "lit"))
        else:
            is_unknown = any(first in part for part in fields)
            bits += [replace(bit, is_unknown=is_unknown) for bit in clipped(piece)]
    return tuple(bits)


def character_at(raw: bytes, at: int) -> range:
    """The character that begins at a place, nothing where the line does not reach there."""
    return range(at, at + character_length(raw, at)) if 0 <= at < len(raw) else range(0)


def as_is(raw: bytes) -> Bit:
    return Bit(exact(decoded(raw)))


def character_length(raw: bytes, at: int) -> int:
    """How many bytes the character of UTF-8 has that begins at a place."""
    length = 1
    while length < 4 and at + length < len(raw) and raw[at + length] & 0xC0 == 0x80:
        length += 1
    return length


def repeated(view: CaptureView, line: Line, raw: bytes) -> tuple[int, int]:
    """Which bytes of a chunk's line stand in the first chunk's line too, up to its choices."""
    first = first_chunk_line(view)
    if first is None or line.start <= first.start:
        return 0, 0
    opening = raw.find(b"{") + 1
    shared = len(commonprefix([raw, view.lines.bytes_of(first)]))
    if choices := raw.find(b'"choices"', opening) + 1:
        shared = min(shared, choices - 1)
    end = raw.rfind(b',"', opening, shared + 1) + 1
    return (opening, end) if opening and end - opening >= LEAST_FOLD else (0, 0)


def first_chunk_line(view: CaptureView) -> Line | None:
    event = view.first_chunk
    if view.tape is None or event is None:
        return None
    start, end = view.tape.events.byte_start[event], view.tape.events.byte_end[event]
    opening = view.body.find(b"{", start, end)
    return view.lines.all[view.lines.position_of(max(opening, start))]


def clipped(raw: bytes) -> tuple[Bit, ...]:
    """A long line keeps its head and its tail; the middle folds, or stays behind."""
    if len(raw) <= LONG:
        return (as_is(raw),) if raw else ()
    head, tail = character_edge(raw, HEAD), character_edge(raw, len(raw) - TAIL)
    middle = raw[head:tail]
    kind = "middle" if len(middle) <= MOST_MIDDLE else "omitted"
    return (
        as_is(raw[:head]),
        Bit(exact(decoded(middle)) if kind == "middle" else (), kind, len(middle)),
        as_is(raw[tail:]),
    )


def character_edge(raw: bytes, at: int) -> int:
    """The nearest place before ``at`` that does not cut a character of UTF-8."""
    for back in range(4):
        if raw[at - back] & 0xC0 != 0x80:
            return at - back
    return at


def decoded(raw: bytes) -> str:
    """Text whose bytes that are not UTF-8 survive as marks."""
    return raw.decode("utf-8", "surrogateescape")
