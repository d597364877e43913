"""Deletes what was sent of captures, and leaves what was read of it as metadata: model, usage,
times, verdict, findings without what they quote, and what people wrote.

With the bytes go the request, headers, texts and words, exports and links. A capture that waits for
its inspection keeps its body until it has it.
"""

from collections.abc import Collection, Sequence
from uuid import UUID

from django.db.models.functions import Now

from inspector.archive import events
from inspector.archive.inspection.projection import READING
from inspector.archive.models import Capture, Document, Evidence, FindingRow, Inspection, State
from inspector.archive.storage import stripped_document

READ_OR_GIVEN_UP = (State.INSPECTED, State.QUARANTINED)


def delete_bodies(team_id: int, capture_ids: Collection[UUID], deleted_by: str) -> int:
    """Delete the bodies of captures of a team within the caller's transaction, and return how
    many captures had one. Those that are not read yet are left out, and so are those
    whose analysis only another release understands.
    """
    theirs = Capture.objects.filter(team=team_id, pk__in=capture_ids)
    with_body = theirs.filter(body_deleted_at__isnull=True, state__in=READ_OR_GIVEN_UP)
    # In the order of all who change captures.
    locked = list(with_body.order_by("id").select_for_update(no_key=True))
    ids = _stripped([each.pk for each in locked])
    if not ids:
        return 0
    Evidence.objects.filter(pk__in=ids).delete()
    Inspection.objects.filter(pk__in=ids).update(
        prompt_line=None, answer_kind=None, answer_line=None, answer_blank=None
    )
    _strip_findings(ids)
    Capture.objects.filter(pk__in=ids).update(
        body_deleted_at=Now(), body_deleted_by=deleted_by[:200], quarantine_reason=None
    )
    events.body_deleted([each for each in locked if each.pk in ids])
    return len(ids)


def _stripped(ids: Sequence[UUID]) -> Collection[UUID]:
    """Strip the readouts of captures; returns those that could be stripped, or have none."""
    documents = Document.objects.in_bulk(ids)
    unknown = set()
    for capture_id, each in documents.items():
        packed = stripped_document.strip(bytes(each.readout))
        if packed is None:
            unknown.add(capture_id)
        else:
            each.readout, each.previous, each.reinspection_error = packed, None, None
    kept = [each for each in documents.values() if each.pk not in unknown]
    Document.objects.bulk_update(kept, ["readout", "previous", "reinspection_error"])
    return set(ids) - unknown


def _strip_findings(ids: Collection[UUID]) -> None:
    # Those that a price adds speak of amounts alone, and are replaced with it.
    rows = FindingRow.objects.filter(capture__in=ids, source=READING)
    for code in set(rows.values_list("code", flat=True)):
        message = stripped_document.message_of(code)
        rows.filter(code=code).update(message=message, pointer=None)
