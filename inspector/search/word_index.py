"""The index of words on either database: putting parts in, and taking them out.

Words are cut already (``core.search.words``), and neither database cuts or folds them again: they
hold letters, digits and marks alone, FTS5 splits at nothing but spaces, and a tsvector comes with
the positions that its words have.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from inspector.archive.storage.compression import compressed, decompressed
from inspector.core.search.word_parts import BREAK, WordPart
from inspector.database import statements
from inspector.database.postgresql.tsvector import TsVector
from inspector.search.models import IndexedPart, WordErasure

_INTO_POSTGRESQL = (
    "INSERT INTO search_indexedpart (capture_id, team_id, is_note, number, tokens)"
    " SELECT capture_id, team_id, is_note, number, tokens FROM"
    " unnest(%s::uuid[], %s::bigint[], %s::boolean[], %s::smallint[], %b::tsvector[])"
    " AS part(capture_id, team_id, is_note, number, tokens)"
)
_INTO_SQLITE = (
    "INSERT INTO search_indexedpart (id, capture_id, team_id, is_note, number, packed)"
    " VALUES (%s, %s, %s, %s, %s, %s)"
)
_INTO_FTS5 = "INSERT INTO search_words (rowid, tokens) VALUES (%s, %s)"
_OUT_OF_FTS5 = "INSERT INTO search_words (search_words, rowid, tokens) VALUES ('delete', %s, %s)"

MERGED_PAGES = 200
"""Pages of SQLite's index that one statement rewrites: a few megabytes."""


@dataclass(frozen=True)
class CapturePart:
    """A part with the capture and the team that it belongs to."""

    capture_id: UUID
    team_id: int
    part: WordPart
    is_note: bool = False

    @cached_property
    def in_a_row(self) -> str:
        """Writes words for FTS5, which counts positions itself."""
        return " ".join(self.part.words)


def insert(parts: Sequence[CapturePart]) -> None:
    """Put parts of any captures into the index, in one statement on PostgreSQL."""
    if not parts:
        return
    if connection.vendor == "postgresql":
        _insert_into_postgresql(parts)
    else:
        _insert_into_sqlite(parts)


def remove(captures: Collection[UUID]) -> int:
    """Take these captures out of the index; returns how many parts they were."""
    return _remove(IndexedPart.objects.filter(capture__in=captures))


def remove_notes(captures: Collection[UUID]) -> int:
    """Take the notes of these captures out of the index; returns how many parts they were."""
    return _remove(IndexedPart.objects.filter(capture__in=captures, is_note=True))


def remove_bodies(captures: Collection[UUID]) -> int:
    """Take all but the notes of these captures out of the index; returns how many parts."""
    return _remove(IndexedPart.objects.filter(capture__in=captures, is_note=False))


def _remove(rows: QuerySet[IndexedPart]) -> int:
    if connection.vendor != "postgresql":
        _remove_from_fts5(rows)
    return rows.delete()[0]


def note_erasure() -> None:
    """Has the deleted words erased from SQLite's file, which keeps them until segments merge."""
    if connection.vendor != "postgresql":
        WordErasure.objects.create()


def erasures() -> QuerySet[WordErasure]:
    return WordErasure.objects.all()


def erase_step() -> bool:
    """Merge a part of SQLite's index, if words were deleted; False where nothing is left to do."""
    newest = WordErasure.objects.order_by("-pk").values_list("pk", flat=True).first()
    if newest is None:
        return False
    if not _merge():
        WordErasure.objects.filter(pk__lte=newest).delete()
    return True


def _merge() -> bool:
    """Return True if something was merged: FTS5 then writes two rows at least (its manual)."""
    with connection.cursor() as cursor:
        before = connection.connection.total_changes
        # Below 0: all segments into one, however few they are.
        cursor.execute(
            "INSERT INTO search_words (search_words, rank) VALUES ('merge', %s)", [-MERGED_PAGES]
        )
        return bool(connection.connection.total_changes - before >= 2)


def _insert_into_postgresql(parts: Sequence[CapturePart]) -> None:
    with statements.statement_cursor() as cursor:
        cursor.execute(
            _INTO_POSTGRESQL,
            [
                [each.capture_id for each in parts],
                [each.team_id for each in parts],
                [each.is_note for each in parts],
                [each.part.number for each in parts],
                [TsVector.of(each.part.words, but=BREAK) for each in parts],
            ],
        )


def _insert_into_sqlite(parts: Sequence[CapturePart]) -> None:
    with connection.cursor() as cursor:
        # The transaction is SQLite's only writer: nobody else takes these numbers.
        cursor.execute("SELECT coalesce(max(id), 0) FROM search_indexedpart")
        last = cursor.fetchone()[0]
        numbered = list(enumerate(parts, last + 1))
        cursor.executemany(_INTO_SQLITE, [_sqlite_row(*each) for each in numbered])
        cursor.executemany(_INTO_FTS5, [(number, part.in_a_row) for number, part in numbered])


def _sqlite_row(number: int, each: CapturePart) -> tuple[Any, ...]:
    place = (number, each.capture_id.hex, each.team_id, each.is_note)
    return (*place, each.part.number, compressed(each.in_a_row.encode()))


def _remove_from_fts5(rows: QuerySet[IndexedPart]) -> None:
    stored = [
        (number, decompressed(bytes(packed or b"")).decode())
        for number, packed in rows.values_list("pk", "packed")
    ]
    if stored:
        with connection.cursor() as cursor:
            cursor.executemany(_OUT_OF_FTS5, stored)
