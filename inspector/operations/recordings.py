"""Files as exchanges: what ``inspect`` accepts, by the end of the name and by what is inside."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import msgspec

from inspector.core.exchange import Exchange
from inspector.transfer import reads
from inspector.transfer.document import BadDocument

CONTENT_TYPES = {
    ".json": "application/json",
    ".sse": "text/event-stream",
    ".ndjson": "application/x-ndjson",
    ".txt": "text/plain",
}
STANDARD_INPUT = "-"


class RecordingError(Exception):
    """A path that cannot be opened, or a file that carries exchanges and is broken."""


class Carrier(StrEnum):
    """What the file is: the body itself, or something around it."""

    BODY = "body"
    READS = "reads"
    ENVELOPE = "envelope"


@dataclass(frozen=True, slots=True)
class Recording:
    path: str
    exchange: Exchange
    carrier: Carrier


def find(paths: list[str]) -> Iterator[str]:
    """Files as they are, folders as the recordings below them, in name order.

    A folder without any stays in the list: that nothing was checked must not look like success.
    """
    for path in paths:
        if path != STANDARD_INPUT and Path(path).is_dir():
            below = sorted(Path(path).rglob("*"))
            yield from [str(one) for one in below if one.is_file() and _is_recording(one)] or [path]
        else:
            yield path


def load(path: str, dialect: str | None = None) -> Recording:
    """The exchange in one file; raises RecordingError."""
    content = _bytes(path)
    if path.endswith(reads.ENDING) or reads.looks_like_reads(content):
        exchange, carrier = _of_reads(path, content), Carrier.READS
    elif enveloped := _enveloped(path, content):
        exchange, carrier = enveloped, Carrier.ENVELOPE
    else:
        content_type = CONTENT_TYPES.get(Path(path).suffix)
        exchange, carrier = Exchange.of_body(content, content_type), Carrier.BODY
    return Recording(path, msgspec.structs.replace(exchange, dialect=dialect), carrier)


def _is_recording(file: Path) -> bool:
    return file.name.endswith(reads.ENDING) or file.suffix in CONTENT_TYPES


def _bytes(path: str) -> bytes:
    if path != STANDARD_INPUT and Path(path).is_dir():
        raise RecordingError(f"{path}: no recordings in this folder")
    try:
        return sys.stdin.buffer.read() if path == STANDARD_INPUT else Path(path).read_bytes()
    except OSError as error:
        raise RecordingError(f"{path}: {error.strerror or error}") from error


def _of_reads(path: str, content: bytes) -> Exchange:
    try:
        return Exchange(reads=tuple(reads.reads_of(content)))
    except reads.BadLine as error:
        raise RecordingError(f"{path}, {error}") from error


def _enveloped(path: str, content: bytes) -> Exchange | None:
    """None where the file is the body itself, and for a HAR: that holds many, a file is one input.

    What may be an envelope brings in the archive, for which everything else need not wait.
    """
    if not (content.lstrip().startswith(b"{") and b'"response"' in content):
        return None
    from inspector.transfer import har
    from inspector.transfer.pasted import Kind, Wanted, pasted

    try:
        found = pasted(content, Wanted())
    except BadDocument as error:
        if error.code == har.INVALID:
            return None
        raise RecordingError(f"{path}: {error.message}") from error
    return found.arrival.exchange if found.kind is Kind.ENVELOPE else None
