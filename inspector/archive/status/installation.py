"""Totals over all teams for the operator of the installation; nothing about any one team."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Min, Q, QuerySet, Sum
from django.db.models.functions import Now
from django.utils import timezone

from inspector.archive.inspection.reinspection import REINSPECTION, result_of
from inspector.archive.models import PENDING, Capture, Inspection, State
from inspector.archive.status.health import OVERDUE
from inspector.database.portability import literals
from inspector.work.queries import WorkOfKind, WorkStatus, oldest_due


@dataclass(frozen=True, slots=True)
class InstallationTotals:
    # Every state, zeros too: a series that comes and goes cannot be monitored.
    by_state: dict[str, int]
    by_attempts: dict[int, int]
    by_verdict: dict[str, int]
    findings: dict[str, int]
    body_bytes: int
    overdue: int
    oldest_pending_seconds: float
    """0 where nothing waits."""
    oldest_due_work_seconds: dict[str, float]
    """By kind of work, of which something is due."""
    reinspection: dict[str, int]
    """Captures of open jobs: total and done; of the done ones changed and failed."""


def installation_totals() -> InstallationTotals:
    captures = Capture.objects.order_by()
    inspections = Inspection.objects.order_by()
    pending = captures.filter(state__in=literals(PENDING)).aggregate(
        oldest=Min("finished_at"), overdue=Count("id", filter=Q(due_at__lte=Now() - OVERDUE))
    )
    age = timezone.now() - pending["oldest"] if pending["oldest"] else None
    return InstallationTotals(
        by_state={str(state): 0 for state in State} | _counted(captures, "state"),
        by_attempts=_counted(captures, "attempt"),
        by_verdict=_counted(inspections, "verdict"),
        findings=_findings(inspections),
        body_bytes=captures.aggregate(sum=Sum("byte_length"))["sum"] or 0,
        overdue=pending["overdue"],
        oldest_pending_seconds=max(age.total_seconds(), 0) if age else 0,
        oldest_due_work_seconds=oldest_due(),
        reinspection=_sums(WorkOfKind(REINSPECTION, None).open_now()),
    )


def _counted(rows: QuerySet[Any], column: str) -> dict[Any, int]:
    return dict(rows.values_list(column).annotate(Count("pk")))


def _findings(inspections: QuerySet[Inspection]) -> dict[str, int]:
    severities = ("error", "warning", "info")
    sums = inspections.aggregate(**{name: Sum(f"{name}_count") for name in severities})
    return {name: sums[name] or 0 for name in severities}


def _sums(jobs: Sequence[WorkStatus]) -> dict[str, int]:
    results = [result_of(job.result) for job in jobs]
    return {
        "total": sum(job.total or 0 for job in jobs),
        "done": sum(job.done for job in jobs),
        "changed": sum(result.changed for result in results),
        "failed": sum(result.failed for result in results),
    }
