"""How much of an export's file was written: all that is needed to go on with it."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import msgspec

Pieces = Sequence[bytes]
"""Next bytes of each part of a file. The parts follow one another once all is written."""


class Written(msgspec.Struct, frozen=True):
    """Captures, and of each part its length in bytes and their CRC-32."""

    captures: int
    lengths: tuple[int, ...]
    checksums: tuple[int, ...]

    @classmethod
    def nothing(cls, parts: int) -> Written:
        return cls(0, (0,) * parts, (0,) * parts)

    @property
    def byte_length(self) -> int:
        return sum(self.lengths)

    def followed_by(self, pieces: Pieces, captures: int = 0) -> Written:
        lengths = zip(self.lengths, pieces, strict=True)
        checksums = zip(self.checksums, pieces, strict=True)
        return Written(
            self.captures + captures,
            tuple(length + len(piece) for length, piece in lengths),
            tuple(zlib.crc32(piece, checksum) for checksum, piece in checksums),
        )
