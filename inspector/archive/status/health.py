"""The state of the work on one team's captures: backlog, latency, quarantine, proxied calls."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Count, Min, Q, QuerySet, Sum
from django.db.models.functions import Now

from inspector.archive import queries
from inspector.archive.inspection.reinspection import REINSPECTION, ReinspectionResult, result_of
from inspector.archive.listing.capture_values import StateCounts
from inspector.archive.models import PENDING, Capture, ProxyCount, State
from inspector.database.portability import literals
from inspector.teams.access import READ, Principal
from inspector.work.models import WorkState
from inspector.work.queries import WorkOfKind, WorkStatus

# The sweep looks every few seconds: a capture due for longer means that no process is working.
OVERDUE = timedelta(seconds=20)
LATEST = 100
"""Few enough that their median is of now."""
QUARANTINED_ROWS = 100
"""The page's table; the list has all of them."""
REINSPECTIONS = 5
PROXIED_WITHIN = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class InspectionQueue:
    pending: int
    oldest_at: datetime | None
    at_work: int
    """Captures under a valid lease."""
    again: int
    """Back after a failed attempt."""
    overdue: int


@dataclass(frozen=True, slots=True)
class InspectionLag:
    """Time from the end of arrival to inspection, over the latest inspected captures."""

    captures: int
    median: timedelta
    longest: timedelta
    last_at: datetime


@dataclass(frozen=True, slots=True)
class QuarantinedCapture:
    id: UUID
    received_at: datetime
    byte_length: int
    attempt: int
    reason: str | None


@dataclass(frozen=True, slots=True)
class ReinspectionStatus:
    """Progress of reinspection by a newer version."""

    analysis_version: int
    state: WorkState
    total: int
    done: int
    changed: int
    failed: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    last_error: str | None


@dataclass(frozen=True, slots=True)
class ProxiedCalls:
    """Outcomes of a team's calls through the proxy in the last day, to the hour."""

    recorded: int
    missed: int
    omitted: int
    other: int
    paused: int

    @property
    def total(self) -> int:
        return self.recorded + self.missed + self.omitted + self.other + self.paused


@dataclass(frozen=True, slots=True)
class TeamHealth:
    state_counts: StateCounts
    waiting: InspectionQueue
    lag: InspectionLag | None
    quarantined: tuple[QuarantinedCapture, ...]
    """The newest; the state counts have the total."""
    proxied: ProxiedCalls
    reinspections: tuple[ReinspectionStatus, ...] = ()
    """The newest first."""


def team_health(principal: Principal) -> TeamHealth:
    team_ids = principal.team_ids(READ)
    captures = Capture.objects.filter(team__in=team_ids)
    return TeamHealth(
        state_counts=queries.for_principal(principal).state_counts(),
        waiting=_waiting(captures),
        lag=_lag(captures),
        quarantined=_quarantined(captures),
        proxied=_proxied(team_ids),
        reinspections=_reinspections(team_ids),
    )


def _waiting(captures: QuerySet[Capture]) -> InspectionQueue:
    leased = Q(state=State.PROCESSING, due_at__gt=Now())
    found = captures.filter(state__in=literals(PENDING)).aggregate(
        pending=Count("id"),
        oldest_at=Min("finished_at"),
        at_work=Count("id", filter=leased),
        again=Count("id", filter=Q(state=State.RECEIVED, attempt__gt=0)),
        overdue=Count("id", filter=Q(due_at__lte=Now() - OVERDUE)),
    )
    return InspectionQueue(**found)


def _lag(captures: QuerySet[Capture]) -> InspectionLag | None:
    # Not by state, whose index has another order: the newest that came are nearly all inspected.
    times = captures.filter(inspection__isnull=False).order_by("-received_at", "-id")
    rows = times.values_list("finished_at", "inspection__inspected_at")[:LATEST]
    found = [(finished, inspected) for finished, inspected in rows if finished is not None]
    if not found:
        return None
    # Arrival and inspection are timed by two clocks, which may differ a little.
    lags = sorted(max(inspected - finished, timedelta(0)) for finished, inspected in found)
    return InspectionLag(
        captures=len(lags),
        median=lags[len(lags) // 2],
        longest=lags[-1],
        last_at=max(inspected for _, inspected in found),
    )


def _quarantined(captures: QuerySet[Capture]) -> tuple[QuarantinedCapture, ...]:
    quarantined = captures.filter(state=State.QUARANTINED).order_by("-called_at", "-id")
    columns = ("id", "received_at", "byte_length", "attempt", "quarantine_reason")
    return tuple(
        QuarantinedCapture(*row) for row in quarantined.values_list(*columns)[:QUARANTINED_ROWS]
    )


def _proxied(team_ids: list[int]) -> ProxiedCalls:
    hours = ProxyCount.objects.filter(team__in=team_ids, hour__gt=Now() - PROXIED_WITHIN)
    kinds = ("recorded", "missed", "omitted", "other", "paused")
    return ProxiedCalls(**hours.aggregate(**{kind: Sum(kind, default=0) for kind in kinds}))


def _reinspections(team_ids: list[int]) -> tuple[ReinspectionStatus, ...]:
    jobs = WorkOfKind(REINSPECTION, tuple(team_ids)).recent(REINSPECTIONS)
    return tuple(_reinspection(job, result_of(job.result)) for job in jobs)


def _reinspection(job: WorkStatus, result: ReinspectionResult) -> ReinspectionStatus:
    return ReinspectionStatus(
        analysis_version=job.request["version"],
        state=job.state,
        total=job.total or 0,
        done=job.done,
        changed=result.changed,
        failed=result.failed,
        created_at=job.created_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
        last_error=job.error or result.last_error,
    )
