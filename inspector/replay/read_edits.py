"""Changes of reads, each to new ones: bytes out and in, other places, other cuts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from inspector.core.wire.exchange import Read

ByteRange = tuple[int, int]
Reads = Sequence[Read]
_FIRST_OF_TEXT = 0x20
_INSIDE_CHARACTER = re.compile(rb"[\x80-\xbf]").finditer
_INSIDE_LINE_END = re.compile(rb"(?<=\r)(?=\n)").finditer


def body_of(reads: Reads) -> bytes:
    return b"".join(read.data for read in reads)


def without(reads: Reads, start: int, end: int) -> tuple[Read, ...]:
    """Removes these bytes, and the reads of which nothing is left."""
    kept = (
        Read(r.at_us, r.data[:from_] + r.data[to:]) for r, from_, to in _inside(reads, start, end)
    )
    return tuple(read for read in kept if read.data)


def doubled(reads: Reads, start: int, end: int) -> tuple[Read, ...]:
    """These bytes once more behind themselves, in the read that ends them."""
    again = body_of(reads)[start:end]
    joint = _joint(again)
    found, at = list[Read](), 0
    for read in reads:
        to = end - at
        if 0 < to <= len(read.data):
            read = Read(read.at_us, read.data[:to] + joint + again + read.data[to:])
            # ``end`` counts the bytes of the body as it was: what was put in must not move it.
            at -= len(joint) + len(again)
        at += len(read.data)
        found.append(read)
    return tuple(found)


def swapped(reads: Reads, number: int) -> tuple[Read, ...]:
    """The bytes of a read and of the next change places; the times stay."""
    one, other = reads[number], reads[number + 1]
    pair = (Read(one.at_us, other.data), Read(other.at_us, one.data))
    return (*reads[:number], *pair, *reads[number + 2 :])


def glued(reads: Reads, count: int) -> tuple[Read, ...]:
    """Joins so many reads into one, which comes when the last of them came."""
    groups = (reads[first : first + count] for first in range(0, len(reads), count))
    return tuple(Read(group[-1].at_us, body_of(group)) for group in groups)


def cut_at(reads: Reads, places: Iterable[int]) -> Iterator[tuple[int, bytes]]:
    """The number of each read with its pieces, cut at these places of the body, in their order."""
    left = iter(places)
    place = next(left, None)
    at = 0
    for number, read in enumerate(reads):
        end, inside = at + len(read.data), [0]
        while place is not None and place < end:
            if place > at:
                inside.append(place - at)
            place = next(left, None)
        yield from ((number, read.data[a:b]) for a, b in pairwise([*inside, len(read.data)]))
        at = end


def places_inside_characters(body: bytes) -> list[int]:
    """Before each byte that continues a character of UTF-8."""
    return [found.start() for found in _INSIDE_CHARACTER(body)]


def places_inside_line_ends(body: bytes) -> list[int]:
    return [found.start() for found in _INSIDE_LINE_END(body)]


def places_every(reads: Reads, size: int) -> list[int]:
    """After so many bytes of each read."""
    found, at = list[int](), 0
    for read in reads:
        found += range(at + size, at + len(read.data), size)
        at += len(read.data)
    return found


def _joint(mark: bytes) -> bytes:
    """Returns what must come between two marks of which the first is not ended; binary frames need
    nothing.
    """
    if mark.endswith((b"\n", b"\r")) or mark[0] < _FIRST_OF_TEXT:
        return b""
    return b"\n" if mark.startswith(b"{") else b"\n\n"


def _inside(reads: Reads, start: int, end: int) -> Iterator[tuple[Read, int, int]]:
    at = 0
    for read in reads:
        size = len(read.data)
        yield read, min(max(start - at, 0), size), min(max(end - at, 0), size)
        at += size
