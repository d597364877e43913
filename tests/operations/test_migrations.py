"""Every migration can run while captures come in, and beside programs of the release before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ModelState, ProjectState
from django.db.models.functions import Now

from inspector.database.concurrent_index import PortableAddIndexConcurrently
from inspector.operations.backup.schema import our_apps
from tests.operations.backup import places
from tests.operations.migration_dangers import applied_in_order, dangers


def test_no_migration_holds_up_the_intake_or_the_programs_before_it() -> None:
    found = {
        str(migration): dangers(migration, before)
        for migration, before in applied_in_order(MigrationLoader(None), our_apps())
    }
    assert {name: said for name, said in found.items() if said} == {}


def of(*operations: Any, atomic: bool = True) -> list[str]:
    """Return complaints on a migration with these operations, on a table with two columns."""
    state = ProjectState()
    fields = [
        ("id", models.BigAutoField(primary_key=True)),
        ("name", models.CharField(max_length=20)),
    ]
    state.add_model(ModelState("archive", "Large", fields))
    made = migrations.Migration("0099_later", "archive")
    made.operations, made.atomic = list(operations), atomic
    return dangers(made, state)


def added(field: models.Field[Any, Any]) -> migrations.AddField:
    return migrations.AddField("large", "more", field)


def altered(field: models.Field[Any, Any]) -> migrations.AlterField:
    return migrations.AlterField("large", "name", field)


INDEX = models.Index(fields=["name"], name="large_name")
UNIQUE = models.UniqueConstraint(fields=["name"], name="large_once")
NEW = migrations.CreateModel("Fresh", [("id", models.BigAutoField(primary_key=True))])


def nothing(apps: Any, schema_editor: Any) -> None: ...


@pytest.mark.parametrize(
    ("operation", "says"),
    [
        (migrations.AddIndex("large", INDEX), "CONCURRENTLY"),
        (migrations.AddConstraint("large", UNIQUE), "NOT VALID"),
        (migrations.AlterUniqueTogether("large", {("id", "name")}), "NOT VALID"),
        (added(models.IntegerField(default=0)), "cannot fill"),
        (added(models.IntegerField()), "cannot fill"),
        (added(models.IntegerField(null=True, db_index=True)), "with an index"),
        (added(models.IntegerField(null=True, unique=True)), "with an index"),
        (altered(models.IntegerField()), "another type"),
        (altered(models.CharField(max_length=10)), "another type"),
        (altered(models.CharField(max_length=20, db_index=True)), "another type"),
        (migrations.RunPython(nothing), "batches"),
        (migrations.RunSQL("UPDATE large SET name = ''"), "not told"),
        (migrations.RemoveField("large", "name"), "still reads"),
        (migrations.RenameField("large", "name", "title"), "still reads"),
        (migrations.RenameModel("Large", "Huge"), "still reads"),
        (migrations.DeleteModel("Large"), "still reads"),
    ],
)
def test_what_would_hold_somebody_up_is_told(operation: Any, says: str) -> None:
    (danger,) = of(operation)
    assert danger.startswith(operation.describe()) and says in danger


@pytest.mark.parametrize(
    "operation",
    [
        AddIndexConcurrently("large", INDEX),
        added(models.IntegerField(null=True)),
        added(models.IntegerField(db_default=0)),
        added(models.DateTimeField(db_default=Now())),
        altered(models.CharField(max_length=20, choices=[("a", "A")])),
        migrations.RemoveIndex("large", "large_name"),
        NEW,
    ],
)
def test_what_holds_nobody_up_is_left_alone(operation: Any) -> None:
    if isinstance(operation, migrations.RemoveIndex):
        assert of(AddIndexConcurrently("large", INDEX), operation) == []
        return
    assert of(operation) == []


def test_a_table_that_the_migration_makes_is_nobodys_yet() -> None:
    field = models.IntegerField(default=0)
    column = migrations.AddField("fresh", "name", field)
    index = migrations.AddIndex("fresh", models.Index(fields=["name"], name="fresh_name"))
    assert of(NEW, column, index) == []


def test_batches_outside_a_transaction_are_left_alone() -> None:
    assert of(migrations.RunPython(nothing), atomic=False) == []
    assert of(migrations.RunPython(nothing, atomic=True), atomic=False) != []


@pytest.mark.parametrize(
    "operation", [added(models.IntegerField(null=True)), NEW, AddIndexConcurrently("large", INDEX)]
)
def test_what_cannot_be_done_twice_is_not_done_outside_a_transaction(operation: Any) -> None:
    beside = PortableAddIndexConcurrently("large", models.Index(fields=["id"], name="large_id"))
    (danger,) = of(operation, beside, atomic=False)
    assert danger.startswith(operation.describe()) and "cannot be run again" in danger
    assert len(of(operation, atomic=False)) == 1
    assert of(operation) == []


def test_batches_beside_something_else_are_not_done_outside_a_transaction() -> None:
    beside = PortableAddIndexConcurrently("large", INDEX)
    (danger,) = of(migrations.RunPython(nothing), beside, atomic=False)
    assert "cannot be run again" in danger


def test_indexes_alone_are_made_outside_a_transaction() -> None:
    other = models.Index(fields=["id"], name="large_id")
    both = (
        PortableAddIndexConcurrently("large", INDEX),
        PortableAddIndexConcurrently("large", other),
    )
    assert of(*both, atomic=False) == []


@pytest.mark.thorough
def test_an_index_that_was_made_and_not_recorded_is_made_again(tmp_path: Path) -> None:
    place = places.sqlite(tmp_path).later()
    place.done("migrate", "--no-input", "archive", "9999")
    place.done("migrate", "--no-input", "--fake", "archive", "9998")
    place.done("migrate", "--no-input", "archive", "9999")
