"""The captures that there are to whoever may act on certain teams. A deleted one is treated as
missing, like one of another team.
"""

from collections.abc import Collection

from django.db.models import QuerySet

from inspector.archive.models import DELETED, Capture


def visible_captures(team_ids: Collection[int]) -> QuerySet[Capture]:
    """Return the captures of these teams but for the deleted ones."""
    return Capture.objects.filter(team__in=team_ids).exclude(state__in=DELETED)
