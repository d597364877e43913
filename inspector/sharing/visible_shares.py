"""The rows of shares that one principal may see."""

from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet
from django.utils import timezone

from inspector.sharing.models import Share
from inspector.teams.access import EXPORT, Principal, holds_scope


def visible_shares(principal: Principal) -> QuerySet[Share]:
    """Each says whether its maker may still share (``is_held``)."""
    held = ExpressionWrapper(holds_scope(EXPORT), output_field=BooleanField())
    return Share.objects.filter(team__in=principal.team_ids(EXPORT)).annotate(is_held=held)


def is_open() -> Q:
    """Select shares that are neither revoked nor expired."""
    return Q(revoked_at=None, expires_at__gt=timezone.now())
