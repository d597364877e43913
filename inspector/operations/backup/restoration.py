"""Restores a backup into an empty archive, in one transaction."""

from collections import Counter
from collections.abc import Iterator

import msgspec
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.models import F
from django.db.models.functions import Now

from inspector.archive.models import State
from inspector.core.decoded_types import built
from inspector.database.portability import advance_sequences, insert_values
from inspector.operations.backup import schema
from inspector.operations.backup.create import captures_by_state
from inspector.operations.backup.manifest import CAPTURES, Manifest
from inspector.operations.backup.packing import Advance
from inspector.operations.backup.progress import Watch, counted
from inspector.operations.backup.schema import TableRows
from inspector.operations.backup.unpacking import Backup, Damage
from inspector.operations.operator_error import OperatorError
from inspector.search import rebuilding

LEASED = {"archive_capture", "work_work"}


def require_fit(manifest: Manifest) -> list[TableRows]:
    """Return the backup's tables. Raises ``OperatorError`` where program or archive cannot
    take it.
    """
    tables = schema.tables(manifest.migrations)
    there = connection.introspection.table_names()
    if any(table.name in there and table.all().exists() for table in tables):
        raise OperatorError(
            "The archive here is not empty; name an empty directory with --data-dir, or an empty"
            " database with DATABASE_URL."
        )
    return tables


def restore_backup(backup: Backup, watch: Watch) -> dict[str, int]:
    """Restore a verified backup; return the captures by state."""
    tables = require_fit(backup.manifest)
    MigrationExecutor(connection).migrate(schema.targets(backup.manifest.migrations))
    with (
        watch("Restoring", sum(table.rows for table in backup.manifest.tables)) as advance,
        transaction.atomic(),
    ):
        for table in tables:
            insert_values(table.name, table.columns, _rows(backup, table, advance))
        _end_leases(tables)
        advance_sequences([table.model for table in tables])
        captures = captures_by_state(tables)
        _require_all(backup.manifest, tables, captures)
    call_command("migrate", interactive=False, verbosity=0)
    rebuilding.queue_all()
    return captures


def expected_states(manifest: Manifest) -> dict[str, int]:
    """Return captures by state after restoring: those in inspection become pending again."""
    states = Counter(manifest.captures)
    states[State.RECEIVED] += states.pop(State.PROCESSING, 0)
    return {str(state): count for state, count in sorted(states.items()) if count}


def _rows(backup: Backup, table: TableRows, advance: Advance) -> Iterator[tuple[object, ...]]:
    decoder = msgspec.json.Decoder(built(table.row_type))
    for row in counted(backup.rows(table.name, decoder), advance):
        yield table.for_columns(row)


def _require_all(manifest: Manifest, tables: list[TableRows], captures: dict[str, int]) -> None:
    for table in tables:
        stated, found = manifest.table(table.name).rows, table.all().count()
        if stated != found:
            raise Damage(f"rows/{table.name}: {found} rows where the manifest says {stated}")
    if captures != expected_states(manifest):
        raise Damage(f"captures by state: {captures} where {expected_states(manifest)} were to be")


def _end_leases(tables: list[TableRows]) -> None:
    # Leases and running jobs of the time of the backup have no owner any more.
    by_name = {table.name: table.all() for table in tables}
    by_name[CAPTURES].filter(state=State.PROCESSING).update(
        state=State.RECEIVED, attempt=F("attempt") - 1, due_at=Now(), lease_token=None
    )
    for name in LEASED & by_name.keys():
        by_name[name].filter(lease_token__isnull=False).update(lease_token=None, due_at=Now())
