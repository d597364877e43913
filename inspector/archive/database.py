"""What differs between the databases, and nowhere else."""

from __future__ import annotations

from typing import TypeVar

from django.db import connection
from django.db.models import Model, QuerySet

AnyModel = TypeVar("AnyModel", bound=Model)


def locked(rows: QuerySet[AnyModel]) -> QuerySet[AnyModel]:
    """These rows for this transaction alone, without waiting for those of another.

    Where rows cannot be locked one by one, the transaction itself is exclusive from its first
    statement on (SQLite, ``transaction_mode=IMMEDIATE``).
    """
    if connection.features.has_select_for_update_skip_locked:
        return rows.select_for_update(skip_locked=True)
    return rows
