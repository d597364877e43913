"""Tags and notes that people set on a capture. They may change later; the evidence never does."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from inspector.archive.intake.submission import (
    MAX_TAGS,
    NOTE_CHARACTERS,
    TAG_CHARACTERS,
    clean_tags,
)
from inspector.archive.models import DELETED, Capture, TagRow
from inspector.database.column_text import clean_text
from inspector.teams.access import INGEST, Principal


def lock_capture(principal: Principal, capture_id: UUID) -> Capture | None:
    """Locks a capture's row until the transaction ends. Returns None where the principal sees no
    such capture.
    """
    return (
        _visible_captures(principal, capture_id, INGEST)
        .only("id", "tags", "note")
        .select_for_update()
        .first()
    )


def capture_exists(principal: Principal, capture_id: UUID, scope: str = INGEST) -> bool:
    """Tells whether the principal may see this capture, before any other error of the request is
    reported.
    """
    return _visible_captures(principal, capture_id, scope).exists()


def annotate(capture: Capture, tags: Sequence[str] | None, note: str | None) -> None:
    """Replaces the tags and the note; None leaves either as it is."""
    if tags is not None:
        capture.tags = clean_tags(tags)
        TagRow.objects.filter(capture=capture).delete()
        TagRow.objects.bulk_create(TagRow(capture=capture, tag=tag) for tag in capture.tags)
    if note is not None:
        capture.note = clean_text(note, NOTE_CHARACTERS)
    # Two columns only: a worker may be writing the state of the same row.
    capture.save(update_fields=["tags", "note"])


@dataclass(frozen=True, slots=True)
class TaggingResult:
    """The result of tagging many captures. ``full``: number of captures that already had as many
    tags as allowed and were left unchanged.
    """

    changed: tuple[UUID, ...]
    full: int = 0


def tag_all(principal: Principal, ids: Collection[UUID], tag: str, *, add: bool) -> TaggingResult:
    """Adds one tag to each capture, or removes it. Captures that the principal may not see are
    skipped.
    """
    tag = clean_text(tag, TAG_CHARACTERS)
    full, changed = 0, []
    with transaction.atomic():
        theirs = Capture.objects.filter(id__in=ids, team__in=principal.team_ids(INGEST))
        there = theirs.exclude(state__in=DELETED).only("id", "tags", "note")
        # In one order, so that of two who want the same captures one waits for the other.
        for capture in there.order_by("id").select_for_update():
            if (tag in capture.tags) == add:
                continue
            if add and len(capture.tags) >= MAX_TAGS:
                full += 1
                continue
            others = [each for each in capture.tags if each != tag]
            annotate(capture, [*others, tag] if add else others, None)
            changed.append(capture.id)
    return TaggingResult(tuple(changed), full)


def _visible_captures(principal: Principal, capture_id: UUID, scope: str) -> QuerySet[Capture]:
    theirs = Capture.objects.filter(id=capture_id, team__in=principal.team_ids(scope))
    return theirs.exclude(state__in=DELETED)
