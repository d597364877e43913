"""What people change of a capture: tags, notes, release from quarantine. Evidence never changes."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from inspector.archive import events
from inspector.archive.inspection.doorbell import doorbell
from inspector.archive.intake.limits import MAX_TAGS, NOTE_CHARACTERS, TAG_CHARACTERS
from inspector.archive.intake.submission import clean_tags
from inspector.archive.models import DELETED, BulkChange, Capture, State, TagRow
from inspector.archive.visible_captures import visible_captures
from inspector.database.column_text import clean_text
from inspector.teams.access import INGEST, Principal


def lock_capture(principal: Principal, capture_id: UUID) -> Capture | None:
    """Lock a capture's row until the transaction ends; None where the principal sees none such."""
    return (
        # Tags are read, changed and written: of two changes at once the second sees the first.
        visible_captures(principal.team_ids(INGEST))
        .filter(id=capture_id)
        .only("id", "tags", "note")
        .select_for_update()
        .first()
    )


def capture_exists(principal: Principal, capture_id: UUID, scope: str = INGEST) -> bool:
    """Return True if the principal may see it; asked before any other error is reported."""
    return visible_captures(principal.team_ids(scope)).filter(id=capture_id).exists()


def annotate(capture: Capture, tags: Sequence[str] | None, note: str | None) -> None:
    """Replace tags and note (None: as it is), in the transaction that locked the capture."""
    if tags is not None:
        before, capture.tags = capture.tags, clean_tags(tags)
        TagRow.objects.filter(capture=capture).delete()
        TagRow.objects.bulk_create(TagRow(capture=capture, tag=tag) for tag in capture.tags)
        _forget_bulk_changes([capture.pk], set(before) ^ set(capture.tags))
    if note is not None:
        capture.note = clean_text(note, NOTE_CHARACTERS)
    # Two columns only: a worker may be writing the state of the same row.
    capture.save(update_fields=["tags", "note"])
    if note is not None:
        events.noted([capture])


@dataclass(frozen=True, slots=True)
class TaggingResult:
    """Captures that were tagged; ``full``: those with as many tags as allowed, left unchanged."""

    changed: tuple[UUID, ...]
    full: int = 0


def tag_all(principal: Principal, ids: Collection[UUID], tag: str, *, add: bool) -> TaggingResult:
    """Add one tag to each capture, or removes it; those that the principal may not see stay."""
    theirs = Capture.objects.filter(id__in=ids, team__in=principal.team_ids(INGEST))
    with transaction.atomic():
        return change_tag(theirs, clean_text(tag, TAG_CHARACTERS), add=add)


def change_tag(captures: QuerySet[Capture], tag: str, *, add: bool) -> TaggingResult:
    """Add a tag to each of these captures, or remove it, in a transaction; deleted ones stay."""
    full, changed = 0, []
    there = captures.exclude(state__in=DELETED).only("id", "tags")
    # In one order, so that of two who want the same captures one waits for the other.
    for capture in there.order_by("id").select_for_update():
        if (tag in capture.tags) == add:
            continue
        if add and len(capture.tags) >= MAX_TAGS:
            full += 1
            continue
        others = [each for each in capture.tags if each != tag]
        capture.tags = [*others, tag] if add else others
        changed.append(capture)
    _store_tag(changed, tag, add)
    return TaggingResult(tuple(capture.id for capture in changed), full)


def _store_tag(changed: Sequence[Capture], tag: str, add: bool) -> None:
    ids = [capture.id for capture in changed]
    if add:
        TagRow.objects.bulk_create(TagRow(capture=capture, tag=tag) for capture in changed)
    else:
        TagRow.objects.filter(capture__in=ids, tag=tag).delete()
    Capture.objects.bulk_update(changed, ["tags"])
    _forget_bulk_changes(ids, {tag})


def _forget_bulk_changes(ids: Collection[UUID], tags: Collection[str]) -> None:
    """Forget that bulk jobs changed these tags, so that undoing them leaves later changes alone."""
    if ids and tags:
        BulkChange.objects.filter(capture__in=ids, job__subject__in=tags).delete()


def requeue_quarantined(principal: Principal, capture_id: UUID) -> bool:
    """Return False where there is no such capture. One that is not in quarantine is left as it is,
    and one without a body, of which nothing is left to read.
    """
    captures = Capture.objects.filter(id=capture_id, team__in=principal.team_ids(INGEST))
    with transaction.atomic():
        kept = captures.filter(state=State.QUARANTINED, body_deleted_at__isnull=True)
        freed = kept.update(
            state=State.RECEIVED, attempt=0, due_at=Now(), lease_token=None, quarantine_reason=None
        )
        if freed:
            # A worker that looked before the commit would find nothing.
            transaction.on_commit(doorbell.ring)
    return bool(freed) or capture_exists(principal, capture_id)
