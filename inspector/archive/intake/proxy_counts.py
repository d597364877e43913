"""Adds to the counts of calls that went through the proxy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from inspector.archive.models import ProxyCount
from inspector.database import bulk
from inspector.database.model_columns import new_row

KINDS = ("recorded", "missed", "omitted", "other", "paused")
_ADD = "ON CONFLICT (team_id, hour) DO UPDATE SET " + ", ".join(
    f"{kind} = archive_proxycount.{kind} + EXCLUDED.{kind}" for kind in KINDS
)


@dataclass(frozen=True, slots=True)
class CallsOfHour:
    """Calls of a team that became known since the last time, by what became of them."""

    team_id: int
    hour: datetime
    calls: Mapping[str, int]
    """By kind; kinds without calls may be left out."""


def add_counts(counts: Sequence[CallsOfHour]) -> None:
    """Add all of them or none. Raises ``IntegrityError`` for a team that there is not."""
    # In one order everywhere, so that two recorders cannot deadlock.
    ordered = sorted(counts, key=lambda each: (each.team_id, each.hour))
    with transaction.atomic():
        bulk.bulk_insert([_row(each) for each in ordered], _ADD)


def _row(each: CallsOfHour) -> ProxyCount:
    calls = {kind: each.calls.get(kind, 0) for kind in KINDS}
    row: ProxyCount = new_row(ProxyCount, team_id=each.team_id, hour=each.hour, **calls)
    return row
