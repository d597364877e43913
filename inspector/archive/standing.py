"""How the work on one team's captures stands: what waits, how long it took, what was given up."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Count, Min, Q, QuerySet
from django.db.models.functions import Now

from inspector.archive import queries
from inspector.archive.models import PENDING, Capture, Job, JobKind, JobState, State
from inspector.archive.values import Account
from inspector.teams.access import READ, Principal

OVERDUE = timedelta(seconds=20)
"""The sweep looks every few seconds: what is due for so long is seen by nobody."""
LATEST = 100
QUARANTINED_ROWS = 100
REINSPECTIONS = 5


@dataclass(frozen=True, slots=True)
class Waiting:
    pending: int
    oldest_at: datetime | None
    at_work: int
    """Under a lease that holds."""
    again: int
    """Back after a failed attempt."""
    overdue: int


@dataclass(frozen=True, slots=True)
class Lag:
    """From arrival to inspection, over the latest captures that are inspected."""

    captures: int
    median: timedelta
    longest: timedelta
    last_at: datetime


@dataclass(frozen=True, slots=True)
class Quarantined:
    id: UUID
    received_at: datetime
    byte_length: int
    attempt: int
    reason: str | None


@dataclass(frozen=True, slots=True)
class Reinspection:
    """Reading again by a newer version what older ones read."""

    analysis_version: int
    state: JobState
    total: int
    done: int
    changed: int
    failed: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    last_error: str | None


@dataclass(frozen=True, slots=True)
class Standing:
    account: Account
    waiting: Waiting
    lag: Lag | None
    quarantined: tuple[Quarantined, ...]
    """The newest; the account says how many there are."""
    reinspections: tuple[Reinspection, ...] = ()
    """The newest first."""


def standing(principal: Principal) -> Standing:
    team_ids = principal.team_ids(READ)
    captures = Capture.objects.filter(team__in=team_ids)
    return Standing(
        account=queries.for_principal(principal).account(),
        waiting=_waiting(captures),
        lag=_lag(captures),
        quarantined=_quarantined(captures),
        reinspections=_reinspections(team_ids),
    )


def _waiting(captures: QuerySet[Capture]) -> Waiting:
    leased = Q(state=State.PROCESSING, due_at__gt=Now())
    found = captures.filter(state__in=PENDING).aggregate(
        pending=Count("id"),
        oldest_at=Min("received_at"),
        at_work=Count("id", filter=leased),
        again=Count("id", filter=Q(state=State.RECEIVED, attempt__gt=0)),
        overdue=Count("id", filter=Q(due_at__lte=Now() - OVERDUE)),
    )
    return Waiting(**found)


def _lag(captures: QuerySet[Capture]) -> Lag | None:
    times = captures.filter(state=State.INSPECTED).order_by("-received_at", "-id")
    found = list(times.values_list("received_at", "inspection__inspected_at")[:LATEST])
    if not found:
        return None
    # Arrival and inspection are told by two clocks, which may differ by a little.
    lags = sorted(max(inspected - received, timedelta(0)) for received, inspected in found)
    return Lag(
        captures=len(lags),
        median=lags[len(lags) // 2],
        longest=lags[-1],
        last_at=max(inspected for _, inspected in found),
    )


def _quarantined(captures: QuerySet[Capture]) -> tuple[Quarantined, ...]:
    held = captures.filter(state=State.QUARANTINED).order_by("-received_at", "-id")
    columns = ("id", "received_at", "byte_length", "attempt", "quarantine_reason")
    return tuple(Quarantined(*row) for row in held.values_list(*columns)[:QUARANTINED_ROWS])


def _reinspections(team_ids: list[int]) -> tuple[Reinspection, ...]:
    jobs = Job.objects.filter(team__in=team_ids, kind=JobKind.REINSPECTION).order_by("-id")
    return tuple(
        Reinspection(
            analysis_version=job.analysis_version,
            state=JobState(job.state),
            total=job.total,
            done=job.done,
            changed=job.changed,
            failed=job.failed,
            created_at=job.created_at,
            started_at=job.started_at,
            finished_at=job.finished_at,
            last_error=job.last_error,
        )
        for job in jobs[:REINSPECTIONS]
    )
