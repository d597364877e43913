"""Which entries of the audit log are asked for: who, what, when."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.db.models import QuerySet

from inspector.teams.models import AuditEntry


@dataclass(frozen=True, slots=True)
class AuditFilters:
    """Empty ones leave nothing out. ``by``: part of a name; ``first``, ``last``: days in UTC."""

    by: str = ""
    act: str = ""
    first: date | None = None
    last: date | None = None

    def narrow(self, entries: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
        if self.by:
            entries = entries.filter(by__icontains=self.by)
        if self.act:
            entries = entries.filter(act=self.act)
        if self.first:
            entries = entries.filter(at__gte=_midnight(self.first))
        if self.last:
            entries = entries.filter(at__lt=_midnight(self.last) + timedelta(days=1))
        return entries


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
