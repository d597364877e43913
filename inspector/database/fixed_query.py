"""Queries that are asked again and again with the same few values.

Django takes several times longer to write such a statement than the database to answer it. So it is
written once for each of its values.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, ParamSpec

from django.db import connection
from django.db.models import QuerySet

P = ParamSpec("P")

MOST_WRITTEN = 100
"""Beyond it a value is data, such as a team's number: one statement of each would be kept."""


class FixedQuery(Generic[P]):
    """``build`` makes the query of its arguments alone, which must be few. Its columns are numbers
    and texts: rows come as the driver returns them.
    """

    def __init__(self, build: Callable[P, QuerySet[Any, Any]]) -> None:
        self._build = build
        self._written: dict[Hashable, tuple[str, tuple[Any, ...]]] = {}

    def rows(self, *args: P.args, **kwargs: P.kwargs) -> list[tuple[Any, ...]]:
        with connection.cursor() as cursor:
            cursor.execute(*self._statement(*args, **kwargs))
            return list(cursor.fetchall())

    def finds(self, *args: P.args, **kwargs: P.kwargs) -> bool:
        """Tell whether there is any row."""
        with connection.cursor() as cursor:
            sql, parameters = self._statement(*args, **kwargs)
            cursor.execute(f"{sql} LIMIT 1", parameters)
            return cursor.fetchone() is not None

    def _statement(self, *args: P.args, **kwargs: P.kwargs) -> tuple[str, tuple[Any, ...]]:
        key = (args, *kwargs.items())
        if key not in self._written:
            assert len(self._written) < MOST_WRITTEN, "its values are not few"
            self._written[key] = self._build(*args, **kwargs).query.sql_with_params()
        return self._written[key]
