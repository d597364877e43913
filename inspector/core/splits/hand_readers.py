"""Readers of streams as people write them by hand, each with the mistake that it is known for.

They show what a cutting does to code that takes reads for lines or events. None of them is used to
read a capture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from inspector.core.splits.readers import ReaderOutput
from inspector.core.wire.event_frames import CHECKSUM, PRELUDE
from inspector.core.wire.framing import Framing
from inspector.core.wire.sse import Event, Splitter

DATA = b"data: "
BLANK = b"\n\n"


class HandReader(msgspec.Struct, frozen=True):
    """One of these readers. ``name`` goes on behind "A reader that …"."""

    slug: str
    name: str
    framing: Framing
    read: Callable[[Sequence[bytes]], ReaderOutput]


def _events_of_lines(reads: Sequence[bytes]) -> ReaderOutput:
    """Takes each read for whole lines."""
    lines = (line.rstrip(b"\r") for read in reads for line in read.split(b"\n"))
    return ReaderOutput([line[len(DATA) :] for line in lines if line.startswith(DATA)])


def _events_of_blocks(reads: Sequence[bytes]) -> ReaderOutput:
    """Takes each read for whole events."""
    blocks = (block for read in reads for block in read.split(BLANK))
    return ReaderOutput([block[len(DATA) :] for block in blocks if block.startswith(DATA)])


def _events_of_decoded_reads(reads: Sequence[bytes]) -> ReaderOutput:
    """Decodes each read by itself; everything else is by the standard."""
    text, fault = _decoded(reads)
    items = (each for each in Splitter().feed(text) if isinstance(each, Event))
    return ReaderOutput([each.data for each in items if each.data], fault)


def _decoded(reads: Sequence[bytes]) -> tuple[bytes, str | None]:
    """Returns the bytes before the first read that cannot be decoded, and the name of its
    exception.
    """
    for number, read in enumerate(reads):
        try:
            read.decode()
        except UnicodeDecodeError as error:
            return b"".join(reads[:number]), type(error).__name__
    return b"".join(reads), None


def _objects_of_lines(reads: Sequence[bytes]) -> ReaderOutput:
    """Takes each read for whole lines, each of them an object."""
    lines = (line.strip() for read in reads for line in read.split(b"\n"))
    return ReaderOutput([line for line in lines if line])


def _objects_of_decoded_reads(reads: Sequence[bytes]) -> ReaderOutput:
    text, fault = _decoded(reads)
    whole = text.rpartition(b"\n")[0] if fault else text
    return ReaderOutput([line.strip() for line in whole.split(b"\n") if line.strip()], fault)


def _frames_of_reads(reads: Sequence[bytes]) -> ReaderOutput:
    """Takes each read for whole frames."""
    found: list[bytes] = []
    try:
        for read in reads:
            found.extend(_frames(read))
    except EOFError as error:
        return ReaderOutput(found, type(error).__name__)
    return ReaderOutput(found)


def _frames(read: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(read):
        length = int.from_bytes(read[at : at + 4])
        if length < PRELUDE + CHECKSUM or at + length > len(read):
            raise EOFError
        yield read[at : at + length]
        at += length


HAND_READERS = (
    HandReader(
        "lines-per-read",
        "a reader that takes each read for whole lines",
        Framing.EVENT_STREAM,
        _events_of_lines,
    ),
    HandReader(
        "events-per-read",
        "a reader that takes each read for whole events with LF line ends",
        Framing.EVENT_STREAM,
        _events_of_blocks,
    ),
    HandReader(
        "utf-8-per-read",
        "a reader that decodes each read as UTF-8 by itself",
        Framing.EVENT_STREAM,
        _events_of_decoded_reads,
    ),
    HandReader(
        "json-lines-per-read",
        "a reader that takes each read for whole lines of JSON",
        Framing.LINES,
        _objects_of_lines,
    ),
    HandReader(
        "utf-8-lines-per-read",
        "a reader that decodes each read as UTF-8 by itself",
        Framing.LINES,
        _objects_of_decoded_reads,
    ),
    HandReader(
        "frames-per-read",
        "a reader that takes each read for whole frames",
        Framing.EVENT_FRAMES,
        _frames_of_reads,
    ),
)
