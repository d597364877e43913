"""Loads the texts by which captures are found, for the app that keeps an index of them."""

from collections.abc import Collection
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from inspector.archive import readouts
from inspector.archive.inspection import claims
from inspector.archive.models import Capture, State
from inspector.archive.storage import evidence
from inspector.core.search.searchable_texts import TextsByKind, searchable_texts
from inspector.database.fixed_query import FixedQuery, Given


def others_come_first() -> bool:
    """Tell whether new captures wait."""
    return claims.any_due()


def notes_of(ids: Collection[UUID]) -> dict[UUID, str]:
    """Return the notes of those captures that have one."""
    return {pk: note for pk, note in _NOTES.rows(ids=ids)} if ids else {}


_NOTES = FixedQuery(
    lambda: (
        Capture.objects.filter(pk__among=Given("ids")).exclude(note="").values_list("pk", "note")
    )
)


def teams_of(ids: Collection[UUID]) -> dict[UUID, int]:
    """Return the teams of those captures that are inspected."""
    return dict(_inspected(ids).values_list("pk", "team"))


def with_body(ids: Collection[UUID]) -> set[UUID]:
    """Those captures whose body is not deleted."""
    kept = Capture.objects.filter(pk__in=ids, body_deleted_at__isnull=True)
    return set(kept.values_list("pk", flat=True))


def stored_texts(capture_id: UUID) -> TextsByKind | None:
    """Return the texts of an inspected capture, by its readout and its request; None where it is
    not inspected, or another release wrote what is stored.
    """
    rows = _inspected([capture_id]).select_related("evidence", "document")
    capture = rows.filter(document__isnull=False, evidence__isnull=False).first()
    if capture is None or capture.evidence_form > evidence.FORM:
        return None
    stored = readouts.load(bytes(capture.document.readout))
    if stored is None:
        return None
    surroundings = evidence.unpack_surroundings(capture.evidence.surroundings)
    return searchable_texts(surroundings.request, stored.analysis)


def note_inspected(table: str, version: int) -> None:
    """Add a row with ``version`` and no texts for each inspected capture that ``table`` has none
    of. For a table that begins empty beside an archive, as after a restore.
    """
    name = connection.ops.quote_name(table)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {name} (capture_id, index_version, texts)"
            f" SELECT i.capture_id, %s, %s FROM archive_inspection i"
            f" WHERE NOT EXISTS (SELECT 1 FROM {name} t WHERE t.capture_id = i.capture_id)",
            [version, b""],
        )


def _inspected(ids: Collection[UUID]) -> QuerySet[Capture]:
    return Capture.objects.filter(pk__in=ids, state=State.INSPECTED)
