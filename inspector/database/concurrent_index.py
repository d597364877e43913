"""An index on a large table, made while others write to it: what migrations use for every one."""

from __future__ import annotations

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db.migrations.operations import AddIndex

from inspector.database.portability import lock_timeout


class AddIndexBesideWriters(AddIndexConcurrently):
    """Adds an index without blocking writers (PostgreSQL); plainly on SQLite, which has one writer
    at a time anyway. Can be run again wherever it was interrupted, which other operations cannot:
    such an index needs a migration of its own.
    """

    def database_forwards(
        self, app_label: Any, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        if schema_editor.connection.vendor != "postgresql":
            # Made and not recorded where the migration was ended between the two.
            schema_editor.execute(
                f"DROP INDEX IF EXISTS {schema_editor.quote_name(self.index.name)}"
            )
            AddIndex.database_forwards(self, app_label, schema_editor, from_state, to_state)
            return
        # It waits for readers of the table, such as a backup, and blocks nobody itself.
        with lock_timeout(0):
            # An interrupted one left an index that is not valid, and in the way.
            super().database_backwards(app_label, schema_editor, to_state, from_state)
            super().database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(
        self, app_label: Any, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        if schema_editor.connection.vendor != "postgresql":
            AddIndex.database_backwards(self, app_label, schema_editor, from_state, to_state)
            return
        with lock_timeout(0):
            super().database_backwards(app_label, schema_editor, from_state, to_state)
