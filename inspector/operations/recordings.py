"""Files as exchanges: what ``inspect`` accepts, by the end of the name."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from inspector.core.exchange import Exchange, Read
from inspector.transfer import reads

CONTENT_TYPES = {
    ".json": "application/json",
    ".sse": "text/event-stream",
    ".ndjson": "application/x-ndjson",
    ".txt": "text/plain",
}
STANDARD_INPUT = "-"


class RecordingError(Exception):
    """A path that cannot be opened, or a file of reads that is none."""


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
    if path.endswith(reads.ENDING):
        return Exchange(reads=tuple(_reads(path, body)), dialect=dialect)
    content_type = CONTENT_TYPES.get(Path(path).suffix)
    return Exchange(reads=(Read(None, body),), content_type=content_type, dialect=dialect)


def _is_recording(file: Path) -> bool:
    return file.name.endswith(reads.ENDING) or file.suffix in CONTENT_TYPES


def _reads(path: str, body: bytes) -> Iterator[Read]:
    try:
        yield from reads.reads_of(body)
    except reads.BadLine as error:
        raise RecordingError(f"{path}, {error}") from error
