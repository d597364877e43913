"""Copies of inspected captures, made by SQL: a million are there within minutes, where inspecting
as many takes hours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ID = (
    "(lpad(to_hex((extract(epoch FROM c.received_at + {later}) * 1000)::bigint), 12, '0')"
    " || substr(replace(c.id::text, '-', ''), 13))::uuid"
)
COLUMNS = (
    "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
    " AND NOT attisdropped AND NOT (attname = 'id' AND %s <> 'id')"
)


def note_originals(cursor: Any) -> None:
    """All captures that are there now are what ``copy`` copies, on this connection."""
    cursor.execute("CREATE TEMPORARY TABLE base AS SELECT id, received_at FROM archive_capture")


def copy(
    cursor: Any, tables: Mapping[str, str], later_seconds: float, changed: Mapping[str, str]
) -> None:
    """Copies the originals once. ``tables`` names the column that holds a capture's id, in the
    order of what refers to what; ``changed`` has the values of columns that are not to be equal.
    """
    for table, id_column in tables.items():
        cursor.execute(_copying(cursor, table, id_column, later_seconds, changed))


def _copying(
    cursor: Any, table: str, id_column: str, later_seconds: float, changed: Mapping[str, str]
) -> str:
    cursor.execute(COLUMNS, [table, id_column])
    later = f"make_interval(secs => {later_seconds})"
    values = {name: f't."{name}"' for (name,) in cursor.fetchall()}
    values |= {name: value for name, value in changed.items() if name in values}
    values[id_column] = ID.format(later=later)
    if "received_at" in values:
        values["received_at"] = f"t.received_at + {later}"
    return (
        f"INSERT INTO {table} ({_listed(values)}) SELECT {', '.join(values.values())}"
        f" FROM {table} t JOIN base c ON c.id = t.{id_column} ORDER BY c.received_at"
    )


def _listed(names: Mapping[str, str]) -> str:
    # One column of prices is named as a word of SQL.
    return ", ".join(f'"{name}"' for name in names)
