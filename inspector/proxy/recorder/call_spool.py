"""One recorded call as a file: a list of records that is only ever appended to.

Each record has its length and checksum before it. A process that is killed leaves at most a torn
record at the end, with which reading stops. Nothing in it is a credential.
"""

import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import UUID

import msgspec

from inspector.core.credentials.removal import Removal
from inspector.core.decoded_types import built
from inspector.core.json import Json
from inspector.core.wire.exchange import Headers, Request, TransportFault, TransportOutcome

PRIVATE_FILE = 0o600
SUFFIX = ".call"
_FRAME = struct.Struct(">II")
"""Length and CRC-32 of what follows."""


class CallHead(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """The first record: what is known when a call begins."""

    call: UUID
    team_id: int
    key_id: int
    upstream: str | None = None
    """None in files of an earlier release."""
    session: str = ""
    started_at: float
    is_in_sample: bool
    request: Request
    """Without its body."""
    tags: tuple[str, ...] = ()
    metadata: dict[str, Json] = {}
    removal: Removal


class CallRequestBody(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    data: bytes
    total_bytes: int | None
    """Length of the whole body, of which ``data`` is the beginning; None where it is all."""
    removal: Removal


class CallResponseHead(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    status: int
    headers: Headers
    removal: Removal


class CallReads(msgspec.Struct, frozen=True, tag=True, kw_only=True, omit_defaults=True):
    at_us: list[int]
    data: list[bytes]
    is_decoded: bool = False
    """Decompressed, because a credential was found; so is what follows, and what came before still
    is as it came.
    """
    removal: Removal | None = None
    """Where it is another than before."""


class CallEnd(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """The last record."""

    outcome: TransportOutcome
    fault: TransportFault | None
    at_us: int | None
    """None if the proxy did not live to tell it."""
    total_bytes: int | None
    """Length of the whole body, of which the reads are the beginning; None where they are all."""
    removal: Removal


CallRecord = CallHead | CallRequestBody | CallResponseHead | CallReads | CallEnd

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(built(CallRecord))


def framed(record: CallRecord) -> bytes:
    payload = _encoder.encode(record)
    return _FRAME.pack(len(payload), zlib.crc32(payload)) + payload


def path_of(folder: Path, call: UUID, started_at: float) -> Path:
    """Sorted by name, files are in the order in which their calls began."""
    return folder / f"{max(0, int(started_at * 1e6)):020d}-{call}{SUFFIX}"


class CallWriter:
    """Appends to a new file. What is added is kept in memory until it is written."""

    def __init__(self, path: Path) -> None:
        """Raise ``OSError``."""
        self.path = path
        self.written = 0
        self._file = os.open(
            path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, PRIVATE_FILE
        )
        self._unwritten: list[bytes] = []

    @property
    def unwritten(self) -> int:
        return sum(map(len, self._unwritten))

    def add(self, record: CallRecord) -> None:
        self._unwritten.append(framed(record))

    def write(self) -> None:
        """Raise ``OSError``, after which the file is of no use to its writer."""
        data = memoryview(b"".join(self._unwritten))
        self._unwritten.clear()
        while data:
            count = os.write(self._file, data)
            self.written += count
            data = data[count:]

    def close(self) -> None:
        os.close(self._file)


def read_call(path: Path, start: int = 0) -> tuple[list[CallRecord], int]:
    """Return the whole records from ``start`` of a growing file, and their end. Raises
    ``OSError``.
    """
    with open(path, "rb") as file:
        file.seek(start)
        records, end = whole_records(file.read())
    return records, start + end


def whole_records(data: bytes) -> tuple[list[CallRecord], int]:
    """Return the records up to the first that is torn, and where that begins."""
    records, end = [], 0
    for payload in _payloads(data):
        try:
            records.append(_decoder.decode(payload))
        except msgspec.MsgspecError:
            break
        end += _FRAME.size + len(payload)
    return records, end


def _payloads(data: bytes) -> Iterator[memoryview]:
    at, view = 0, memoryview(data)
    while at + _FRAME.size <= len(data):
        length, checksum = _FRAME.unpack_from(data, at)
        start = at + _FRAME.size
        payload = view[start : start + length]
        if len(payload) < length or zlib.crc32(payload) != checksum:
            return
        yield payload
        at = start + length


def head_of(path: Path) -> CallHead | None:
    """Return None if the file has no head or cannot be read."""
    try:
        with open(path, "rb") as file:
            # Only the head: the files of a start after an outage may be as large as bodies may be.
            length, _ = _FRAME.unpack(file.read(_FRAME.size))
            file.seek(0)
            records, _ = whole_records(file.read(_FRAME.size + length))
    except (OSError, struct.error):
        return None
    first: Sequence[CallRecord] = records[:1]
    return first[0] if first and isinstance(first[0], CallHead) else None
