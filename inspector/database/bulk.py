"""Inserts many rows of one model by one statement."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import Model

from inspector.database import statements
from inspector.database.model_columns import Column, as_text, columns_of, names_of, table_of

PLAIN = {bool, bytes, int, str, type(None)}
"""Types whose values SQLite's driver takes as they are."""


def bulk_insert(rows: Sequence[Model], on_conflict: str = "") -> None:
    """Inserts complete rows of plain values: the database fills in nothing but their ids.

    ``on_conflict`` is an ``ON CONFLICT`` clause that both databases understand.
    """
    if not rows:
        return
    model = type(rows[0])
    columns = columns_of(model)
    with statements.statement_cursor() as cursor:
        if connection.vendor == "postgresql":
            values = [
                {column.column: row.__dict__[column.attname] for column in columns} for row in rows
            ]
            # One parameter: the statement's text is the same for any number of rows.
            cursor.execute(_all(model, on_conflict), [json.dumps(values, default=as_text)])
        else:
            cursor.executemany(_one(model, on_conflict), _values(columns, rows))


@cache
def _all(model: type[Model], on_conflict: str) -> str:
    """The statement that takes rows as one JSON text: one round trip, and read in one go."""
    table, names = table_of(model), names_of(columns_of(model))
    return (
        f"INSERT INTO {table} ({names})"
        f" SELECT {names} FROM json_populate_recordset(NULL::{table}, %s) {on_conflict}"
    )


@cache
def _one(model: type[Model], on_conflict: str) -> str:
    columns = columns_of(model)
    marks = ", ".join(["%s"] * len(columns))
    return f"INSERT INTO {table_of(model)} ({names_of(columns)}) VALUES ({marks}) {on_conflict}"


def _values(columns: Sequence[Column], rows: Sequence[Model]) -> list[list[Any]]:
    return [[_value(column, row.__dict__[column.attname]) for column in columns] for row in rows]


def _value(column: Column, value: Any) -> Any:
    if type(value) in PLAIN:
        return value
    return column.get_db_prep_save(value, connection)
