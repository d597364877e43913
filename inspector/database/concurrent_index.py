"""A migration operation that adds an index to a large table while others write to it."""

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db.migrations.operations import AddIndex

from inspector.database.portability import lock_timeout


class PortableAddIndexConcurrently(AddIndexConcurrently):
    """Adds an index without blocking writers on PostgreSQL, and with a plain ``CREATE INDEX`` on
    SQLite, which allows one writer at a time anyway.

    It can be repeated wherever it was interrupted. Other operations cannot, so this one needs a
    migration of its own.
    """

    def database_forwards(
        self, app_label: Any, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        if schema_editor.connection.vendor != "postgresql":
            # A migration that was ended after making the index and before recording itself left it.
            schema_editor.execute(
                f"DROP INDEX IF EXISTS {schema_editor.quote_name(self.index.name)}"
            )
            AddIndex.database_forwards(self, app_label, schema_editor, from_state, to_state)
            return
        # It may wait long for readers of the table, such as a backup, but blocks nobody meanwhile.
        with lock_timeout(0):
            # An interrupted CREATE INDEX CONCURRENTLY leaves an invalid index of the same name.
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
