"""Dangers of a migration for a table that is large and in use while it runs.

Tables that the same migration makes are neither. The rules are about PostgreSQL, where a lock on a
table holds up every sender; an expanding change that passes them is one that old programs bear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from django.contrib.postgres.operations import (
    AddConstraintNotValid,
    AddIndexConcurrently,
    ValidateConstraint,
)
from django.db import models
from django.db.migrations import Migration, operations
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from inspector.database.concurrent_index import PortableAddIndexConcurrently

READ_BY_THE_RELEASED_PROGRAM = (
    operations.RemoveField,
    operations.DeleteModel,
    operations.RenameField,
    operations.RenameModel,
    operations.AlterModelTable,
)

HALF = "what is ended half-way has it and is not recorded, and cannot be run again"


def dangers(migration: Migration, before: ProjectState) -> list[str]:
    """One line for each, with the operation it is in; ``before`` is the state it begins with."""
    found: list[str] = []
    fresh: set[str] = set()
    state = before.clone()
    for operation in migration.operations:
        if not _can_be_repeated(operation, migration):
            found.append(f"{operation.describe()}: {HALF}")
        if isinstance(operation, operations.CreateModel):
            fresh.add(operation.name_lower)
        elif _table(operation) not in fresh:
            said = (rule(operation, migration, state) for rule in RULES)
            found += [f"{operation.describe()}: {danger}" for danger in said if danger]
        operation.state_forwards(migration.app_label, state)
    return found


def index(operation: Operation, *_: Any) -> str | None:
    if isinstance(operation, AddIndexConcurrently) or not isinstance(
        operation, operations.AddIndex
    ):
        return None
    return "writers wait until an index is made that is not made CONCURRENTLY"


def constraint(operation: Operation, *_: Any) -> str | None:
    if isinstance(operation, (AddConstraintNotValid, ValidateConstraint)):
        return None
    if isinstance(operation, (operations.AddConstraint, operations.AlterUniqueTogether)):
        return "everybody waits until all rows are checked; add it NOT VALID, or over an index"
    return None


def column(operation: Operation, *_: Any) -> str | None:
    if not isinstance(operation, operations.AddField) or operation.field.many_to_many:
        return None
    field = operation.field
    if not field.null and not field.has_db_default():
        return "programs of the release before leave out a column that the database cannot fill"
    if field.unique or field.db_index:
        return "a column comes with an index that is not made CONCURRENTLY"
    return None


def alteration(operation: Operation, migration: Migration, state: ProjectState) -> str | None:
    if not isinstance(operation, operations.AlterField):
        return None
    table = state.models[migration.app_label, operation.model_name_lower]
    before, after = table.fields[operation.name], operation.field
    if _storage(before) != _storage(after):
        return "all rows are written or checked again for another type, while everybody waits"
    return None


def program(operation: Operation, migration: Migration, *_: Any) -> str | None:
    if isinstance(operation, operations.RunPython) and (migration.atomic or operation.atomic):
        return "it holds all that it changes; batches need a migration that is not atomic"
    if isinstance(operation, operations.RunSQL):
        return "what it locks is not told by its type"
    return None


def contraction(operation: Operation, *_: Any) -> str | None:
    if isinstance(operation, READ_BY_THE_RELEASED_PROGRAM):
        return "the released program still reads it"
    return None


Rule = Callable[[Operation, Migration, ProjectState], str | None]
RULES: tuple[Rule, ...] = (index, constraint, column, alteration, program, contraction)


def _can_be_repeated(operation: Operation, migration: Migration) -> bool:
    """Outside a transaction it is there before the migration is recorded."""
    if migration.atomic or isinstance(operation, PortableAddIndexConcurrently):
        return True
    return isinstance(operation, operations.RunPython) and len(migration.operations) == 1


def _table(operation: Operation) -> str | None:
    name = getattr(operation, "model_name", None) or getattr(operation, "name", None)
    return name.lower() if isinstance(name, str) else None


def _storage(field: models.Field[Any, Any]) -> tuple[Any, ...]:
    """What a column is in the database; choices and help texts are not."""
    _, _, _, options = field.deconstruct()
    kept = ("max_length", "null", "unique", "db_index", "to", "db_column", "max_digits")
    return (field.get_internal_type(), *(str(options.get(name)) for name in kept))


def applied_in_order(loader: Any, labels: list[str]) -> Iterator[tuple[Migration, ProjectState]]:
    """Each migration of these apps with the state before it."""
    for app, name in sorted(loader.disk_migrations):
        if app in labels:
            yield loader.disk_migrations[app, name], loader.project_state((app, name), at_end=False)
