"""The tables of an archive at a given set of migrations, which need not be the newest.

So a backup can be taken just before an upgrade by the new program, and a backup of an older release
is restored into its own tables and migrated from there.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from graphlib import TopologicalSorter
from typing import Any
from uuid import UUID

import msgspec
from django.apps import apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.models import Field, ForeignKey, Model, QuerySet

from inspector.operations.operator_error import OperatorError

Migrations = Sequence[tuple[str, str]]

LEFT_OUT = {
    ("teams", "signinlink"),
    ("teams", "invitation"),
    ("teams", "tries"),
    ("archive", "pulse"),
    ("archive", "slowreading"),
    ("search", "capturetexts"),
    ("search", "indexedpart"),
    ("search", "worderasure"),
    ("telemetry", "outboxspan"),
    ("transfer", "exportedcapture"),
    ("transfer", "exportpiece"),
}
"""Tables that are not restored: one-time links, momentary counters, the index of words, which is
made again from the rest, exports, which are copies, and what waits for a collector.
"""

WORK_LEFT_OUT = ("export",)
"""Kinds of work that go with them."""

TYPES: dict[str, Any] = {
    **dict.fromkeys(("AutoField", "BigAutoField", "BigIntegerField", "IntegerField"), int),
    **dict.fromkeys(("PositiveBigIntegerField", "PositiveIntegerField"), int),
    **dict.fromkeys(("PositiveSmallIntegerField", "SmallIntegerField"), int),
    **dict.fromkeys(("CharField", "EmailField", "SlugField", "TextField"), str),
    "BinaryField": bytes,
    "BooleanField": bool,
    "DateField": date,
    "DateTimeField": datetime,
    "JSONField": Any,
    "UUIDField": UUID,
}

ROWS_AT_ONCE, ROWS_OF_BYTES_AT_ONCE = 500, 4
"""Four bodies may be 128 MiB."""


@dataclass(frozen=True)
class TableRows:
    """Rows of one table over all teams, without the filter by principal."""

    model: type[Model]

    @property
    def name(self) -> str:
        return self.model._meta.db_table

    @cached_property
    def fields(self) -> list[Field[Any, Any]]:
        return list(self.model._meta.concrete_fields)

    @property
    def columns(self) -> list[str]:
        return [field.attname for field in self.fields]

    @cached_property
    def row_type(self) -> type[msgspec.Struct]:
        members = [(field.attname, _typed(field)) for field in self.fields]
        return msgspec.defstruct(self.model.__name__, members, forbid_unknown_fields=True)

    def all(self) -> QuerySet[Model]:
        rows: QuerySet[Model] = QuerySet(model=self.model)
        return rows.exclude(kind__in=WORK_LEFT_OUT) if self.name == "work_work" else rows

    def stored(self) -> Generator[dict[str, Any]]:
        """Yield all rows by primary key, a few in memory at a time."""
        has_bytes = any(field.get_internal_type() == "BinaryField" for field in self.fields)
        size = ROWS_OF_BYTES_AT_ONCE if has_bytes else ROWS_AT_ONCE
        for values in self.all().order_by("pk").values_list(*self.columns).iterator(size):
            yield dict(zip(self.columns, values, strict=True))

    def for_columns(self, row: msgspec.Struct) -> tuple[Any, ...]:
        """Convert a row to what the database driver takes."""
        return tuple(
            field.get_db_prep_save(getattr(row, field.attname), connection) for field in self.fields
        )


def _type_of(field: Field[Any, Any]) -> Any:
    while isinstance(field, ForeignKey):
        field = field.target_field
    return TYPES[field.get_internal_type()]


def _typed(field: Field[Any, Any]) -> Any:
    return _type_of(field) | None if field.null else _type_of(field)


def our_apps() -> list[str]:
    return [app.label for app in apps.get_app_configs() if app.name.startswith("inspector.")]


def applied() -> Migrations:
    """Return the applied migrations of our apps."""
    loader = MigrationLoader(connection)
    ours = our_apps()
    return tuple(key for key in loader.applied_migrations if key[0] in ours)


def targets(migrations: Migrations) -> list[tuple[str, str]]:
    """Return the last migration of each app. Raises ``OperatorError`` for unknown ones."""
    loader = MigrationLoader(connection)
    found = {(app, name) for app, name in migrations}
    if unknown := sorted(found - loader.disk_migrations.keys()):
        names = ", ".join(f"{app} {name}" for app, name in unknown)
        raise OperatorError(f"Its tables are of a newer program than this one: {names}.")
    children = {key: {node.key for node in loader.graph.node_map[key].children} for key in found}
    return sorted(key for key in found if not any(c[0] == key[0] for c in children[key] & found))


def tables(migrations: Migrations) -> list[TableRows]:
    """Tables to back up, each after those it refers to."""
    state = MigrationLoader(connection).project_state(targets(migrations))
    ours = our_apps()
    models = [
        model
        for model in state.apps.get_models()
        if model._meta.app_label in ours
        and (model._meta.app_label, model._meta.model_name) not in LEFT_OUT
    ]
    return _in_order([TableRows(model) for model in models])


def _in_order(found: list[TableRows]) -> list[TableRows]:
    by_name = {table.name: table for table in sorted(found, key=lambda table: table.name)}
    # Rows come in the order of their ids, so that one may refer to an earlier one of its own table.
    before = {name: _refers_to(table) & by_name.keys() - {name} for name, table in by_name.items()}
    return [by_name[name] for name in TopologicalSorter(before).static_order()]


def _refers_to(table: TableRows) -> set[str]:
    related = (field.related_model for field in table.fields)
    return {model._meta.db_table for model in related if isinstance(model, type)}
