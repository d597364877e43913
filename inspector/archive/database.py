"""What differs between the databases, and nowhere else; how they are reached is in ``stack``."""

from __future__ import annotations

from datetime import datetime
from typing import TypeVar

from django.db import InterfaceError, InternalError, OperationalError, connection
from django.db.models import Model, QuerySet
from django.utils import timezone

AnyModel = TypeVar("AnyModel", bound=Model)

UNAVAILABLE = (OperationalError, InterfaceError, InternalError)
"""It cannot be done now: the database is down, locked, full or (PostgreSQL's last) read-only."""

_ARRIVALS = 1
"""Tells this use of PostgreSQL's advisory locks from others."""


def locked(rows: QuerySet[AnyModel]) -> QuerySet[AnyModel]:
    """These rows for this transaction alone, without waiting for those of another.

    Where rows cannot be locked one by one, the transaction itself is exclusive from its first
    statement on (SQLite, ``transaction_mode=IMMEDIATE``).
    """
    if connection.features.has_select_for_update_skip_locked:
        return rows.select_for_update(skip_locked=True)
    return rows


def arrival_time(team_id: int) -> datetime:
    """Now, later than every arrival of this team that is committed or will be before this one.

    A list is in the order of these times, and whoever asks for what came after its newest row must
    miss none. So from here to its commit a transaction is its team's only one: SQLite's is alone
    anyway, PostgreSQL's takes a lock, and the time from the one clock that all hosts share.
    """
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT clock_timestamp() FROM pg_advisory_xact_lock(%s, %s)", [_ARRIVALS, team_id]
        )
        (now,) = cursor.fetchone()
    assert isinstance(now, datetime)
    return now
