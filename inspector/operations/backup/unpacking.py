"""Reads a backup; parts are trusted only after their hashes were compared."""

import hashlib
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, TypeVar, cast

import msgspec
import zstandard
from django.conf import settings

from inspector.core.decoded_types import built
from inspector.operations.backup.manifest import FORMAT, FORMAT_VERSION, MANIFEST, SUMS, Manifest
from inspector.operations.backup.packing import Advance
from inspector.operations.operator_error import OperatorError

BLOCK_BYTES = 1_000_000
"""In memory of a backup of any size."""
MAX_LIST_BYTES = 64_000_000
"""Limit of the manifest and of the hash list; a part of 16 MB has one line of a hundred bytes
there.
"""
LINE_BODIES = 2
"""A line holds one posted body in base64 and little else."""
WINDOW_BYTES = 8_000_000
"""Limit of the zstd command line tool; our own parts use 2 MB."""


class Damage(Exception):
    """Raised if the file is incomplete or altered, with one line per location."""


Row = TypeVar("Row")


class _Envelope(msgspec.Struct):
    format: str
    format_version: int


class Backup:
    """A backup whose list of members is complete; their contents are not checked yet."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self._members = _members(tar)
        self._sums = self._read_sums()
        self.manifest = self._read_manifest()
        self._require_parts()

    @property
    def byte_length(self) -> int:
        return sum(member.size for member in self._members.values())

    def check(self, advance: Advance) -> None:
        """Compare the hash of every member with the list of sums. Raises ``Damage``, which names
        each member that differs, is missing or is not listed.
        """
        problems = [problem for name in self._sums if (problem := self._problem(name, advance))]
        strange = sorted(self._members.keys() - self._sums.keys() - {SUMS})
        problems += [f"{name}: {SUMS} does not know it" for name in strange]
        if problems:
            raise Damage("\n".join(problems))

    def rows(self, table: str, decoder: msgspec.json.Decoder[Row]) -> Iterator[Row]:
        # Rows are validated although the hash matched: a hash does not say who wrote the file.
        for number, line in enumerate(self.lines(table), 1):
            try:
                yield decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise Damage(f"rows/{table}: line {number} is no row ({error})") from error

    def lines(self, table: str) -> Iterator[bytes]:
        for name in self.manifest.table(table).part_names():
            try:
                yield from self._lines_of(name)
            except zstandard.ZstdError as error:
                raise Damage(f"{name}: cannot be decompressed ({error})") from error

    def _lines_of(self, name: str) -> Iterator[bytes]:
        longest = LINE_BODIES * settings.MAX_BODY_BYTES
        unpack = zstandard.ZstdDecompressor(max_window_size=WINDOW_BYTES)
        with self._open(name) as part, unpack.stream_reader(part) as raw:
            lines = BufferedReader(cast(RawIOBase, raw), BLOCK_BYTES)
            while line := lines.readline(longest + 1):
                if len(line) > longest:
                    raise Damage(
                        f"{name}: a line has more than {longest:,} bytes,"
                        f" {LINE_BODIES} times INSPECTOR_MAX_BODY_BYTES"
                    )
                yield line

    def _require_parts(self) -> None:
        for table in self.manifest.tables:
            if not 0 <= table.parts <= len(self._members) or table.rows < 0:
                raise Damage(
                    f"{MANIFEST}: {table.parts} parts with {table.rows} rows of {table.name},"
                    f" in a file of {len(self._members)} members"
                )

    def _problem(self, name: str, advance: Advance) -> str | None:
        if not self._has(name):
            return f"{name}: missing"
        digest = hashlib.sha256()
        with self._open(name) as member:
            while block := member.read(BLOCK_BYTES):
                digest.update(block)
                advance(len(block))
        if digest.hexdigest() != self._sums[name]:
            return f"{name}: not the bytes that were written (SHA-256 differs)"
        return None

    def _has(self, name: str) -> bool:
        # Only regular files: a link could lead anywhere, and a sparse file can expand without end.
        member = self._members.get(name)
        return member is not None and member.isreg() and not member.issparse()

    def _open(self, name: str) -> IO[bytes]:
        if not self._has(name):
            raise Damage(f"{name}: missing")
        file = self._tar.extractfile(self._members[name])
        assert file is not None
        return file

    def _read_sums(self) -> dict[str, str]:
        if not self._has(SUMS):
            raise Damage(f"{SUMS}: missing; the file ends early, or is no backup")
        lines = self._read(SUMS).decode("utf-8", "replace").removesuffix("\n").split("\n")
        return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}

    def _read_manifest(self) -> Manifest:
        if MANIFEST not in self._sums:
            raise Damage(f"{SUMS}: does not name {MANIFEST}")
        if problem := self._problem(MANIFEST, lambda _: None):
            raise Damage(problem)
        return _parse_manifest(self._read(MANIFEST))

    def _read(self, name: str) -> bytes:
        with self._open(name) as file:
            if self._members[name].size > MAX_LIST_BYTES:
                raise Damage(f"{name}: has more than {MAX_LIST_BYTES:,} bytes")
            return file.read()


def _parse_manifest(text: bytes) -> Manifest:
    """Parse the manifest, whose hash was compared. Raises ``OperatorError`` for a newer format,
    ``Damage`` for an invalid manifest.
    """
    try:
        envelope = msgspec.json.decode(text, type=built(_Envelope))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise OperatorError(f"It is no backup: {MANIFEST}: {error}.") from error
    if envelope.format != FORMAT:
        raise OperatorError(f"It is no backup of this program but {envelope.format!r}.")
    if envelope.format_version > FORMAT_VERSION:
        raise OperatorError(
            f"It has form {envelope.format_version}; this program knows {FORMAT_VERSION}."
        )
    try:
        return msgspec.json.decode(text, type=built(Manifest))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Damage(f"{MANIFEST}: {error}") from error


@contextmanager
def open_backup(path: Path) -> Iterator[Backup]:
    with _tar(path) as tar:
        yield Backup(tar)


def _members(tar: tarfile.TarFile) -> dict[str, tarfile.TarInfo]:
    try:
        return {member.name: member for member in tar.getmembers()}
    except tarfile.TarError as error:
        raise Damage(f"the file ends early ({error})") from error


def _tar(path: Path) -> tarfile.TarFile:
    try:
        return tarfile.open(path, "r:")
    except tarfile.TarError as error:
        raise Damage(f"{path}: no tar, or its first bytes are damaged ({error})") from error
    except OSError as error:
        raise OperatorError(f"{path}: {error.strerror}.") from error
