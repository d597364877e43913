"""What people say about a capture, and may say otherwise later; the evidence stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db.models import QuerySet

from inspector.archive.intake import NOTE_CHARACTERS, clean_tags
from inspector.archive.models import DELETED, Capture, TagRow
from inspector.archive.text import clean
from inspector.teams.access import INGEST, Principal


def hold(principal: Principal, id: UUID) -> Capture | None:
    """For this transaction alone. None where there is no such capture for this asker."""
    return _there(principal, id).only("id", "tags", "note").select_for_update().first()


def is_there(principal: Principal, id: UUID) -> bool:
    """For this asker; asked before anything else is said about what they want."""
    return _there(principal, id).exists()


def annotate(capture: Capture, tags: Sequence[str] | None, note: str | None) -> None:
    """None leaves what is there."""
    if tags is not None:
        capture.tags = clean_tags(tags)
        TagRow.objects.filter(capture=capture).delete()
        TagRow.objects.bulk_create(TagRow(capture=capture, tag=tag) for tag in capture.tags)
    if note is not None:
        capture.note = clean(note, NOTE_CHARACTERS)
    capture.save(update_fields=["tags", "note"])


def _there(principal: Principal, id: UUID) -> QuerySet[Capture]:
    theirs = Capture.objects.filter(id=id, team__in=principal.team_ids(INGEST))
    return theirs.exclude(state__in=DELETED)
