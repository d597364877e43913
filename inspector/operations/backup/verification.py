"""Verifies that every capture in a backup has the bytes its row promises."""

import hashlib
from collections.abc import Iterator
from uuid import UUID

import msgspec
import zstandard
from django.conf import settings

from inspector.core.decoded_types import built
from inspector.operations.backup.manifest import CAPTURES, EVIDENCE
from inspector.operations.backup.packing import Advance
from inspector.operations.backup.progress import Watch, counted
from inspector.operations.backup.unpacking import BLOCK_BYTES, WINDOW_BYTES, Backup

DELETED = ("deleting", "gone")
RECORDING = "recording"
"""State of a capture under way: its segments so far are there, its hash is not known yet."""


class _Capture(msgspec.Struct):
    id: UUID
    state: str
    sha256: str
    byte_length: int
    body_deleted_at: str | None


class _Evidence(msgspec.Struct):
    capture_id: UUID
    body: bytes


def verify(backup: Backup, watch: Watch) -> list[str]:
    """Return the captures damaged before the backup. Raises ``Damage`` for the file's own."""
    with watch("Comparing hashes", backup.byte_length) as advance:
        backup.check(advance)
    with watch("Comparing bodies", backup.manifest.table(CAPTURES).rows) as advance:
        return list(damaged_captures(backup, advance))


def damaged_captures(backup: Backup, advance: Advance) -> Iterator[str]:
    # Captures and evidence come in the same order, so neither table has to be in memory.
    evidence = _evidence(backup)
    stored = next(evidence, None)
    for capture in counted(_captures(backup), advance):
        while stored is not None and stored.capture_id < capture.id:
            yield f"evidence of {stored.capture_id}: there is no such capture"
            stored = next(evidence, None)
        own = stored if stored is not None and stored.capture_id == capture.id else None
        if problem := _problem(capture, own):
            yield f"capture {capture.id}: {problem}"
        if own is not None:
            stored = next(evidence, None)
    if stored is not None:
        yield f"evidence of {stored.capture_id}: there is no such capture"


def _problem(capture: _Capture, own: _Evidence | None) -> str | None:
    if capture.state in DELETED or capture.body_deleted_at is not None:
        return None if own is None else "deleted, but its bytes are there"
    if own is None:
        return "its bytes are missing"
    if capture.state == RECORDING:
        return None
    if capture.byte_length > settings.MAX_BODY_BYTES:
        return f"its {capture.byte_length:,} bytes are more than INSPECTOR_MAX_BODY_BYTES allows"
    try:
        length, sha256 = _measured(own.body, capture.byte_length)
    except zstandard.ZstdError as error:
        return f"its bytes cannot be decompressed ({error})"
    if length > capture.byte_length:
        return f"its bytes are not those that came (more than {capture.byte_length:,})"
    if sha256 != capture.sha256:
        return "its bytes are not those that came (SHA-256 differs)"
    return None


def _measured(packed: bytes, most: int) -> tuple[int, str]:
    """Length and SHA-256 of the unpacked evidence, from little more than ``most`` bytes."""
    length, digest = 0, hashlib.sha256()
    unpack = zstandard.ZstdDecompressor(max_window_size=WINDOW_BYTES)
    with unpack.stream_reader(packed) as body:
        while length <= most and (block := body.read(BLOCK_BYTES)):
            length += len(block)
            digest.update(block)
    return length, digest.hexdigest()


def _captures(backup: Backup) -> Iterator[_Capture]:
    return backup.rows(CAPTURES, msgspec.json.Decoder(built(_Capture)))


def _evidence(backup: Backup) -> Iterator[_Evidence]:
    return backup.rows(EVIDENCE, msgspec.json.Decoder(built(_Evidence)))
