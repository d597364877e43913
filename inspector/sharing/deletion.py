"""What the deletion of captures does to their shares."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from uuid import UUID

from inspector.sharing.models import Share, ShareMember


def delete_with(capture_ids: Collection[UUID]) -> Mapping[str, int]:
    """Deletes the shares of captures, and takes these out of those of several, within the
    transaction that deletes them. Counts all that led to one.
    """
    members = ShareMember.objects.filter(capture__in=capture_ids)
    several = set(members.values_list("document", flat=True))
    members.delete()
    shares = Share.objects.filter(capture__in=capture_ids)
    count = shares.count()
    if count:
        shares.delete()
    if several:
        empty = Share.objects.filter(pk__in=several, document__members=None)
        empty.delete()
    return {"shares": count + len(several)}
