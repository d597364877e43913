"""Writes a backup: parts of bounded size into a tar that is renamed into place when complete."""

import hashlib
import tarfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
import zstandard

from inspector.operations.atomic_file import atomic_file
from inspector.operations.backup.manifest import (
    MANIFEST,
    README,
    README_TEXT,
    SUMS,
    BackupTable,
    Manifest,
    part_name,
)

PART_BYTES = 16_000_000
"""Limit of a part before compression, which the last line may exceed."""
ZSTD_LEVEL = 3
"""As of what is stored; bodies in the rows are compressed already."""
PRIVATE_FILE = 0o600

Advance = Callable[[int], None]


@contextmanager
def atomic_tar(path: Path) -> Iterator[tarfile.TarFile]:
    """Open a private tar that has its name only once it is complete."""
    with atomic_file(path) as file, tarfile.open(fileobj=file, mode="w") as tar:
        yield tar


class BackupWriter:
    def __init__(self, tar: tarfile.TarFile, at: float) -> None:
        self._tar = tar
        self._at = int(at)
        self._sums: list[str] = []
        self._add(README, README_TEXT.encode())

    def rows(self, table: str, rows: Iterable[dict[str, Any]], advance: Advance) -> BackupTable:
        count = parts = 0
        for part, of_rows in _parts(rows):
            self._add(part_name(table, parts), part)
            parts, count = parts + 1, count + of_rows
            advance(of_rows)
        return BackupTable(table, count, parts)

    def end(self, manifest: Manifest) -> None:
        text = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
        self._add(MANIFEST, text + b"\n")
        self._add(SUMS, "".join(self._sums).encode())

    def _add(self, name: str, data: bytes | bytearray) -> None:
        member = tarfile.TarInfo(name)
        member.size, member.mtime, member.mode = len(data), self._at, PRIVATE_FILE
        self._tar.addfile(member, BytesIO(data))
        self._sums.append(f"{hashlib.sha256(data).hexdigest()}  {name}\n")


def _parts(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[bytearray, int]]:
    """Yield compressed parts with their number of lines."""
    lines, encode = iter(rows), msgspec.json.Encoder().encode
    while True:
        count, size, part = 0, 0, bytearray()
        stream = zstandard.ZstdCompressor(ZSTD_LEVEL, write_checksum=True).compressobj()
        for row in lines:
            line = encode(row)
            part += stream.compress(line) + stream.compress(b"\n")
            count, size = count + 1, size + len(line)
            if size >= PART_BYTES:
                break
        if not count:
            return
        part += stream.flush()
        yield part, count
