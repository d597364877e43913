"""The door to work: what a principal may see of it; what its app opens and ends."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Min, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from inspector.teams.access import READ, Principal
from inspector.work.models import Work, WorkState


@dataclass(frozen=True, slots=True)
class WorkStatus:
    """A task, and how far it is; ``request`` and ``result`` as its kind spells them."""

    id: int
    kind: str
    team_id: int | None
    subject: str
    request: Any
    state: WorkState
    total: int | None
    """None where there was too much to count."""
    done: int
    result: Any
    error: str | None
    undoes: int | None
    undone_by: int | None
    requested_by: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None

    @property
    def is_open(self) -> bool:
        return self.state is WorkState.OPEN


def for_principal(principal: Principal, kind: str, scope: str = READ) -> WorkOfKind:
    return WorkOfKind(kind, tuple(principal.team_ids(scope)))


@dataclass(frozen=True, slots=True)
class WorkOfKind:
    """One kind of work of some teams. That of another team is treated as missing."""

    kind: str
    team_ids: tuple[int, ...] | None
    """None: of all."""

    def one(self, number: int) -> WorkStatus | None:
        found = self.rows().select_related("undone_by").filter(pk=number).first()
        return status_of(found) if found else None

    def locked(self, number: int) -> WorkStatus | None:
        """Within a transaction, until its end: nobody stores or ends it meanwhile."""
        # ``Leased.renew`` writes the row in the transaction of each step: that one waits.
        found = self.rows().filter(pk=number).select_for_update().first()
        return status_of(found) if found else None

    def recent(self, limit: int) -> tuple[WorkStatus, ...]:
        """Newest first."""
        rows = self.rows().select_related("undone_by").order_by("-id")
        return tuple(map(status_of, rows[:limit]))

    def open_now(self) -> tuple[WorkStatus, ...]:
        """Newest first."""
        rows = self.rows().filter(state=WorkState.OPEN).select_related("undone_by")
        return tuple(map(status_of, rows.order_by("-id")))

    def open_one(self, team_id: int, once: str) -> WorkStatus | None:
        """Return the one that ``open_once`` opened."""
        named = self.rows().filter(once=_named(self.kind, team_id, once), state=WorkState.OPEN)
        found = named.first()
        return status_of(found) if found else None

    def reopen_failed(self) -> int:
        """Open each that failed once more; how many. One whose like is open already stays."""
        opened = 0
        failed = self.rows().filter(state=WorkState.FAILED).order_by("id")
        for number in failed.values_list("pk", flat=True):
            with suppress(IntegrityError), transaction.atomic():
                opened += _reopen(failed.filter(pk=number))
        return opened

    def undone_by(self, number: int) -> WorkStatus | None:
        found = self.rows().filter(undoes=number).first()
        return status_of(found) if found else None

    def end(self, numbers: Collection[int], state: WorkState, reason: str | None = None) -> int:
        """End what is open or, where it is withdrawn, finished; returns how many."""
        ending = [WorkState.OPEN]
        if state is WorkState.WITHDRAWN:
            ending.append(WorkState.FINISHED)
        there = self.rows().filter(pk__in=numbers, state__in=ending)
        # In one order, so that of two who end the same ones one waits for the other.
        ids = [row.pk for row in there.order_by("pk").only("pk").select_for_update()]
        # Without its lease a step that is under way stores nothing more.
        return Work.objects.filter(pk__in=ids).update(
            state=state, error=reason, finished_at=Now(), lease_token=None
        )

    def rows(self) -> QuerySet[Work]:
        rows = Work.objects.filter(kind=self.kind)
        return rows if self.team_ids is None else rows.filter(team__in=self.team_ids)


def open_work(kind: str, team_id: int | None, **columns: Any) -> WorkStatus:
    row = Work(kind=kind, team_id=team_id, created_at=timezone.now(), **columns)
    row.save()
    return status_of(row)


def open_once(kind: str, team_id: int | None, once: str, **columns: Any) -> WorkStatus | None:
    """Open a task. None where another of its kind and team with the same ``once`` is open."""
    try:
        with transaction.atomic():
            return open_work(kind, team_id, once=_named(kind, team_id, once), **columns)
    except IntegrityError:
        # The constraint decides which of several processes opens it.
        return None


def open_standing(kind: str, team_id: int | None, rest: timedelta = timedelta()) -> None:
    """Open a task that comes again and again: the row of the last time, with what came of it so
    far, once it has ended for so long; the first time, a new one.
    """
    rows = Work.objects.filter(kind=kind, team=team_id)
    _reopen(rows.exclude(state=WorkState.OPEN).filter(finished_at__lte=timezone.now() - rest))
    if not rows.exists():
        open_once(kind, team_id, "")


def oldest_due() -> dict[str, float]:
    """For each kind of which work is due: seconds since the first of it was."""
    now = timezone.now()
    rows = Work.objects.filter(state=WorkState.OPEN, due_at__lte=now).order_by()
    due = rows.values_list("kind").annotate(Min("due_at"))
    return {kind: (now - at).total_seconds() for kind, at in due}


def _reopen(rows: QuerySet[Work]) -> int:
    return rows.update(state=WorkState.OPEN, attempt=0, due_at=Now(), error=None, finished_at=None)


def _named(kind: str, team_id: int | None, once: str) -> str:
    return f"{kind} {team_id or ''} {once}"


def status_of(row: Work) -> WorkStatus:
    undone_by = getattr(row, "undone_by", None)
    return WorkStatus(
        id=row.pk,
        kind=row.kind,
        team_id=row.team_id,
        subject=row.subject,
        request=row.request,
        state=WorkState(row.state),
        total=row.total,
        done=row.done,
        result=row.result,
        error=row.error,
        undoes=row.undoes_id,
        undone_by=undone_by.pk if undone_by else None,
        requested_by=row.requested_by,
        created_at=row.created_at,
        started_at=row.started_at,
        finished_at=row.finished_at,
    )
