"""What the deletion of captures does to their shares."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from uuid import UUID

from inspector.archive.models import DELETED
from inspector.sharing.models import Share


def delete_with(capture_ids: Collection[UUID]) -> Mapping[str, int]:
    """Deletes the links to captures that were deleted, within the transaction of the deletion. A
    redaction or the deletion of a body leaves them: they show what is there.
    """
    gone = Share.objects.filter(capture__in=capture_ids, capture__state__in=DELETED)
    count = gone.count()
    if count:
        gone.delete()
    return {"shares": count}
