"""The rows of arrivals, stored together: evidence, captures and their tags.

On PostgreSQL all of it is one statement, so a team's turn lasts no longer than the database needs
for it. Columns are the models' own, so that none can be forgotten.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Field, Model
from django.utils import timezone

from inspector import statements
from inspector.archive.models import Capture, Evidence, TagRow

TURNS = 1
"""Tells this use of PostgreSQL's advisory locks from others."""
BY_DATABASE = ("received_at", "due_at")
"""Its clock is the one that all hosts share."""

Rows = Sequence[tuple[Capture, Evidence]]


def insert(team_id: int, rows: Rows, due_in_seconds: int = 0) -> None:
    """By one commit, or as a part of the transaction around it.

    A list is in the order of arrival, and whoever asks for what came after its newest row must
    miss none. So ``received_at`` is later than that of every arrival of this team that is committed
    or will be before this one: from reading the clock to the commit a transaction is its team's
    only one. The larger part, the evidence, is written before; that its captures are there is
    checked at the end.
    """
    if connection.vendor == "postgresql":
        _insert_by_turns(team_id, rows, due_in_seconds)
    else:
        _insert_alone(rows, due_in_seconds)


# -- PostgreSQL -----------------------------------------------------------------------------------


def _insert_by_turns(team_id: int, rows: Rows, due_in_seconds: int) -> None:
    """Others of the team go on as soon as these rows can be seen; only this caller waits for the
    disk, together with everybody else who does.
    """
    values = _values(team_id, rows, due_in_seconds)
    if connection.in_atomic_block:
        with transaction.atomic(), statements.cursor() as cursor:
            cursor.execute(_by_turns(), ["on", *values])
        return
    with statements.cursor() as cursor:
        cursor.execute(_by_turns(), ["off", *values])
    flush()


def flush() -> None:
    """Returns when everything that could be seen before is on the disk. None but PostgreSQL shows
    anything sooner.
    """
    if connection.vendor != "postgresql" or connection.in_atomic_block:
        return
    with statements.cursor() as cursor:
        # A commit waits for the disk if it wrote anything, and for all that was written before.
        cursor.execute("SELECT pg_logical_emit_message(true, 'inspector', '')")


def _values(team_id: int, rows: Rows, due_in_seconds: int) -> list[Any]:
    evidence = [stored for _, stored in rows]
    columns = [[getattr(each, f.attname) for each in evidence] for f in _fields(Evidence)]
    captures = [_row(capture) for capture, _ in rows]
    return [TURNS, team_id, json.dumps(captures, default=_as_text), *columns, due_in_seconds]


def _row(capture: Capture) -> dict[str, Any]:
    return {str(field.column): getattr(capture, field.attname) for field in _told(Capture)}


def _as_text(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    raise TypeError(f"no column takes a {type(value).__name__}")


@cache
def _by_turns() -> str:
    capture, evidence, tag = map(_table, (Capture, Evidence, TagRow))
    told = _columns(_told(Capture))
    kept = _fields(Evidence)
    arrays = ", ".join(f"%b::{field.db_type(connection)}[]" for field in kept)
    return f"""
        WITH settings AS MATERIALIZED (
            SELECT set_config('synchronous_commit', %s, true), %s::int AS turns, %s::int AS team
        ), arrived AS MATERIALIZED (
            SELECT * FROM json_populate_recordset(NULL::{capture}, %s)
        ), kept AS (
            INSERT INTO {evidence} ({_columns(kept)}) SELECT * FROM unnest({arrays}) RETURNING 1
        ), turn AS MATERIALIZED (
            SELECT clock_timestamp() AS at
            FROM (SELECT count(*)::int AS rows FROM kept) AS first, settings,
                 LATERAL pg_advisory_xact_lock(turns, team + 0 * rows)
        ), tagged AS (
            INSERT INTO {tag} (capture_id, tag)
            SELECT id, jsonb_array_elements_text(tags) FROM arrived
        )
        INSERT INTO {capture} ({told}, {", ".join(BY_DATABASE)})
        SELECT {told}, at, at + make_interval(secs => %s) FROM turn, arrived
    """


# -- SQLite ---------------------------------------------------------------------------------------


def _insert_alone(rows: Rows, due_in_seconds: int) -> None:
    """Its transactions are alone from their first statement on."""
    kept, told = _fields(Evidence), _told(Capture)
    with transaction.atomic(), statements.cursor() as cursor:
        received_at = connection.ops.adapt_datetimefield_value(timezone.now())
        later = [received_at, f"{due_in_seconds} seconds"]
        cursor.executemany(_one(Evidence), [_prepared(kept, stored) for _, stored in rows])
        cursor.executemany(_one(Capture), [[*_prepared(told, one), *later] for one, _ in rows])
        tags = [[one.pk.hex, tag] for one, _ in rows for tag in one.tags]
        if tags:
            cursor.executemany(_one(TagRow), tags)


@cache
def _one(model: type[Model]) -> str:
    """The statement that stores one row; of captures the last values say when."""
    columns = _columns(_told(model))
    marks = ", ".join(["%s"] * len(_told(model)))
    if model is Capture:
        columns = f"{columns}, {', '.join(BY_DATABASE)}"
        marks = f"{marks}, %s, strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now', %s)"
    return f"INSERT INTO {_table(model)} ({columns}) VALUES ({marks})"


def _prepared(fields: Sequence[Field[Any, Any]], row: Model) -> list[Any]:
    return [field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields]


# -- both -----------------------------------------------------------------------------------------


@cache
def _fields(model: type[Model]) -> tuple[Field[Any, Any], ...]:
    return tuple(model._meta.concrete_fields)


@cache
def _told(model: type[Model]) -> tuple[Field[Any, Any], ...]:
    """Those whose values are not the database's to make."""
    fields = _fields(model)
    return tuple(f for f in fields if f.attname not in BY_DATABASE and not _is_numbered(f))


def _is_numbered(field: Field[Any, Any]) -> bool:
    return field.get_internal_type() == "BigAutoField"


def _columns(fields: Sequence[Field[Any, Any]]) -> str:
    return ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)


def _table(model: type[Model]) -> str:
    return str(connection.ops.quote_name(model._meta.db_table))
