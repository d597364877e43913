"""Calls that arrive long after they were made: their hours may have been scanned for drift."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.utils import timezone

from inspector.usage.models import DriftScanState

LATE = timedelta(hours=2)
"""Hours so young are scanned again as they are."""


def scan_again(hours: Iterable[tuple[int, datetime]]) -> None:
    """Let the scans of teams begin with the first of these hours that is no more young."""
    late = timezone.now() - LATE
    first: dict[int, datetime] = {}
    for team_id, hour in hours:
        if hour < late:
            first[team_id] = min(hour, first.get(team_id, hour))
    for team_id, hour in first.items():
        behind = DriftScanState.objects.filter(team=team_id, scanned_to__gt=hour)
        behind.update(scanned_to=hour, newest_call=None)
