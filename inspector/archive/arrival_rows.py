"""The rows of arrivals, stored together: evidence, captures and their tags.

On PostgreSQL all of it is one statement, so a team's turn lasts no longer than the database needs
for it. Columns are the models' own, so that none can be forgotten.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from django.db import connection, transaction
from django.db.models import Model
from django.utils import timezone

from inspector import statements
from inspector.archive.columns import Column, as_text, columns_of, names_of, table_of
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
    statement, values = _by_turns(len(rows) == 1), _values(team_id, rows, due_in_seconds)
    if connection.in_atomic_block:
        with transaction.atomic(), statements.cursor() as cursor:
            cursor.execute(statement, ["on", *values])
        return
    with statements.cursor() as cursor:
        cursor.execute(statement, ["off", *values])
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
    columns = [[getattr(each, f.attname) for _, each in rows] for f in columns_of(Evidence)]
    kept = columns if len(rows) > 1 else [value for (value,) in columns]
    captures = [_row(capture) for capture, _ in rows]
    return [TURNS, team_id, json.dumps(captures, default=as_text), *kept, due_in_seconds]


def _row(capture: Capture) -> dict[str, Any]:
    return {str(field.column): getattr(capture, field.attname) for field in _told(Capture)}


@cache
def _by_turns(is_one: bool) -> str:
    """Of one row the evidence needs no arrays, which are a tenth of what a post costs web."""
    capture, evidence, tag = map(table_of, (Capture, Evidence, TagRow))
    told = names_of(_told(Capture))
    kept = columns_of(Evidence)
    given = ", ".join(f"%b::{field.db_type(connection)}{'' if is_one else '[]'}" for field in kept)
    rows = given if is_one else f"* FROM unnest({given})"
    return f"""
        WITH settings AS MATERIALIZED (
            SELECT set_config('synchronous_commit', %s, true), %s::int AS turns, %s::int AS team
        ), arrived AS MATERIALIZED (
            SELECT * FROM json_populate_recordset(NULL::{capture}, %s)
        ), kept AS (
            INSERT INTO {evidence} ({names_of(kept)}) SELECT {rows} RETURNING 1
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
    kept, told = columns_of(Evidence), _told(Capture)
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
    columns = names_of(_told(model))
    marks = ", ".join(["%s"] * len(_told(model)))
    if model is Capture:
        columns = f"{columns}, {', '.join(BY_DATABASE)}"
        marks = f"{marks}, %s, strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now', %s)"
    return f"INSERT INTO {table_of(model)} ({columns}) VALUES ({marks})"


def _prepared(columns: Sequence[Column], row: Model) -> list[Any]:
    return [column.get_db_prep_save(getattr(row, column.attname), connection) for column in columns]


# -- both -----------------------------------------------------------------------------------------


@cache
def _told(model: type[Model]) -> tuple[Column, ...]:
    """Those whose values are not the database's to make."""
    return tuple(column for column in columns_of(model) if column.attname not in BY_DATABASE)
