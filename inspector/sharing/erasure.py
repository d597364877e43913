"""Takes away what is left of shares that ended long ago."""

from collections.abc import Callable
from datetime import timedelta

from django.db.models.functions import Now

from inspector.sharing.models import Share

ROW_KEPT = timedelta(days=90)
"""How long a share is listed after its last day."""
AT_ONCE = 500
"""In one transaction: on SQLite nobody else writes meanwhile."""


def erase_step(stop: Callable[[], bool] = lambda: False) -> bool:
    """Delete a bounded part of what is over; False where nothing is."""
    if stop():
        return False
    old = Share.objects.filter(expires_at__lte=Now() - ROW_KEPT)
    ids = list(old.values_list("pk", flat=True)[:AT_ONCE])
    return bool(ids) and bool(Share.objects.filter(pk__in=ids).delete()[0])
