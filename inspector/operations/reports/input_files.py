"""Loads input files of ``inspect``, detecting the format by file extension and content."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import msgspec

from inspector.core.wire.exchange import Exchange
from inspector.transfer import reads
from inspector.transfer.json_document import BadDocument

CONTENT_TYPES = {
    ".json": "application/json",
    ".sse": "text/event-stream",
    ".ndjson": "application/x-ndjson",
    ".txt": "text/plain",
}
STANDARD_INPUT = "-"


class InputFileError(Exception):
    """Raised for a path that cannot be opened and for a broken recording or envelope."""


class Carrier(StrEnum):
    """Kind of file: the body itself, or a container of exchanges."""

    BODY = "body"
    READS = "reads"
    ENVELOPE = "envelope"


@dataclass(frozen=True, slots=True)
class InputFile:
    path: str
    exchange: Exchange
    carrier: Carrier


def find_input_files(paths: list[str]) -> Iterator[str]:
    """Yields files as given, and for a folder the recordings below it, by name.

    A folder without any is yielded itself, so that checking nothing does not look like success.
    """
    for path in paths:
        if path != STANDARD_INPUT and Path(path).is_dir():
            below = sorted(Path(path).rglob("*"))
            yield from [str(one) for one in below if one.is_file() and _is_recording(one)] or [path]
        else:
            yield path


def load_input_file(path: str, dialect: str | None = None) -> InputFile:
    """Loads the exchange in a file. Raises ``InputFileError``."""
    return parse_input_file(path, read_input_file(path), dialect)


def parse_input_file(path: str, content: bytes, dialect: str | None = None) -> InputFile:
    """Raises ``InputFileError``."""
    if path.endswith(reads.ENDING) or reads.looks_like_reads(content):
        exchange, carrier = _of_reads(path, content), Carrier.READS
    elif enveloped := _enveloped(path, content):
        exchange, carrier = enveloped, Carrier.ENVELOPE
    else:
        content_type = CONTENT_TYPES.get(Path(path).suffix)
        exchange, carrier = Exchange.of_body(content, content_type), Carrier.BODY
    return InputFile(path, msgspec.structs.replace(exchange, dialect=dialect), carrier)


def _is_recording(file: Path) -> bool:
    return file.name.endswith(reads.ENDING) or file.suffix in CONTENT_TYPES


def read_input_file(path: str) -> bytes:
    """Raises ``InputFileError``."""
    if path != STANDARD_INPUT and Path(path).is_dir():
        raise InputFileError(f"{path}: no recordings in this folder")
    try:
        return sys.stdin.buffer.read() if path == STANDARD_INPUT else Path(path).read_bytes()
    except OSError as error:
        raise InputFileError(f"{path}: {error.strerror or error}") from error


def _of_reads(path: str, content: bytes) -> Exchange:
    try:
        return Exchange(reads=tuple(reads.reads_of(content)))
    except reads.BadLine as error:
        raise InputFileError(f"{path}, {error}") from error


def _enveloped(path: str, content: bytes) -> Exchange | None:
    """Returns the exchange of an envelope; None for a plain body and for HAR (which holds many).

    Imports the archive's envelope parser only if needed, because that import is slow.
    """
    if not (content.lstrip().startswith(b"{") and b'"response"' in content):
        return None
    from inspector.transfer import har
    from inspector.transfer.paste import PastedKind, PasteOptions, read_pasted

    try:
        found = read_pasted(content, PasteOptions())
    except BadDocument as error:
        if error.code == har.INVALID:
            return None
        raise InputFileError(f"{path}: {error.message}") from error
    return found.arrival.exchange if found.kind is PastedKind.ENVELOPE else None
