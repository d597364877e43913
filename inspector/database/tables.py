"""Makes the tables of an app together, in a migration.

Django renders each model anew that is related to the one a migration makes, which is nearly all of
them for each table: three quarters of the time of a first start. Here they are rendered once.
"""

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class CreateTables(Operation):
    reduces_to_sql = True
    reversible = True

    def __init__(self, *tables: CreateModel) -> None:
        self.tables = tables

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        # A state without rendered models renders none of them again; who asks renders all, once.
        state.__dict__.pop("apps", None)
        for table in self.tables:
            table.state_forwards(app_label, state)

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        for table in self.tables:
            table.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        for table in reversed(self.tables):
            table.database_backwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        return f"Create {', '.join(table.name for table in self.tables)}"

    def deconstruct(self) -> tuple[str, Any, dict[str, Any]]:
        return type(self).__name__, self.tables, {}
