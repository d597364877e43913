"""A body that came compressed, undone read by read. What comes out is read; stored is what came.

Told by its first bytes, which no JSON or event stream begins with; a header alone is not believed,
for many recorders write down decoded bodies with the headers of coded ones. RFC 1952 (gzip, all
members), RFC 1950 (deflate, as RFC 9110 has it), RFC 8878 (zstd, all frames).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
import zstandard

from inspector.core.exchange import Exchange, Read

MAX_BYTES = 32 << 20
"""No more is taken out of a body: a few bytes can stand for gigabytes."""
STEP_BYTES = 1 << 16
SLICE_BYTES = {"gzip": 4096, "deflate": 4096, "zstd": 256}
"""Put in at once. Four bytes of zstd can stand for 128 KiB, and nothing stops its reader in
between; of the others a broken slice is put in once more, byte by byte.
"""
ZSTD_WINDOW_BYTES = 8 << 20
"""RFC 9659: nobody may ask more memory of the other side."""
_MAGIC = {b"\x1f\x8b\x08": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_DEFLATE = frozenset({b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda"})
_LONGEST = max(map(len, _MAGIC))
_FIRST = frozenset(magic[0] for magic in (*_MAGIC, *_DEFLATE))


class Coding(msgspec.Struct, frozen=True):
    """``is_said``: the response's header names it. ``fault`` is why not all came out."""

    name: str
    is_said: bool
    fault: str | None = None


class Uncoder:
    """Feed it reads as they came; it gives them back decoded as soon as that can be told."""

    def __init__(self, headers: Iterable[tuple[str, str]]) -> None:
        said = (value for name, value in headers if name.lower() == "content-encoding")
        self._said = next(said, "").strip().lower().removeprefix("x-")
        self._waiting: list[Read] = []
        self._head = b""
        self._is_told = False
        self._member: Any = None
        self._name = ""
        self._taken = 0
        self._fault: str | None = None

    def feed(self, read: Read) -> list[Read]:
        """What can be read on; nothing while the first bytes may still be those of a coding."""
        if self._is_told:
            return [read] if not self._name else [self._undone(read)]
        self._waiting.append(read)
        self._head += read.data[: _LONGEST - len(self._head)]
        if self._head and self._head[0] not in _FIRST:
            return self._told("")
        return self._told(self._name_of(self._head)) if len(self._head) == _LONGEST else []

    def rest(self) -> list[Read]:
        """What waits still, as it came: a body too short to be coded. Asking changes nothing."""
        return list(self._waiting)

    @property
    def coding(self) -> Coding | None:
        if not self._name:
            return None
        is_cut = self._fault is None and not self._member.eof
        fault = "it ends early" if is_cut else self._fault
        return Coding(self._name, self._name == self._said, fault)

    def _name_of(self, head: bytes) -> str:
        if self._said == "deflate" and head[:2] in _DEFLATE:
            return "deflate"
        return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), "")

    def _told(self, name: str) -> list[Read]:
        self._is_told, self._name = True, name
        self._member = _member(name)
        waiting, self._waiting = self._waiting, []
        return [self._undone(read) for read in waiting] if name else waiting

    def _undone(self, read: Read) -> Read:
        return Read(read.at_us, b"".join(self._pieces(read.data)))

    def _pieces(self, data: bytes) -> Iterator[bytes]:
        step = SLICE_BYTES[self._name]
        for start in range(0, len(data), step):
            rest, is_full = data[start : start + step], False
            while (rest or is_full) and self._fault is None:
                piece, rest = self._step(rest)
                is_full = len(piece) == STEP_BYTES
                yield self._within_the_limit(piece)

    def _within_the_limit(self, piece: bytes) -> bytes:
        room = MAX_BYTES - self._taken
        if len(piece) > room:
            self._fault = f"it would decompress to more than {MAX_BYTES:,} bytes"
        self._taken += min(len(piece), room)
        return piece[:room]

    def _step(self, data: bytes) -> tuple[bytes, bytes]:
        """Some of what comes out, and what is still to be put in."""
        if self._member.eof:
            self._member = _member(self._name)
        try:
            if self._name == "zstd":
                return self._member.decompress(data), self._member.unused_data
            before = self._member.copy()
            piece = self._member.decompress(data, STEP_BYTES)
            return piece, self._member.unconsumed_tail or self._member.unused_data
        except zstandard.ZstdError as error:
            self._fault = f"it is corrupt: {error}"
            return b"", b""
        except zlib.error as error:
            self._fault = f"it is corrupt: {error}"
            return _before_the_break(before, data), b""


def uncoded(exchange: Exchange) -> Exchange:
    """The exchange whose reads hold what was read: the bytes that all places count."""
    uncoder = Uncoder(exchange.headers)
    reads = [one for read in exchange.reads for one in uncoder.feed(read)]
    return msgspec.structs.replace(exchange, reads=(*reads, *uncoder.rest()))


def _before_the_break(member: Any, data: bytes) -> bytes:
    """What a call that raised has swallowed, so that every cutting gives the same."""
    pieces: list[bytes] = []
    try:
        for at in range(len(data)):
            pieces.append(member.decompress(data[at : at + 1]))
    except zlib.error:
        pass
    return b"".join(pieces)


def _member(name: str) -> Any:
    if name == "zstd":
        return zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW_BYTES).decompressobj()
    return zlib.decompressobj(31 if name == "gzip" else 15)
