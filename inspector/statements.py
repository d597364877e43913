"""Statements that are sent again and again, the same but for their values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.db.backends.postgresql.base import ServerBindingCursor
from django.db.backends.utils import CursorWrapper

_Binding: Any = ServerBindingCursor
"""It has no types."""


@contextmanager
def cursor() -> Iterator[CursorWrapper]:
    """As ``connection.cursor()``, with values beside the statement.

    Django's own writes them into it: then PostgreSQL reads and plans every statement anew, and a
    body travels as text of twice its size. SQLite's never did.
    """
    with connection.cursor() as usual:
        if connection.vendor != "postgresql":
            yield usual
            return
        bare: Any = _Binding(usual.connection)
        wrap = connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
        with wrap(bare) as binding:
            yield binding
