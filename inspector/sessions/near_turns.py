"""The turns around others, of many sessions by one statement.

Django writes such a statement anew for each session, which takes longer than to answer it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from django.db import connection

from inspector.database.model_columns import columns_of, names_of, table_of
from inspector.sessions.models import Turn

WIDE = ("outline", "changes")
"""Columns that are left out."""


def turns_around(firsts: Sequence[Turn], before: int, after: int) -> Iterator[Turn]:
    """So many turns before each of these in its session, those themselves, and what is after."""
    parameters = [value for first in firsts for value in _values(first, before, after)]
    sql = " UNION ALL ".join([_statement()] * len(firsts))
    yield from Turn.objects.raw(sql, parameters) if firsts else ()


def _values(first: Turn, before: int, after: int) -> list[Any]:
    columns = {column.attname: column for column in columns_of(Turn)}
    place = [
        columns[name].get_db_prep_value(getattr(first, name), connection)
        for name in ("session_id", "received_at", "capture_id")
    ]
    return [*place, before, *place, after + 1]


@cache
def _statement() -> str:
    columns = [column for column in columns_of(Turn) if column.attname not in WIDE]
    select = f"SELECT {names_of(columns)} FROM {table_of(Turn)} WHERE session_id = %s"
    here = "(received_at, capture_id)"
    return (
        f"SELECT * FROM ({select} AND {here} < (%s, %s)"
        " ORDER BY received_at DESC, capture_id DESC LIMIT %s) AS older"
        f" UNION ALL SELECT * FROM ({select} AND {here} >= (%s, %s)"
        " ORDER BY received_at, capture_id LIMIT %s) AS newer"
    )
