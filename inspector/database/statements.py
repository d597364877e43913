"""Cursors for statements that are repeated with different values."""

from functools import cache
from typing import Any

from django.db import connections
from django.db.backends.utils import CursorWrapper
from django.db.utils import DEFAULT_DB_ALIAS


def statement_cursor() -> CursorWrapper:
    """Like ``connection.cursor()``, but values are sent beside the statement.

    Django writes them into the text: PostgreSQL then parses and plans every statement anew, and a
    body travels as text of twice its size. SQLite always binds values.
    """
    connection: Any = connections[DEFAULT_DB_ALIAS]
    if connection.vendor != "postgresql":
        usual: CursorWrapper = connection.cursor()
        return usual
    # What Django does before it makes a cursor; to make one of its own first is a tenth of what
    # accepting costs.
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    connection.validate_thread_sharing()
    with connection.wrap_database_errors:
        bare = _server_binding_cursor()(connection.connection)
    # Wrapped as Django's own, so that tests which count queries and time limits see it.
    wrap = connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
    binding: CursorWrapper = wrap(bare)
    return binding


@cache
def _server_binding_cursor() -> Any:
    """Import at the first use: SQLite does without PostgreSQL's driver."""
    from django.db.backends.postgresql.base import ServerBindingCursor

    return ServerBindingCursor
