"""Inserts or updates many rows of one model by one statement."""

import json
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Model

from inspector.database import statements
from inspector.database.model_columns import Column, as_text, columns_of, names_of, table_of

PLAIN = {bool, bytes, int, str, type(None)}
"""Types whose values SQLite's driver takes as they are."""
SHARED = {datetime, UUID}
"""Types of values that most rows of one statement share."""


def bulk_insert(rows: Sequence[Model], on_conflict: str = "") -> None:
    """Insert complete rows of plain values: the database fills in nothing but their ids.

    ``on_conflict`` is an ``ON CONFLICT`` clause that both databases understand.
    """
    if not rows:
        return
    model = type(rows[0])
    names = tuple(str(column.attname) for column in columns_of(model))
    values = [[row.__dict__[name] for name in names] for row in rows]
    insert_values(model, names, values, on_conflict)


def insert_values(
    model: type[Model],
    names: tuple[str, ...],
    rows: Sequence[Sequence[Any]],
    on_conflict: str = "",
) -> None:
    """Do the same with rows that are no instances, of which Django would take as long to make each
    as to store it. ``names`` are those of all columns (``team_id``, not ``team``) in the rows'
    order.
    """
    if not rows:
        return
    columns = _named(model, names)
    with statements.statement_cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_all(model, columns, on_conflict), [_as_json(columns, rows)])
        else:
            cursor.executemany(_one(model, columns, on_conflict), _values(columns, rows))


def bulk_update(rows: Sequence[Model], names: tuple[str, ...]) -> None:
    """Store columns of rows that are there, without Django's slow CASE for each column."""
    if not rows:
        return
    model = type(rows[0])
    key = model._meta.pk
    assert key is not None
    columns = (*(column for column in columns_of(model) if column.attname in names), key)
    values = [[row.__dict__[str(column.attname)] for column in columns] for row in rows]
    with statements.statement_cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_update_all(model, columns), [_as_json(columns, values)])
        else:
            cursor.executemany(_update_one(model, columns), _values(columns, values))


@cache
def _update_all(model: type[Model], columns: tuple[Column, ...]) -> str:
    table, *names = table_of(model), *(names_of([column]) for column in columns)
    changes = ", ".join(f"{name} = new.{name}" for name in names[:-1])
    return (
        f"UPDATE {table} SET {changes} FROM json_populate_recordset(NULL::{table}, %s) AS new"
        f" WHERE {table}.{names[-1]} = new.{names[-1]}"
    )


@cache
def _update_one(model: type[Model], columns: tuple[Column, ...]) -> str:
    *names, key = (names_of([column]) for column in columns)
    changes = ", ".join(f"{name} = %s" for name in names)
    return f"UPDATE {table_of(model)} SET {changes} WHERE {key} = %s"


@cache
def _named(model: type[Model], names: tuple[str, ...]) -> tuple[Column, ...]:
    columns = {str(column.attname): column for column in columns_of(model)}
    assert columns.keys() == set(names), f"{model.__name__} has other columns"
    return tuple(columns[name] for name in names)


@cache
def _all(model: type[Model], columns: tuple[Column, ...], on_conflict: str) -> str:
    """Return the statement that takes rows as one JSON text: one round trip, and read in one go."""
    table, names = table_of(model), names_of(columns)
    return (
        f"INSERT INTO {table} ({names})"
        f" SELECT {names} FROM json_populate_recordset(NULL::{table}, %s) {on_conflict}"
    )


@cache
def _one(model: type[Model], columns: tuple[Column, ...], on_conflict: str) -> str:
    marks = ", ".join(["%s"] * len(columns))
    return f"INSERT INTO {table_of(model)} ({names_of(columns)}) VALUES ({marks}) {on_conflict}"


def _as_json(columns: Sequence[Column], rows: Sequence[Sequence[Any]]) -> str:
    """One parameter: the statement's text is the same for any number of rows."""
    names = [str(column.column) for column in columns]
    return json.dumps([dict(zip(names, row, strict=True)) for row in rows], default=as_text)


def _values(columns: Sequence[Column], rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    known: dict[tuple[int, Any], Any] = {}
    return [
        [
            value if type(value) in PLAIN else _prepared(known, columns, at, value)
            for at, value in enumerate(row)
        ]
        for row in rows
    ]


def _prepared(
    known: dict[tuple[int, Any], Any], columns: Sequence[Column], at: int, value: Any
) -> Any:
    if type(value) not in SHARED:
        return columns[at].get_db_prep_save(value, connection)
    key = at, value
    if key not in known:
        known[key] = columns[at].get_db_prep_save(value, connection)
    return known[key]
