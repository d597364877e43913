"""Takes away what is left of shares that ended: their documents soon, their rows later."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from django.db.models import F
from django.db.models.functions import Now

from inspector.sharing.models import Share, ShareDocument

ROW_KEPT = timedelta(days=90)
"""How long a share is listed after its end, with its access log."""
AT_ONCE = 16


def erase_step(stop: Callable[[], bool] = lambda: False) -> bool:
    """Deletes a bounded part of what is over; False where nothing is."""
    if stop():
        return False
    expired = ShareDocument.objects.filter(share__expires_at__lte=Now())
    used_up = ShareDocument.objects.filter(share__views__gte=F("share__max_views"))
    # A document of a revoked share can be there only after a restoration of a backup.
    revoked = ShareDocument.objects.filter(share__revoked_at__isnull=False)
    for over in (expired, used_up, revoked):
        if ids := list(over.values_list("pk", flat=True)[:AT_ONCE]):
            return bool(ShareDocument.objects.filter(pk__in=ids).delete()[0])
    old = Share.objects.filter(expires_at__lte=Now() - ROW_KEPT)
    ids = list(old.values_list("pk", flat=True)[:AT_ONCE])
    return bool(ids) and bool(Share.objects.filter(pk__in=ids).delete()[0])
