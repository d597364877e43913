"""The ledger of deletions, a file outside the archive.

A restored backup brings back captures that were deleted after it was taken; the ledger allows these
deletions to be repeated. JSON lines: a header, then one deletion each. It holds no content, and no
names but those of the people who deleted.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import IO
from uuid import UUID

import msgspec

from inspector.archive.deletion import delete_again
from inspector.core.decoded_types import built
from inspector.database.portability import snapshot, truncate_wal
from inspector.operations import data_dir
from inspector.operations.backup import schema
from inspector.operations.backup.schema import TableRows
from inspector.operations.backup.unpacking import Damage
from inspector.operations.operator_error import OperatorError

FORMAT = "response-inspector-deletions"
FORMAT_VERSION = 1
TOMBSTONES = "archive_tombstone"
LINE_BYTES = 10_000
"""A deletion has some hundred; a file without line ends is not read into memory."""
SUFFIX = ".deletions"


class DeletionLedgerHead(msgspec.Struct, frozen=True):
    written_at: datetime
    """The ledger contains every deletion before this time."""
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


class DeletionLedger(msgspec.Struct, frozen=True):
    head: DeletionLedgerHead
    deletions: tuple[Deletion, ...]


def ledger_path(backup: Path) -> Path:
    return backup.with_name(backup.name + SUFFIX)


def deletions_in_archive() -> DeletionLedger:
    written_at = datetime.now(UTC)
    with snapshot():
        if not schema.applied():
            raise OperatorError("There is no archive here.")
        return ledger_of(schema.tables(schema.applied()), written_at)


def ledger_of(tables: Sequence[TableRows], written_at: datetime) -> DeletionLedger:
    """Read the ledger from the tables, inside a snapshot."""
    stones = (table.all() for table in tables if table.name == TOMBSTONES)
    names = ("capture_id", "capture__sha256", "deleted_at", "deleted_by")
    found = tuple(
        Deletion(*values)
        for rows in stones
        for values in rows.order_by("deleted_at", "pk").values_list(*names)
    )
    return DeletionLedger(DeletionLedgerHead(written_at, len(found)), found)


def write_ledger(path: Path, ledger: DeletionLedger) -> None:
    lines = map(msgspec.json.encode, (ledger.head, *ledger.deletions))
    data_dir.write_private(path, "".join(line.decode() + "\n" for line in lines))


def read_ledger(path: Path) -> DeletionLedger:
    try:
        with path.open("rb") as file:
            return _ledger(path, file)
    except OSError as error:
        raise OperatorError(f"{path}: {error.strerror}.") from error


def _ledger(path: Path, file: IO[bytes]) -> DeletionLedger:
    try:
        lines = _short(path, file)
        head = msgspec.json.decode(next(lines, b""), type=built(DeletionLedgerHead))
        deletions = tuple(msgspec.json.decode(line, type=built(Deletion)) for line in lines)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Damage(f"{path}: is no ledger of deletions ({error})") from error
    if (head.format, head.format_version) != (FORMAT, FORMAT_VERSION):
        raise OperatorError(f"{path}: is no ledger of deletions that this program knows.")
    if len(deletions) != head.deletions:
        raise Damage(f"{path}: {len(deletions)} deletions where {head.deletions} were to be")
    return DeletionLedger(head, deletions)


def _short(path: Path, file: IO[bytes]) -> Iterator[bytes]:
    while line := file.readline(LINE_BYTES + 1):
        if len(line) > LINE_BYTES:
            raise Damage(f"{path}: a line has more than {LINE_BYTES:,} bytes")
        yield line


def apply_deletions(ledger: DeletionLedger) -> list[Deletion]:
    """Delete the listed captures that exist; returns those deletions."""
    again = [each for each in ledger.deletions if _is_deleted_again(each)]
    truncate_wal()
    return again


def _is_deleted_again(each: Deletion) -> bool:
    receipt = delete_again(each.capture, each.sha256, each.deleted_at, each.deleted_by)
    return receipt is not None
