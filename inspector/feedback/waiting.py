"""Votes whose captures never came."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from inspector.feedback.models import WAITING, Vote

LONGEST = timedelta(days=30)
AT_ONCE = 1_000


def forget_old() -> int:
    """How many were forgotten; fewer than ``AT_ONCE`` where none is left."""
    old = Vote.objects.filter(WAITING, created_at__lt=timezone.now() - LONGEST)
    ids = list(old.order_by("pk").values_list("pk", flat=True)[:AT_ONCE])
    # One may have been attached since: its capture came after all.
    gone, _ = Vote.objects.filter(WAITING, pk__in=ids).delete() if ids else (0, {})
    return gone
