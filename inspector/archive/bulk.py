"""Many rows of one model by one statement; columns and values are as the model says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import AutoField, Field, Model

from inspector import statements

PLAIN = {bool, bytes, int, str, type(None)}
"""Types whose values SQLite's driver takes as they are."""


def insert(rows: Sequence[Model]) -> None:
    """Whole rows of one model, of plain values: the database fills in nothing but their numbers."""
    if not rows:
        return
    model = type(rows[0])
    columns = columns_of(model)
    with statements.cursor() as cursor:
        if connection.vendor == "postgresql":
            values = [
                {column.column: row.__dict__[column.attname] for column in columns} for row in rows
            ]
            cursor.execute(_all(model), [json.dumps(values, default=_as_text)])
        else:
            cursor.executemany(_one(model), _values(columns, rows))


@cache
def columns_of(model: type[Model]) -> tuple[Field[Any, Any], ...]:
    fields = model._meta.concrete_fields
    return tuple(field for field in fields if not isinstance(field, AutoField))


@cache
def _all(model: type[Model]) -> str:
    """The statement that takes rows as one JSON text: one round trip, and read in one go."""
    table, names = _names(model)
    return (
        f"INSERT INTO {table} ({names})"
        f" SELECT {names} FROM json_populate_recordset(NULL::{table}, %s)"
    )


@cache
def _one(model: type[Model]) -> str:
    table, names = _names(model)
    return f"INSERT INTO {table} ({names}) VALUES ({', '.join(['%s'] * len(columns_of(model)))})"


def _names(model: type[Model]) -> tuple[str, str]:
    quote = connection.ops.quote_name
    names = ", ".join(quote(str(column.column)) for column in columns_of(model))
    return quote(model._meta.db_table), names


def _as_text(value: object) -> str:
    """As PostgreSQL reads it where JSON has no such type."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return f"\\x{value.hex()}"
    if isinstance(value, UUID):
        return str(value)
    raise TypeError(f"no column takes a {type(value).__name__}")


def _values(columns: Sequence[Field[Any, Any]], rows: Sequence[Model]) -> list[list[Any]]:
    return [[_value(column, row.__dict__[column.attname]) for column in columns] for row in rows]


def _value(column: Field[Any, Any], value: Any) -> Any:
    if type(value) in PLAIN:
        return value
    return column.get_db_prep_save(value, connection)
