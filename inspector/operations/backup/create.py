"""Creates a backup: one snapshot of the archive in one file, while captures keep arriving.

A tar of rows as JSON lines, of every table but those named as left out: one form for both
databases, a way from one to the other, and readable with tar, zstd and jq. SQLite's own backup
would need the archive's size again on the disk; ``pg_dump`` must have the server's version.
"""

from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from django.db import connection

from inspector.core.analysis import ANALYSIS_VERSION
from inspector.database.portability import snapshot
from inspector.operations.backup import deletions, schema
from inspector.operations.backup.manifest import CAPTURES, BackupTable, Manifest
from inspector.operations.backup.packing import Advance, BackupWriter, atomic_tar
from inspector.operations.backup.progress import Watch
from inspector.operations.backup.schema import TableRows
from inspector.operations.operator_error import OperatorError
from inspector.version import VERSION


def create_backup(path: Path, watch: Watch) -> Manifest:
    if path.exists():
        raise OperatorError(f"{path} is there already.")
    if not path.parent.is_dir():
        raise OperatorError(f"{path.parent} is no directory.")
    taken_at = datetime.now(UTC)
    with snapshot(), atomic_tar(path) as tar:
        migrations = schema.applied()
        if not migrations:
            raise OperatorError("There is no archive here.")
        tables = schema.tables(migrations)
        packer = BackupWriter(tar, taken_at.timestamp())
        with watch("Backing up", sum(table.all().count() for table in tables)) as advance:
            packed = [_packed(table, packer, advance) for table in tables]
        manifest = Manifest(
            taken_at=taken_at,
            program=VERSION,
            analysis_version=ANALYSIS_VERSION,
            database=connection.vendor,
            migrations=tuple(migrations),
            captures=captures_by_state(tables),
            tables=tuple(packed),
        )
        packer.end(manifest)
        ledger = deletions.ledger_of(tables, taken_at)
    deletions.write_ledger(deletions.ledger_path(path), ledger)
    return manifest


def _packed(table: TableRows, packer: BackupWriter, advance: Advance) -> BackupTable:
    # On a full disk the cursor would otherwise stay open after the connection.
    with closing(table.stored()) as rows:
        return packer.rows(table.name, rows, advance)


def captures_by_state(tables: list[TableRows]) -> dict[str, int]:
    captures = next(table for table in tables if table.name == CAPTURES)
    return dict(sorted(Counter(captures.all().values_list("state", flat=True).iterator()).items()))
