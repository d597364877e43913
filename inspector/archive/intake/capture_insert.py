"""Inserts arriving captures with their evidence and tags.

PostgreSQL does all of it in one statement, so that the team's lock is held for as short a time as
possible. The columns are taken from the models, so that none can be forgotten.
"""

import json
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

from django.db import connection, transaction
from django.db.models import Model
from django.utils import timezone

from inspector.archive.intake.call_time import EARLIEST, called_at
from inspector.archive.models import Capture, Evidence, State, TagRow
from inspector.database import statements
from inspector.database.model_columns import Column, as_text, columns_of, names_of, table_of

TEAM_ARRIVAL_LOCK = 1
"""Tells this use of PostgreSQL's advisory locks from others."""
# Set by the database's clock, which all hosts share.
BY_DATABASE = ("received_at", "called_at", "due_at", "finished_at")

CapturesWithEvidence = Sequence[tuple[Capture, Evidence]]


def insert_captures(team_id: int, rows: CapturesWithEvidence, due_in_seconds: int = 0) -> None:
    """Insert captures with their evidence and tags, in one commit or in the caller's transaction.

    Within a team ``received_at`` increases in the order of commits: a client that polls for what
    came after the last that it knows must miss none. So a transaction holds
    the team's lock from reading the clock to its commit. Evidence, the larger part, is written
    before the lock is taken; its foreign key is checked at the end of the transaction. A row's
    ``called_at`` is what was told, until it is stored.
    """
    if connection.vendor == "postgresql":
        _insert_locked(team_id, rows, due_in_seconds)
    else:
        _insert_alone(rows, due_in_seconds)


# -- PostgreSQL -----------------------------------------------------------------------------------


def _insert_locked(team_id: int, rows: CapturesWithEvidence, due_in_seconds: int) -> None:
    # Others of the team go on as soon as these rows are visible; only this caller waits for the
    # disk, together with all who commit at the same time.
    statement, values = (
        _locked_insert_statement(len(rows) == 1),
        _values(team_id, rows, due_in_seconds),
    )
    if connection.in_atomic_block:
        with transaction.atomic(), statements.statement_cursor() as cursor:
            cursor.execute(statement, ["on", *values])
        return
    with statements.statement_cursor() as cursor:
        cursor.execute(statement, ["off", *values])
    flush_wal()


def flush_wal() -> None:
    """Return when all rows that were visible before the call are on the disk. PostgreSQL with
    ``synchronous_commit`` off makes rows visible before that; SQLite never does.
    """
    if connection.vendor != "postgresql" or connection.in_atomic_block:
        return
    with statements.statement_cursor() as cursor:
        # A commit waits for the disk if it wrote anything, and for all that was written before.
        cursor.execute("SELECT pg_logical_emit_message(true, 'inspector', '')")


def _values(team_id: int, rows: CapturesWithEvidence, due_in_seconds: int) -> list[Any]:
    columns = [[getattr(each, f.attname) for _, each in rows] for f in columns_of(Evidence)]
    values = columns if len(rows) > 1 else [value for (value,) in columns]
    captures = [_row(capture) for capture, _ in rows]
    return [
        TEAM_ARRIVAL_LOCK,
        team_id,
        json.dumps(captures, default=as_text),
        *values,
        due_in_seconds,
    ]


def _row(capture: Capture) -> dict[str, Any]:
    columns = (*_client_columns(Capture), Capture._meta.get_field("called_at"))
    return {str(field.column): getattr(capture, field.attname) for field in columns}


@cache
def _locked_insert_statement(is_one: bool) -> str:
    # A single row needs no arrays for its evidence; they are a tenth of what a POST costs web.
    # ``0 * rows`` makes the lock depend on the evidence, which is then written before it is taken;
    # and ``turn`` is materialized so that the times of a row are one look at the clock.
    capture, evidence, tag = map(table_of, (Capture, Evidence, TagRow))
    capture_columns = names_of(_client_columns(Capture))
    evidence_columns = columns_of(Evidence)
    given = ", ".join(
        f"%b::{field.db_type(connection)}{'' if is_one else '[]'}" for field in evidence_columns
    )
    rows = given if is_one else f"* FROM unnest({given})"
    return f"""
        WITH settings AS MATERIALIZED (
            SELECT set_config('synchronous_commit', %s, true), %s::int AS turns, %s::int AS team
        ), arrived AS MATERIALIZED (
            SELECT * FROM json_populate_recordset(NULL::{capture}, %s)
        ), kept AS (
            INSERT INTO {evidence} ({names_of(evidence_columns)}) SELECT {rows} RETURNING 1
        ), turn AS MATERIALIZED (
            SELECT clock_timestamp() AS at
            FROM (SELECT count(*)::int AS rows FROM kept) AS first, settings,
                 LATERAL pg_advisory_xact_lock(turns, team + 0 * rows)
        ), tagged AS (
            INSERT INTO {tag} (capture_id, tag)
            SELECT id, jsonb_array_elements_text(tags) FROM arrived
        )
        INSERT INTO {capture} ({capture_columns}, {", ".join(BY_DATABASE)})
        SELECT {capture_columns}, at,
               CASE WHEN called_at BETWEEN '{EARLIEST:%Y-%m-%d}Z' AND at THEN called_at ELSE at END,
               at + make_interval(secs => %s),
               CASE WHEN state <> '{State.RECORDING}' THEN at END
        FROM turn, arrived
    """


# -- SQLite ---------------------------------------------------------------------------------------


def _insert_alone(rows: CapturesWithEvidence, due_in_seconds: int) -> None:
    """Its transactions are alone from their first statement on."""
    evidence_columns, capture_columns = columns_of(Evidence), _client_columns(Capture)
    with transaction.atomic(), statements.statement_cursor() as cursor:
        received_at = timezone.now()
        due = f"{due_in_seconds} seconds"
        cursor.executemany(
            _one(Evidence), [_prepared(evidence_columns, stored) for _, stored in rows]
        )
        cursor.executemany(
            _one(Capture),
            [[*_prepared(capture_columns, one), *_times(one, received_at, due)] for one, _ in rows],
        )
        tags = [[one.pk.hex, tag] for one, _ in rows for tag in one.tags]
        if tags:
            cursor.executemany(_one(TagRow), tags)


def _times(capture: Capture, received_at: datetime, due: str) -> tuple[Any, ...]:
    adapted = connection.ops.adapt_datetimefield_value
    arrived, called = adapted(received_at), adapted(called_at(capture.called_at, received_at))
    return arrived, called, due, None if capture.state == State.RECORDING else arrived


@cache
def _one(model: type[Model]) -> str:
    columns = names_of(_client_columns(model))
    marks = ", ".join(["%s"] * len(_client_columns(model)))
    if model is Capture:
        columns = f"{columns}, {', '.join(BY_DATABASE)}"
        marks = f"{marks}, %s, %s, strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now', %s), %s"
    return f"INSERT INTO {table_of(model)} ({columns}) VALUES ({marks})"


def _prepared(columns: Sequence[Column], row: Model) -> list[Any]:
    return [column.get_db_prep_save(getattr(row, column.attname), connection) for column in columns]


# -- both -----------------------------------------------------------------------------------------


@cache
def _client_columns(model: type[Model]) -> tuple[Column, ...]:
    """Columns whose values the client sends; the others are set by the database."""
    return tuple(column for column in columns_of(model) if column.attname not in BY_DATABASE)
