"""Undoes the content coding of a body, read by read. The stored evidence stays compressed.

The coding is recognised by its first bytes, with which no JSON text or event stream begins. The
header alone is not trusted: many recorders write decoded bodies next to the original headers. RFC
1952 (gzip, all members), RFC 1950 (deflate, as in RFC 9110), RFC 8878 (zstd, all frames), RFC 7932
(brotli, only where the header names it: it has no magic number).
"""

import zlib
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from inspector.core.wire.brotli_stream import HEAD_BYTES, IS_INSTALLED, BrotliStream, begins_brotli
from inspector.core.wire.exchange import Exchange, Read

try:
    import zstandard
except ImportError:  # The distribution that only inspects does without: it is 24 MB.
    zstandard = None  # type: ignore[assignment]

MAX_BYTES = 32 << 20
"""Limit on the decompressed size: a few bytes can expand to gigabytes."""
STEP_BYTES = 1 << 16
"""Output of one step: the limit is looked at between."""
SLICE_BYTES = {"gzip": 4096, "deflate": 4096, "zstd": 256, "br": 4096}
"""Input per step. Four bytes of zstd can expand to 128 KiB and its decompressor cannot be stopped
in between; a broken slice of the others is decompressed again byte by byte.
"""
ZSTD_WINDOW_BYTES = 8 << 20
"""Window that a decoder must support at least (RFC 9659); frames that need more are refused."""
_MAGIC = {b"\x1f\x8b\x08": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_DEFLATE = frozenset({b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda"})
_MAGIC_LENGTH = max(map(len, _MAGIC))
_NOT_INSTALLED = {"zstd": zstandard is None, "br": not IS_INSTALLED}
_FIRST_BYTES = frozenset(magic[0] for magic in (*_MAGIC, *_DEFLATE))


class ContentCoding(msgspec.Struct, frozen=True):
    """A body's coding; ``is_declared``: by headers; ``fault``: why decompression is incomplete."""

    name: str
    is_declared: bool
    fault: str | None = None


class Decompressor:
    """Feed it reads in order; it returns them decompressed as soon as the coding is known."""

    def __init__(self, headers: Iterable[tuple[str, str]] | None) -> None:
        declared = (value for name, value in headers or () if name.lower() == "content-encoding")
        self._declared = next(declared, "").strip().lower().removeprefix("x-")
        self._waiting: list[Read] = []
        self._head = b""
        self._head_length = HEAD_BYTES if self._declared == "br" else _MAGIC_LENGTH
        self._is_decided = False
        self._member: Any = None
        self._name = ""
        self._taken = 0
        self._fault: str | None = None

    def feed(self, read: Read) -> list[Read]:
        """Return the reads that are ready; none while the first bytes may begin a coding."""
        if self._is_decided:
            return [read] if not self._name else [self._decompress(read)]
        self._waiting.append(read)
        self._head += read.data[: self._head_length - len(self._head)]
        is_enough = len(self._head) == self._head_length or self._is_sure()
        return self._decide(self._name_of(self._head)) if is_enough else []

    def end(self) -> list[Read]:
        """Return reads still held back; nothing comes any more."""
        return [] if self._is_decided else self._decide(self._name_of(self._head))

    @property
    def held_back(self) -> list[Read]:
        """The reads, as they came, of a body too short to tell whether it is compressed."""
        return list(self._waiting)

    @property
    def is_plain(self) -> bool:
        """True once it is known that the body is not compressed: all reads pass unchanged."""
        return self._is_decided and not self._name

    @property
    def is_faulty(self) -> bool:
        """True once the body cannot be decompressed any further."""
        return self._fault is not None

    @property
    def coding(self) -> ContentCoding | None:
        if not self._name:
            return None
        is_cut = self._fault is None and not self._member.eof
        fault = "it ends early" if is_cut else self._fault
        return ContentCoding(self._name, self._name == self._declared, fault)

    def _is_sure(self) -> bool:
        """No byte that may still follow changes the decision."""
        if self._declared == "br":
            return bool(_name_by_magic(self._head))
        return bool(self._head) and self._head[0] not in _FIRST_BYTES

    def _name_of(self, head: bytes) -> str:
        if self._declared == "deflate" and len(head) == _MAGIC_LENGTH and head[:2] in _DEFLATE:
            return "deflate"
        is_brotli = self._declared == "br" and begins_brotli(head)
        return _name_by_magic(head) or ("br" if is_brotli else "")

    def _decide(self, name: str) -> list[Read]:
        self._is_decided, self._name = True, name
        if _NOT_INSTALLED.get(name, False):
            self._fault = "what decompresses it is not installed"
        else:
            self._member = _new_decompressor(name)
        waiting, self._waiting = self._waiting, []
        return [self._decompress(read) for read in waiting] if name else waiting

    def _decompress(self, read: Read) -> Read:
        return Read(read.at_us, b"".join(self._pieces(read.data)))

    def _pieces(self, data: bytes) -> Iterator[bytes]:
        step = SLICE_BYTES[self._name]
        pieces = self._brotli_pieces if self._name == "br" else self._member_pieces
        for start in range(0, len(data), step):
            if not self.is_faulty:
                yield from pieces(data[start : start + step])

    def _brotli_pieces(self, data: bytes) -> Iterator[bytes]:
        for piece in self._member.pieces(data):
            yield self._cap(piece)
            if self._fault is not None:
                return
        self._fault = self._member.fault

    def _member_pieces(self, rest: bytes) -> Iterator[bytes]:
        is_full = False
        while (rest or is_full) and self._fault is None:
            piece, rest = self._step(rest)
            is_full = len(piece) == STEP_BYTES
            yield self._cap(piece)

    def _cap(self, piece: bytes) -> bytes:
        room = MAX_BYTES - self._taken
        if len(piece) > room:
            self._fault = f"it would decompress to more than {MAX_BYTES:,} bytes"
        self._taken += min(len(piece), room)
        return piece[:room]

    def _step(self, data: bytes) -> tuple[bytes, bytes]:
        # Another gzip member or zstd frame may follow the one that ended.
        if self._member.eof:
            self._member = _new_decompressor(self._name)
        try:
            if self._name == "zstd":
                return self._zstd_step(data)
            # zlib discards the output of a call that raises; the copy recovers it below.
            before = self._member.copy()
            piece = self._member.decompress(data, STEP_BYTES)
            return piece, self._member.unconsumed_tail or self._member.unused_data
        except zlib.error as error:
            self._fault = f"it is corrupt: {error}"
            return _decompress_bytewise(before, data), b""

    def _zstd_step(self, data: bytes) -> tuple[bytes, bytes]:
        try:
            return self._member.decompress(data), self._member.unused_data
        except zstandard.ZstdError as error:
            self._fault = f"it is corrupt: {error}"
            return b"", b""


def decompressed(exchange: Exchange) -> Exchange:
    """Return the exchange with decompressed reads, in which all byte positions are counted."""
    uncoder = Decompressor(exchange.headers)
    reads = [one for read in exchange.reads for one in uncoder.feed(read)]
    return msgspec.structs.replace(exchange, reads=(*reads, *uncoder.end()))


def _name_by_magic(head: bytes) -> str:
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), "")


def _decompress_bytewise(member: Any, data: bytes) -> bytes:
    """Recover the output before a fault, which zlib discards: any cutting gives the same result."""
    pieces: list[bytes] = []
    try:
        for at in range(len(data)):
            pieces.append(member.decompress(data[at : at + 1]))
    except zlib.error:
        pass
    return b"".join(pieces)


def _new_decompressor(name: str) -> Any:
    if name == "br":
        return BrotliStream(MAX_BYTES)
    if name == "zstd":
        return zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW_BYTES).decompressobj()
    return zlib.decompressobj(31 if name == "gzip" else 15)
