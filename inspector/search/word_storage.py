"""Where the words are stored: a column with an index of PostgreSQL, a table of SQLite."""

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

POSTGRESQL = (
    "ALTER TABLE search_indexedpart ADD COLUMN tokens tsvector NOT NULL",
    # A tsvector hardly gets smaller by compression, and ordinary ones fit into a page: one look
    # less for each row whose words are compared, which is every row of a phrase.
    "ALTER TABLE search_indexedpart ALTER COLUMN tokens SET STORAGE EXTERNAL",
    "ALTER TABLE search_indexedpart SET (toast_tuple_target = 8160)",
    # What was added is looked through row by row until it is this much (kilobytes) and goes into
    # the index proper: a search takes a millisecond longer for each megabyte that waits, and with a
    # quarter of it indexing costs twice as much.
    "CREATE INDEX indexed_part_tokens ON search_indexedpart USING gin (tokens)"
    " WITH (gin_pending_list_limit = 2048)",
    # Words that one capture in a hundred has must be known to be common: then the newest captures
    # are looked through, and not all that have the word.
    "ALTER TABLE search_indexedpart ALTER COLUMN tokens SET STATISTICS 1000",
)
# Words come cut and folded: this tokenizer splits at spaces and keeps all beyond ASCII as it is.
SQLITE = (
    "CREATE VIRTUAL TABLE search_words USING fts5("
    "tokens, content='', columnsize=0, tokenize=\"ascii tokenchars '_'\")",
)


class CreateWordStorage(Operation):
    """Creates what no field of ``IndexedPart`` describes: the storage for full text.

    A migration of a later release must not use it on a table with rows: it is not concurrent.
    """

    reversible = True
    model_name = "indexedpart"

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Leave the models as they are."""

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        is_postgresql = schema_editor.connection.vendor == "postgresql"
        for statement in POSTGRESQL if is_postgresql else SQLITE:
            schema_editor.execute(statement)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute("ALTER TABLE search_indexedpart DROP COLUMN tokens")
        else:
            schema_editor.execute("DROP TABLE search_words")

    def describe(self) -> str:
        return "Create the word storage"
