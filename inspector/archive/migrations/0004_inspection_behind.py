"""An index on a large table, made while others write to it."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.migrations.operations import AddIndex

from inspector.archive.database import lock_timeout


class AddIndexBesideWriters(AddIndexConcurrently):
    """SQLite has one writer at a time anyway, and knows no other way."""

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        if schema_editor.connection.vendor != "postgresql":
            return AddIndex.database_forwards(self, app_label, schema_editor, from_state, to_state)
        # It waits for whoever reads the table, such as a backup, and nobody waits for it.
        with lock_timeout(0):
            # An interrupted one left an index that is not valid, and in the way.
            super().database_backwards(app_label, schema_editor, to_state, from_state)
            super().database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label, schema_editor, from_state, to_state):
        if schema_editor.connection.vendor != "postgresql":
            return AddIndex.database_backwards(self, app_label, schema_editor, from_state, to_state)
        with lock_timeout(0):
            super().database_backwards(app_label, schema_editor, from_state, to_state)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("archive", "0003_jobs")]

    operations = [
        AddIndexBesideWriters(
            model_name="inspection",
            index=models.Index(
                fields=["team", "tried_version", "capture"], name="inspection_behind"
            ),
        ),
    ]
