"""Whether every capture of a backup still has the bytes that its row promises."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from uuid import UUID

import msgspec
import zstandard

from inspector.operations.backup.manifest import CAPTURES, EVIDENCE
from inspector.operations.backup.packing import Advance
from inspector.operations.backup.progress import Watch, counted
from inspector.operations.backup.unpacking import Backup

DELETED = ("deleting", "gone")


class _Capture(msgspec.Struct):
    id: UUID
    state: str
    sha256: str


class _Evidence(msgspec.Struct):
    capture_id: UUID
    body: bytes


def verify(backup: Backup, watch: Watch) -> list[str]:
    """Raises what is damaged in the file; gives what was damaged before it was made."""
    with watch("Comparing hashes", backup.byte_length) as advance:
        backup.check(advance)
    with watch("Comparing bodies", backup.manifest.table(CAPTURES).rows) as advance:
        return list(damaged_captures(backup, advance))


def damaged_captures(backup: Backup, advance: Advance) -> Iterator[str]:
    """Both tables are in the order of the capture, so neither has to be in memory."""
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
    if capture.state in DELETED:
        return None if own is None else "deleted, but its bytes are there"
    if own is None:
        return "its bytes are missing"
    try:
        body = zstandard.decompress(own.body)
    except zstandard.ZstdError as error:
        return f"its bytes cannot be decompressed ({error})"
    if hashlib.sha256(body).hexdigest() != capture.sha256:
        return "its bytes are not those that came (SHA-256 differs)"
    return None


def _captures(backup: Backup) -> Iterator[_Capture]:
    decoder = msgspec.json.Decoder(_Capture)
    return map(decoder.decode, backup.lines(CAPTURES))


def _evidence(backup: Backup) -> Iterator[_Evidence]:
    decoder = msgspec.json.Decoder(_Evidence)
    return map(decoder.decode, backup.lines(EVIDENCE))
