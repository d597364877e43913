"""Gives the captures of an archive that is older than ``called_at`` theirs.

Tables that 0001 makes have it; those that it made before the first release get it here, while
nothing else runs. What is summed up by it is read again in the background.
"""

from typing import Any

from django.db import migrations, models, transaction

COPIES = (
    "archive_inspection",
    "usage_price",
    "turns_turn",
    "feedback_tokenplace",
)
NEW_INDEXES = (
    "capture_newest",
    "capture_by_arrival",
    "capture_by_state",
    "capture_by_key",
    "capture_by_size",
    "capture_by_upstream",
)
CALLED_AT = """
    UPDATE archive_capture SET called_at = CASE
        WHEN started_at >= '2015-01-01 00:00:00+00:00' AND started_at <= received_at
        THEN started_at ELSE received_at END
"""
OTHERS = "SELECT id FROM archive_capture WHERE called_at <> received_at"


def upgrade(apps: Any, editor: Any) -> None:
    capture = apps.get_model("archive", "Capture")
    with editor.connection.cursor() as cursor:
        table = editor.connection.introspection.get_table_description(cursor, "archive_capture")
    if "called_at" not in {column.name for column in table}:
        with transaction.atomic():
            _add_column(editor)
            _replace_indexes(capture, editor)
            _rename_copies(editor)


def _add_column(editor: Any) -> None:
    is_postgresql = editor.connection.vendor == "postgresql"
    kind = "timestamptz" if is_postgresql else "datetime NOT NULL DEFAULT '1970-01-01 00:00:00'"
    editor.execute(f"ALTER TABLE archive_capture ADD COLUMN called_at {kind}")
    editor.execute(CALLED_AT)
    if is_postgresql:
        editor.execute("ALTER TABLE archive_capture ALTER COLUMN called_at SET NOT NULL")


def _replace_indexes(capture: type[models.Model], editor: Any) -> None:
    for name in (*NEW_INDEXES, "capture_by_start"):
        editor.execute(f"DROP INDEX IF EXISTS {name}")
    for index in capture._meta.indexes:
        if index.name in NEW_INDEXES:
            editor.execute(index.create_sql(capture, editor))


def _rename_copies(editor: Any) -> None:
    for table in COPIES:
        editor.execute(f"ALTER TABLE {table} RENAME COLUMN received_at TO called_at")
        editor.execute(
            f"UPDATE {table} SET called_at = (SELECT called_at FROM archive_capture"
            f" WHERE id = {table}.capture_id) WHERE capture_id IN ({OTHERS})"
        )
    editor.execute(
        f"UPDATE archive_inspection SET tried_version = 0 WHERE capture_id IN ({OTHERS})"
    )
    editor.execute("ALTER TABLE usage_driftscanstate RENAME COLUMN newest_arrival TO newest_call")
    editor.execute("UPDATE usage_driftscanstate SET newest_call = NULL")


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ("archive", "0001_initial"),
        ("usage", "0001_initial"),
        ("turns", "0001_initial"),
        ("feedback", "0001_initial"),
    ]
    operations = [migrations.RunPython(upgrade, migrations.RunPython.noop)]
