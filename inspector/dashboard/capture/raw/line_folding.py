"""Splits one raw line into fragments: plain, repeated from the first chunk, or omitted."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from os.path import commonprefix

from inspector.dashboard.capture.page.body_lines import BodyLine
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.formatting.invisible_characters import TextSegment, exact_segments

MIN_FOLD = 24
"""A shorter repetition takes no more room than the sign that it was folded."""
NEXT_MEMBER = re.compile(rb',\s*"')
LONG = 700
HEAD = 400
TAIL = 200
MAX_MIDDLE = 40_000
"""A longer middle part is left out of the page; the download has it."""


@dataclass(frozen=True, slots=True)
class LineFragment:
    """A fragment of a line. ``kind`` is "" (plain), ``fold`` (equal to the first event), ``break``
    (the byte an error points at), ``lit`` (the requested byte), ``middle`` (folded part of a long
    line) or ``omitted`` (a middle too long for the page).
    """

    segments: tuple[TextSegment, ...]
    kind: str = ""
    length: int = 0
    is_unknown: bool = False
    """True if it belongs to a field the dialect does not define."""


def line_fragments(
    view: CaptureView,
    line: BodyLine,
    breaking: int | None = None,
    unknown: Sequence[tuple[int, int]] = (),
    marked_byte: int | None = None,
) -> tuple[LineFragment, ...]:
    """Split a line into fragments.

    ``breaking`` is the body offset an error points at, if it is in this line; ``unknown`` are the
    byte ranges of unknown fields; ``asked`` is a requested offset that must not be folded.
    """
    raw = view.lines.bytes_of(line)
    lit = character_at(raw, marked_byte - line.start) if marked_byte is not None else range(0)
    is_open = view.all_bytes or bool(lit)
    start, end = (0, 0) if is_open else repeated_ranges(view, line, raw)
    bits: list[LineFragment] = []
    if end:
        bits = [
            plain_fragment(raw[:start]),
            LineFragment(
                exact_segments(decode_surrogateescape(raw[start:end])), "fold", end - start
            ),
        ]
    broken = character_at(raw, breaking - line.start) if breaking is not None else range(0)
    fields = [range(first - line.start, last - line.start) for first, last in unknown]
    edges = {edge for part in (broken, lit, *fields) for edge in (part.start, part.stop)}
    cuts = sorted({end, len(raw), *(edge for edge in edges if end < edge < len(raw))})
    for first, last in pairwise(cuts):
        piece = raw[first:last]
        if first in broken:
            bits.append(LineFragment(exact_segments(decode_surrogateescape(piece)), "break"))
        elif first in lit:
            bits.append(LineFragment(exact_segments(decode_surrogateescape(piece)), "lit"))
        else:
            is_unknown = any(first in part for part in fields)
            bits += [replace(bit, is_unknown=is_unknown) for bit in fold_middle(piece)]
    return tuple(bits)


def character_at(raw: bytes, at: int) -> range:
    """Byte range of the character at an offset; empty beyond the line's end."""
    return range(at, at + character_length(raw, at)) if 0 <= at < len(raw) else range(0)


def plain_fragment(raw: bytes) -> LineFragment:
    return LineFragment(exact_segments(decode_surrogateescape(raw)))


def character_length(raw: bytes, at: int) -> int:
    """Length in bytes of the UTF-8 character that starts at an offset."""
    length = 1
    while length < 4 and at + length < len(raw) and raw[at + length] & 0xC0 == 0x80:
        length += 1
    return length


def repeated_ranges(view: CaptureView, line: BodyLine, raw: bytes) -> tuple[int, int]:
    """Range before a line's choices that equals the first chunk's line; (0, 0) if there is none."""
    first = first_chunk_line(view)
    if first is None or line.start <= first.start:
        return 0, 0
    opening = raw.find(b"{") + 1
    shared = len(commonprefix([raw, view.lines.bytes_of(first)]))
    if choices := raw.find(b'"choices"', opening) + 1:
        shared = min(shared, choices - 1)
    # Up to the name of a member: what differs may be a value that only begins alike.
    members = (each.end() - 1 for each in NEXT_MEMBER.finditer(raw, opening, shared + 1))
    end = max(members, default=0)
    return (opening, end) if opening and end - opening >= MIN_FOLD else (0, 0)


def first_chunk_line(view: CaptureView) -> BodyLine | None:
    event = view.first_chunk
    if view.tape is None or event is None:
        return None
    start, end = view.tape.events.byte_start[event], view.tape.events.byte_end[event]
    opening = view.body.find(b"{", start, end)
    return view.lines.all[view.lines.position_of(max(opening, start))]


def fold_middle(raw: bytes) -> tuple[LineFragment, ...]:
    """Keep head and tail of a long line; the middle is folded or omitted."""
    if len(raw) <= LONG:
        return (plain_fragment(raw),) if raw else ()
    head, tail = character_edge(raw, HEAD), character_edge(raw, len(raw) - TAIL)
    middle = raw[head:tail]
    kind = "middle" if len(middle) <= MAX_MIDDLE else "omitted"
    return (
        plain_fragment(raw[:head]),
        LineFragment(
            exact_segments(decode_surrogateescape(middle)) if kind == "middle" else (),
            kind,
            len(middle),
        ),
        plain_fragment(raw[tail:]),
    )


def character_edge(raw: bytes, at: int) -> int:
    """Move an offset back to the start of a UTF-8 character."""
    for back in range(4):
        if raw[at - back] & 0xC0 != 0x80:
            return at - back
    return at


def decode_surrogateescape(raw: bytes) -> str:
    """Decode UTF-8; invalid bytes become surrogates."""
    return raw.decode("utf-8", "surrogateescape")
