"""Django's SQLite backend, whose waits for the one write lock leave other threads running."""

import sqlite3
import time
from functools import lru_cache
from typing import Any

from django.db.backends.sqlite3 import base

ASK_SECONDS = 0.003
"""SQLite itself asks each 100 ms at last; a transaction of others takes some milliseconds."""
LOCKED = "locked"
"""In SQLite's words for a lock that others have."""

STATEMENTS = 200
"""Those of most captures and pages; to write ``?`` into one takes as long as SQLite does for it."""

# Django's backends have no types.
_Wrapper: Any = base.DatabaseWrapper
_Cursor: Any = base.SQLiteCursorWrapper


class SqliteCursor(_Cursor):
    """Gives up a statement that failed. Django's errors and their tracebacks refer to one another
    and so hold the cursor until some thread collects them; that thread would then wait, with the
    interpreter's lock, for whatever this connection executes meanwhile.
    """

    def convert_query(self, query: str, *, param_names: Any = None) -> str:
        if param_names is None:
            return _marked(query)
        return super().convert_query(query, param_names=param_names)  # type: ignore[no-any-return]

    def execute(self, query: str, params: Any = None) -> Any:
        try:
            return super().execute(query, params)
        except sqlite3.Error:
            self.close()
            raise

    def executemany(self, query: str, param_list: Any) -> Any:
        try:
            return super().executemany(query, param_list)
        except sqlite3.Error:
            self.close()
            raise


@lru_cache(STATEMENTS)
def _marked(query: str) -> str:
    marked: str = base.FORMAT_QMARK_REGEX.sub("?", query).replace("%%", "%")
    return marked


class DatabaseWrapper(_Wrapper):
    """The name is the one by which Django finds it."""

    connection: Any
    transaction_mode: str
    wrap_database_errors: Any

    def create_cursor(self, name: str | None = None) -> Any:
        return self.connection.cursor(factory=SqliteCursor)

    def _start_transaction_under_autocommit(self) -> None:
        """SQLite itself asks for its lock ever more seldom, at last each tenth of a second, and so
        loses it to one that writes again and again in short steps; and while it waits it holds its
        connection's mutex.
        """
        limit = self._busy_timeout(None)
        end = time.monotonic() + limit / 1000
        self._busy_timeout(0)
        try:
            while not self._has_begun(is_last=time.monotonic() >= end):
                time.sleep(ASK_SECONDS)
        finally:
            self._busy_timeout(limit)

    def _has_begun(self, *, is_last: bool) -> bool:
        try:
            # Not by a cursor of Django's, whose errors cost a thousand times what asking does.
            self.connection.execute(f"BEGIN {self.transaction_mode}")
        except sqlite3.OperationalError as error:
            if not is_last and LOCKED in str(error):
                return False
            with self.wrap_database_errors:
                raise
        return True

    def _busy_timeout(self, milliseconds: int | None) -> int:
        """Set the limit of a statement's wait, but for None, and return it."""
        value = "" if milliseconds is None else f" = {milliseconds}"
        (limit,) = self.connection.execute(f"PRAGMA busy_timeout{value}").fetchone()
        return int(limit)
