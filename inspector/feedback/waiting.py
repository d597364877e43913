"""Votes whose captures never came."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from inspector.feedback.models import WAITING, Vote

LONGEST = timedelta(days=30)
AT_ONCE = 1_000


def forget_old() -> int:
    """How many were forgotten; fewer than ``AT_ONCE`` where none is left."""
    old = Vote.objects.filter(WAITING, created_at__lt=timezone.now() - LONGEST)
    with transaction.atomic():
        # Held, or one could be attached before it is deleted: its capture came after all.
        held = old.order_by("pk").select_for_update(skip_locked=True)
        ids = list(held.values_list("pk", flat=True)[:AT_ONCE])
        _, gone = Vote.objects.filter(WAITING, pk__in=ids).only("pk").delete()
    return gone.get(Vote._meta.label, 0)
