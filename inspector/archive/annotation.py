"""What people say about a capture, and may say otherwise later; the evidence stays as it is."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from inspector.archive.intake import MAX_TAGS, NOTE_CHARACTERS, TAG_CHARACTERS, clean_tags
from inspector.archive.models import DELETED, Capture, TagRow
from inspector.archive.text import clean
from inspector.teams.access import INGEST, Principal


def hold(principal: Principal, id: UUID) -> Capture | None:
    """For this transaction alone. None where there is no such capture for this asker."""
    return _there(principal, id, INGEST).only("id", "tags", "note").select_for_update().first()


def is_there(principal: Principal, id: UUID, scope: str = INGEST) -> bool:
    """For this asker; asked before anything else is said about what they want."""
    return _there(principal, id, scope).exists()


def annotate(capture: Capture, tags: Sequence[str] | None, note: str | None) -> None:
    """None leaves what is there."""
    if tags is not None:
        capture.tags = clean_tags(tags)
        TagRow.objects.filter(capture=capture).delete()
        TagRow.objects.bulk_create(TagRow(capture=capture, tag=tag) for tag in capture.tags)
    if note is not None:
        capture.note = clean(note, NOTE_CHARACTERS)
    capture.save(update_fields=["tags", "note"])


@dataclass(frozen=True, slots=True)
class Tagged:
    """``full`` of the captures had as many tags as one may have, and were left alone."""

    changed: tuple[UUID, ...]
    full: int = 0


def tag_all(principal: Principal, ids: Collection[UUID], tag: str, *, add: bool) -> Tagged:
    """Gives one tag to each of the captures, or takes it from each; those of others are missing."""
    tag = clean(tag, TAG_CHARACTERS)
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
    return Tagged(tuple(changed), full)


def _there(principal: Principal, id: UUID, scope: str) -> QuerySet[Capture]:
    theirs = Capture.objects.filter(id=id, team__in=principal.team_ids(scope))
    return theirs.exclude(state__in=DELETED)
