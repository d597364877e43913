"""Content codings of a posted body, undone piece by piece so that memory stays bounded.

A coding is transport: what comes out is the evidence. A whole document comes out, or nothing.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator

import zstandard

from inspector.core.wire.content_encoding import SLICE_BYTES, ZSTD_WINDOW_BYTES

Decoder = Callable[[Iterable[bytes]], Iterator[bytes]]

# Most bytes of output per call, so that a limit is noticed before the memory is spent.
STEP_BYTES = 1 << 18


class BrokenContentEncoding(Exception):
    """The body does not match its ``Content-Encoding``, ends early, or goes on after the end."""


def identity(pieces: Iterable[bytes]) -> Iterator[bytes]:
    yield from pieces


def gunzip(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Decompresses all members (RFC 1952, section 2.2): stopping at the first one would
    lose bytes.
    """
    yield from _inflate_members(pieces, wbits=31, members=True)


def inflate(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Decompresses zlib's format (RFC 9110, ``deflate``), or raw DEFLATE, which some
    senders use.
    """
    waiting = iter(pieces)
    head = b""
    for piece in waiting:
        head += piece
        if len(head) >= 2:
            break
    wrapped = len(head) >= 2 and head[0] & 15 == 8 and int.from_bytes(head[:2]) % 31 == 0
    yield from _inflate_members(
        _chained(head, waiting), wbits=15 if wrapped else -15, members=False
    )


def unzstd(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Decompresses all frames (RFC 8878, section 3.1)."""
    decompressor = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW_BYTES)
    frame = decompressor.decompressobj()
    for piece in _sliced(pieces):
        while piece:
            if frame.eof:
                frame = decompressor.decompressobj()
            yield _zstd_step(frame, piece)
            piece = frame.unused_data if frame.eof else b""
    if not frame.eof:
        raise BrokenContentEncoding("the zstd frame ends early")


DECODERS: dict[str, Decoder] = {
    "": identity,
    "identity": identity,
    "gzip": gunzip,
    "x-gzip": gunzip,
    "deflate": inflate,
    "zstd": unzstd,
}


def _inflate_members(pieces: Iterable[bytes], wbits: int, members: bool) -> Iterator[bytes]:
    member = zlib.decompressobj(wbits)
    for piece in pieces:
        while piece:
            if member.eof:
                if not members:
                    raise BrokenContentEncoding("bytes follow the end of the compressed body")
                member = zlib.decompressobj(wbits)
            yield from _inflate_steps(member, piece)
            piece = member.unused_data
    if not member.eof:
        raise BrokenContentEncoding("the compressed body ends early")


def _inflate_steps(member: zlib._Decompress, piece: bytes) -> Iterator[bytes]:
    while True:
        try:
            out = member.decompress(piece, STEP_BYTES)
        except zlib.error as error:
            raise BrokenContentEncoding(f"the compressed body is broken: {error}") from error
        yield out
        piece = member.unconsumed_tail
        # A full step may leave output inside although all input went in.
        if member.eof or not (piece or len(out) == STEP_BYTES):
            return


def _zstd_step(frame: zstandard.ZstdDecompressionObj, piece: bytes) -> bytes:
    try:
        return frame.decompress(piece)
    except zstandard.ZstdError as error:
        raise BrokenContentEncoding(f"the zstd body is broken: {error}") from error


def _sliced(pieces: Iterable[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        for start in range(0, len(piece), SLICE_BYTES["zstd"]):
            yield piece[start : start + SLICE_BYTES["zstd"]]


def _chained(head: bytes, pieces: Iterable[bytes]) -> Iterator[bytes]:
    if head:
        yield head
    yield from pieces
