"""Work that this process has for a while. It is taken in one short transaction, and whatever it
stores is refused once the lease is another's: a late finisher changes nothing.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Coalesce, Now

from inspector.database.portability import skip_locked
from inspector.work.models import Work, WorkState

ERROR_CHARACTERS = 200
"""The width of the column; PostgreSQL refuses what is longer."""


@dataclass(frozen=True, slots=True)
class Leased:
    """``row`` is as it was when the step began."""

    row: Work

    @property
    def team_id(self) -> int:
        """The team of a kind whose work is of one team."""
        if self.row.team_id is None:
            raise ValueError("it is of all teams")
        return self.row.team_id

    def renew(self) -> bool:
        """Lock the row until the transaction's end. False where it is another's now, or ended."""
        return bool(_held(self.row).update(due_at=_lease_end()))

    def advance(self, done: int, **columns: Any) -> bool:
        """Store how far it is, in the transaction that stores what was done."""
        # What follows is begun by this, for the first time: a step that got somewhere is no failed
        # attempt.
        columns |= {"attempt": 1, "error": None, "done": F("done") + done}
        return bool(_held(self.row).update(due_at=_lease_end(), **columns))

    def end(
        self, state: WorkState = WorkState.FINISHED, error: str | None = None, **columns: Any
    ) -> bool:
        columns |= {"state": state, "error": _cut(error)}
        return self._given_back(finished_at=Now(), **columns)

    def rest(self, wait: timedelta = timedelta(), **columns: Any) -> bool:
        """Give it back until its next step, which will be the first attempt at it."""
        return self._given_back(wait, attempt=0, **columns)

    def postpone(self, wait: timedelta, error: str, attempt: int) -> bool:
        """Give it back after a step that failed."""
        return self._given_back(wait, error=_cut(error), attempt=attempt)

    def _given_back(self, wait: timedelta = timedelta(), **columns: Any) -> bool:
        # Without a sum: of SQLite's two spellings of one moment the longer one is the later one.
        due_at = Now() + wait if wait else Now()
        return bool(_held(self.row).update(lease_token=None, due_at=due_at, **columns))


def due(which: Q) -> QuerySet[Work]:
    rows = Work.objects.filter(which, state=WorkState.OPEN, due_at__lte=Now())
    return rows.order_by("due_at", "id")


def claim(which: Q) -> Leased | None:
    """Take a row of the team served longest ago: twenty rows wait twenty times as long."""
    of_team = Work.objects.filter(which, team=OuterRef("team"), started_at__isnull=False)
    served = Subquery(of_team.order_by("-due_at").values("due_at")[:1])
    waiting = due(which).order_by(served.asc(nulls_first=True), "due_at", "id")
    # Most calls find nothing; only the others take the lock that writers need.
    if not waiting.exists():
        return None
    token = uuid4()
    with transaction.atomic():
        found = [row.pk for row in skip_locked(waiting.only("pk"))[:1]]
        Work.objects.filter(pk__in=found).update(
            lease_token=token,
            due_at=_lease_end(),
            attempt=F("attempt") + 1,
            started_at=Coalesce("started_at", Now()),
        )
    # By token: where another process took the row first, nothing has it.
    row = Work.objects.filter(lease_token=token).first()
    return Leased(row) if row else None


def again(work: Leased) -> Leased | None:
    """As it is now; None where it is another's by now, or ended."""
    row = _held(work.row).first()
    return Leased(row) if row else None


def _held(row: Work) -> QuerySet[Work]:
    return Work.objects.filter(pk=row.pk, lease_token=row.lease_token, state=WorkState.OPEN)


def _lease_end() -> CombinedExpression:
    return Now() + timedelta(seconds=settings.LEASE_SECONDS)


def _cut(error: str | None) -> str | None:
    return error[:ERROR_CHARACTERS] if error else None
