"""A ledger of deletions, kept outside of the archive: a backup from before brings back what was
deleted since, and only somebody who remembers can delete it again.

One JSON object a line: what it is, then a deletion each. It holds no content, and no name but that
of whoever deleted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import IO
from uuid import UUID

import msgspec

from inspector.archive.database import snapshot, truncate_log
from inspector.archive.deletion import delete_again
from inspector.operations import data_dir
from inspector.operations.backup import schema
from inspector.operations.backup.schema import TableRows
from inspector.operations.backup.unpacking import Damage
from inspector.operations.refusal import Refusal

FORMAT = "response-inspector-deletions"
FORMAT_VERSION = 1
TOMBSTONES = "archive_tombstone"
LINE_BYTES = 10_000
SUFFIX = ".deletions"


class Head(msgspec.Struct, frozen=True):
    written_at: datetime
    """Everything that was deleted before it is in the ledger."""
    deletions: int
    format: str = FORMAT
    format_version: int = FORMAT_VERSION


class Deletion(msgspec.Struct, frozen=True):
    capture: UUID
    sha256: str
    deleted_at: datetime
    deleted_by: str

    def __str__(self) -> str:
        return (
            f"{self.capture}, deleted {self.deleted_at:%Y-%m-%d %H:%M:%S} UTC by {self.deleted_by}"
        )


class Ledger(msgspec.Struct, frozen=True):
    head: Head
    deletions: tuple[Deletion, ...]


def beside(backup: Path) -> Path:
    return backup.with_name(backup.name + SUFFIX)


def of_archive() -> Ledger:
    written_at = datetime.now(UTC)
    with snapshot():
        if not schema.applied():
            raise Refusal("There is no archive here.")
        return ledger_of(schema.tables(schema.applied()), written_at)


def ledger_of(tables: Sequence[TableRows], written_at: datetime) -> Ledger:
    """Of the tables as they are, inside a snapshot."""
    stones = (table.all() for table in tables if table.name == TOMBSTONES)
    names = ("capture_id", "capture__sha256", "deleted_at", "deleted_by")
    found = tuple(
        Deletion(*values)
        for rows in stones
        for values in rows.order_by("deleted_at", "pk").values_list(*names)
    )
    return Ledger(Head(written_at, len(found)), found)


def write(path: Path, ledger: Ledger) -> None:
    lines = map(msgspec.json.encode, (ledger.head, *ledger.deletions))
    data_dir.write(path, "".join(line.decode() + "\n" for line in lines))


def read(path: Path) -> Ledger:
    try:
        with path.open("rb") as file:
            return _ledger(path, file)
    except OSError as error:
        raise Refusal(f"{path}: {error.strerror}.") from error


def _ledger(path: Path, file: IO[bytes]) -> Ledger:
    try:
        lines = _short(path, file)
        head = msgspec.json.decode(next(lines, b""), type=Head)
        deletions = tuple(msgspec.json.decode(line, type=Deletion) for line in lines)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Damage(f"{path}: is no ledger of deletions ({error})") from error
    if (head.format, head.format_version) != (FORMAT, FORMAT_VERSION):
        raise Refusal(f"{path}: is no ledger of deletions that this program knows.")
    if len(deletions) != head.deletions:
        raise Damage(f"{path}: {len(deletions)} deletions where {head.deletions} were to be")
    return Ledger(head, deletions)


def _short(path: Path, file: IO[bytes]) -> Iterator[bytes]:
    while line := file.readline(LINE_BYTES + 1):
        if len(line) > LINE_BYTES:
            raise Damage(f"{path}: a line has more than {LINE_BYTES:,} bytes")
        yield line


def apply(ledger: Ledger) -> list[Deletion]:
    """Those that were here and are deleted again; the others never came, or are gone already."""
    again = [each for each in ledger.deletions if _is_deleted_again(each)]
    truncate_log()
    return again


def _is_deleted_again(each: Deletion) -> bool:
    receipt = delete_again(each.capture, each.sha256, each.deleted_at, each.deleted_by)
    return receipt is not None
