"""Files as exchanges: what ``inspect`` accepts, by the end of the name."""

from __future__ import annotations

import base64
import binascii
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from inspector.core.exchange import Exchange, Read

CONTENT_TYPES = {
    ".json": "application/json",
    ".sse": "text/event-stream",
    ".ndjson": "application/x-ndjson",
    ".txt": "text/plain",
}
READS = ".reads.jsonl"
STANDARD_INPUT = "-"


class RecordingError(Exception):
    """A path that cannot be opened, or a file of reads that is none."""


class _ReadLine(msgspec.Struct, forbid_unknown_fields=True):
    at_us: int
    data: str | None = None
    data_b64: str | None = None


def find(paths: list[str]) -> Iterator[str]:
    """Files as they are, folders as the recordings below them, in name order."""
    for path in paths:
        if path != STANDARD_INPUT and Path(path).is_dir():
            below = sorted(Path(path).rglob("*"))
            yield from (str(file) for file in below if file.is_file() and _is_recording(file))
        else:
            yield path


def load(path: str, dialect: str | None = None) -> Exchange:
    """The exchange in one file; raises RecordingError."""
    try:
        body = sys.stdin.buffer.read() if path == STANDARD_INPUT else Path(path).read_bytes()
    except OSError as error:
        raise RecordingError(f"{path}: {error.strerror or error}") from error
    if path.endswith(READS):
        return Exchange(reads=tuple(_reads(path, body)), dialect=dialect)
    content_type = CONTENT_TYPES.get(Path(path).suffix)
    return Exchange(reads=(Read(None, body),), content_type=content_type, dialect=dialect)


def _is_recording(file: Path) -> bool:
    return file.name.endswith(READS) or file.suffix in CONTENT_TYPES


def _reads(path: str, body: bytes) -> Iterator[Read]:
    for number, line in enumerate(body.splitlines(), 1):
        try:
            read = msgspec.json.decode(line, type=_ReadLine)
            yield Read(read.at_us, _data(read))
        except (msgspec.MsgspecError, UnicodeDecodeError, binascii.Error, ValueError) as error:
            raise RecordingError(f"{path}, line {number}: {error}") from error


def _data(read: _ReadLine) -> bytes:
    if (read.data is None) == (read.data_b64 is None):
        raise ValueError("exactly one of data and data_b64 is due")
    if read.data_b64 is not None:
        return base64.b64decode(read.data_b64, validate=True)
    return (read.data or "").encode()
