"""Removes byte ranges from the body of an exchange, with what depends on them: the cuts of its
reads, and the lengths and checksums of binary frames.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from zlib import crc32

import msgspec

from inspector.core.wire.event_frames import CHECKSUM, CONTENT_TYPE, PRELUDE
from inspector.core.wire.exchange import Exchange, Read
from inspector.core.wire.framing import Framing, Sniffer


class ByteEdit(msgspec.Struct, frozen=True, gc=False):
    """Replaces a range of a body (end exclusive)."""

    start: int
    end: int
    replacement: bytes = b""


def edited_text(text: bytes, edits: Sequence[ByteEdit]) -> bytes:
    """The text with these ranges replaced, which are sorted and do not overlap."""
    pieces: list[bytes] = []
    at = 0
    for edit in edits:
        pieces += (text[at : edit.start], edit.replacement)
        at = edit.end
    return b"".join([*pieces, text[at:]])


def edited_response(exchange: Exchange, edits: Sequence[ByteEdit]) -> Exchange:
    """The exchange with these ranges of its body replaced; reads that lose all bytes are left
    out.
    """
    before = exchange.body
    body = edited_text(before, edits)
    moved = MovedPlaces(edits)
    if is_framed(exchange):
        body = _with_frame_fields(before, body, moved)
    return msgspec.structs.replace(exchange, reads=tuple(_cut(exchange.reads, body, moved)))


def edited_request(exchange: Exchange, edits: Sequence[ByteEdit]) -> Exchange:
    """The exchange with these ranges of its request's body replaced."""
    request = exchange.request
    assert request is not None and request.body is not None
    changed = msgspec.structs.replace(request, body=edited_text(request.body, edits))
    return msgspec.structs.replace(exchange, request=changed)


def is_framed(exchange: Exchange) -> bool:
    """True if the body consists of binary frames."""
    declared = (exchange.content_type or "").partition(";")[0].strip().lower() == CONTENT_TYPE
    framing = Sniffer(declares_frames=declared).feed(exchange.body)
    return framing is Framing.EVENT_FRAMES


def frame_ranges(body: bytes) -> Iterator[tuple[int, int]]:
    """The frames of a body, as far as their lengths can be followed."""
    at = 0
    while len(body) - at >= PRELUDE:
        length = int.from_bytes(body[at : at + 4])
        if length < PRELUDE + CHECKSUM or at + length > len(body):
            return
        yield at, at + length
        at += length


class MovedPlaces:
    """Where the bytes of a body are after edits."""

    def __init__(self, edits: Sequence[ByteEdit]) -> None:
        self._edits = edits
        self._ends = [edit.end for edit in edits]
        grown = (len(edit.replacement) - (edit.end - edit.start) for edit in edits)
        self._shifts = list(accumulate(grown, initial=0))

    def place(self, byte: int) -> int:
        """A byte inside of an edit goes to the end of what replaces it."""
        at = bisect_left(self._ends, byte)
        if at < len(self._edits) and self._edits[at].start < byte:
            edit = self._edits[at]
            return edit.start + self._shifts[at] + len(edit.replacement)
        return byte + self._shifts[at]


def _cut(reads: Iterable[Read], body: bytes, moved: MovedPlaces) -> Iterator[Read]:
    end = at = 0
    for read in reads:
        end += len(read.data)
        now = moved.place(end)
        if now > at:
            yield Read(read.at_us, body[at:now])
        at = max(at, now)
    if not body:
        yield Read(next((read.at_us for read in reads), None), b"")


def _with_frame_fields(before: bytes, body: bytes, moved: MovedPlaces) -> bytes:
    """Lengths and checksums that were right before are right again."""
    changed = bytearray(body)
    for start, end in frame_ranges(before):
        first, last = moved.place(start), moved.place(end)
        # After removed bytes a place is that of the first byte that stays.
        if last - first < PRELUDE + CHECKSUM or last - first == end - start:
            continue
        sound = [
            _is_checksum(before, start, start + 8),
            _is_checksum(before, start, end - CHECKSUM),
        ]
        changed[first : first + 4] = (last - first).to_bytes(4)
        for is_sound, at in zip(sound, (first + 8, last - CHECKSUM), strict=True):
            if is_sound:
                changed[at : at + CHECKSUM] = crc32(changed[first:at]).to_bytes(CHECKSUM)
    return bytes(changed)


def _is_checksum(body: bytes, start: int, at: int) -> bool:
    return crc32(body[start:at]) == int.from_bytes(body[at : at + CHECKSUM])
