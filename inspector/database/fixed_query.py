"""Statements that are sent again and again, and written once.

Django takes several times longer to write one than the database to answer it. ``Given`` stands for
a value that is only known when it is sent, and the lookup ``among`` for however many: they are one
parameter, and the statement is the same for one row and for a hundred. What a query says beside
them stays as it was when it was written: a moment must be the database's own (``Now``).
"""

import json
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import Expression, Field, ForeignObject, Lookup, QuerySet
from django.db.models.sql import UpdateQuery

from inspector.database import statements

MOST_WRITTEN = 100
"""Beyond it a value is data, such as a team's number, and should be ``Given``."""


# Django's stubs know neither values that are objects nor lookups without a type of their own.
_Expression: Any = Expression
_Lookup: Any = Lookup


class Given(_Expression):
    """A value that is given by this name whenever the statement is sent."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        return "%s", [self]


@ForeignObject.register_lookup
@Field.register_lookup
class Among(_Lookup):
    """``in``, for values that are ``Given``."""

    lookup_name = "among"

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        return self._with("{} = ANY({})", compiler, connection)

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        return self._with("{} IN (SELECT value FROM json_each({}))", compiler, connection)

    def _with(self, written: str, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        left, parameters = self.process_lhs(compiler, connection)
        right, more = self.process_rhs(compiler, connection)
        return written.format(left, right), [*parameters, *more]


class _Statement(NamedTuple):
    sql: str
    parameters: Sequence[Any]
    converters: Mapping[int, tuple[Sequence[Callable[..., Any]], Any]] = {}
    """What Django does to the values of a column that a driver returns otherwise, by position."""
    model: Any = None
    names: Sequence[str] = ()

    def values(self, given: Mapping[str, Any]) -> list[Any]:
        return [
            _bound(given[each.name]) if isinstance(each, Given) else each
            for each in self.parameters
        ]

    def converted(self, row: Sequence[Any]) -> Sequence[Any]:
        if not self.converters:
            return row
        found = list(row)
        for at, (converters, expression) in self.converters.items():
            for convert in converters:
                found[at] = convert(found[at], expression, connection)
        return found


class FixedQuery:
    """``build`` makes the query of its arguments alone, which must have few values."""

    def __init__(self, build: Callable[..., QuerySet[Any, Any]]) -> None:
        self._build = build
        self._written: dict[Hashable, _Statement] = {}

    def rows(
        self, *fixed: Hashable, at_most: int | None = None, **given: Any
    ) -> list[Sequence[Any]]:
        """Return the columns of each row."""
        written = self._statement(fixed)
        sql, values = written.sql, written.values(given)
        if at_most is not None:
            sql, values = f"{sql} LIMIT %s", [*values, at_most]
        with statements.statement_cursor() as cursor:
            cursor.execute(sql, values)
            return [written.converted(row) for row in cursor.fetchall()]

    def column(self, *fixed: Hashable, **given: Any) -> list[Any]:
        """Return the only column of each row."""
        return [value for (value,) in self.rows(*fixed, **given)]

    def instances(self, *fixed: Hashable, **given: Any) -> list[Any]:
        """Return the rows as instances of their model, without what is related."""
        written = self._statement(fixed)
        make = written.model.from_db
        return [make(DEFAULT_DB_ALIAS, written.names, row) for row in self.rows(*fixed, **given)]

    def finds(self, *fixed: Hashable, **given: Any) -> bool:
        """Tell whether there is any row."""
        return bool(self.rows(*fixed, at_most=1, **given))

    def _statement(self, fixed: tuple[Hashable, ...]) -> _Statement:
        if fixed not in self._written:
            assert len(self._written) < MOST_WRITTEN, "its values are not few"
            self._written[fixed] = _written(self._build(*fixed))
        return self._written[fixed]


class FixedSearch:
    """Which of several queries find a row, by one statement."""

    def __init__(self, build: Callable[..., Iterable[QuerySet[Any, Any]]]) -> None:
        self._build = build
        self._written: dict[Hashable, _Statement] = {}

    def each(self, *fixed: Hashable) -> list[bool]:
        if fixed not in self._written:
            self._written[fixed] = _each_of(self._build(*fixed))
        written = self._written[fixed]
        with statements.statement_cursor() as cursor:
            cursor.execute(written.sql, written.parameters)
            return [bool(found) for found in cursor.fetchone()]

    def finds(self, *fixed: Hashable) -> bool:
        return any(self.each(*fixed))


class FixedUpdate:
    """``build`` makes the query of the rows, ``values`` are what their columns get."""

    def __init__(self, build: Callable[[], QuerySet[Any, Any]], **values: Any) -> None:
        self._build, self._values = build, values
        self._written: _Statement | None = None

    def send(self, **given: Any) -> int:
        """Return the number of rows."""
        if self._written is None:
            query: Any = self._build().query.chain(UpdateQuery)
            query.add_update_values(self._values)
            query.clear_ordering(force=True)
            self._written = _Statement(*query.get_compiler(DEFAULT_DB_ALIAS).as_sql())
        with statements.statement_cursor() as cursor:
            cursor.execute(self._written.sql, self._written.values(given))
            return int(cursor.rowcount)


def _written(rows: QuerySet[Any, Any]) -> _Statement:
    compiler: Any = rows.query.get_compiler(DEFAULT_DB_ALIAS)
    sql, parameters = compiler.as_sql()
    columns = [expression for expression, _, _ in compiler.select]
    names = [each.target.attname for each in columns if hasattr(each, "target")]
    return _Statement(sql, parameters, compiler.get_converters(columns), rows.model, names)


def _each_of(queries: Iterable[QuerySet[Any, Any]]) -> _Statement:
    found, parameters = list[str](), list[Any]()
    for rows in queries:
        # Where nothing can match, such as ``IN ()``, Django has no SQL for it.
        sql, values = "SELECT 1 WHERE false", ()
        with suppress(EmptyResultSet):
            sql, values = rows.order_by().values("pk")[:1].query.sql_with_params()
        found.append(f"EXISTS({sql})")
        parameters += values
    return _Statement(f"SELECT {', '.join(found)}", parameters)


def _bound(value: Any) -> Any:
    is_sqlite = connection.vendor == "sqlite"
    if isinstance(value, list | tuple | set | frozenset | dict):
        values = [_bound(each) for each in value]
        return json.dumps(values) if is_sqlite else values
    if is_sqlite and isinstance(value, UUID):
        return value.hex
    if is_sqlite and isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    return value
