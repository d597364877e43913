"""The rows of shares that one principal may see."""

from __future__ import annotations

from django.db.models import BooleanField, ExpressionWrapper, F, Max, Q, QuerySet
from django.utils import timezone

from inspector.sharing.models import Share
from inspector.sharing.share_status import ShareStatus, status_of
from inspector.teams.access import EXPORT, Principal, holds_scope


def visible_shares(principal: Principal) -> QuerySet[Share]:
    return Share.objects.filter(team__in=principal.team_ids(EXPORT))


def told_shares(principal: Principal) -> QuerySet[Share]:
    """With what a status tells beside the columns."""
    held = ExpressionWrapper(holds_scope(EXPORT), output_field=BooleanField())
    rows = visible_shares(principal).annotate(last_viewed_at=Max("view_log__at"))
    return rows.annotate(is_held=held)


def find_share(principal: Principal, number: int) -> ShareStatus | None:
    found = told_shares(principal).filter(pk=number).first()
    return status_of(found) if found else None


def is_open() -> Q:
    """Selects shares that are neither revoked, expired nor used up."""
    return Q(revoked_at=None, expires_at__gt=timezone.now(), views__lt=F("max_views"))
