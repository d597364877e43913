"""Health of a team's archive in words: a headline and the numbers behind it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from inspector.archive.listing.capture_values import StateCounts
from inspector.archive.models import JobState
from inspector.archive.status.health import (
    InspectionLag,
    InspectionQueue,
    QuarantinedCapture,
    ReinspectionStatus,
    TeamHealth,
)
from inspector.dashboard.archive.rows import StateCount
from inspector.dashboard.text.reinspection import reinspection_sentences
from inspector.formatting.humanize import UNKNOWABLE, age, plural
from inspector.formatting.verdicts import VerdictTone


@dataclass(frozen=True, slots=True)
class HealthHeadline:
    word: str
    tone: VerdictTone
    sentence: str


@dataclass(frozen=True, slots=True)
class HealthFigure:
    label: str
    value: str
    aside: str


@dataclass(frozen=True, slots=True)
class ReinspectionRow:
    """One reinspection job: a sentence, and when it began or ended."""

    sentence: str
    word: str
    at: datetime
    last_error: str


@dataclass(frozen=True, slots=True)
class StatusPage:
    headline: HealthHeadline
    accepted: int
    terms: tuple[StateCount, ...]
    facts: tuple[HealthFigure, ...]
    quarantined: tuple[QuarantinedCapture, ...]
    left_out: int
    reinspections: tuple[ReinspectionRow, ...]


def build_status_page(standing: TeamHealth, now: datetime | None = None) -> StatusPage:
    now = now or timezone.now()
    account, waiting = standing.state_counts, standing.waiting
    return StatusPage(
        headline=headline(waiting, account.quarantined),
        accepted=account.accepted,
        terms=state_counts(account),
        facts=(
            oldest_waiting_figure(waiting, now),
            at_work_figure(waiting),
            *lag_figures(standing.lag, now),
        ),
        quarantined=standing.quarantined,
        left_out=account.quarantined - len(standing.quarantined),
        reinspections=tuple(map(reinspection_row, standing.reinspections)),
    )


def headline(waiting: InspectionQueue, quarantined: int) -> HealthHeadline:
    if waiting.overdue:
        sentence = f"{plural(waiting.overdue, 'capture')} are waiting and nothing analyses them. "
        return HealthHeadline(
            "Stuck.", VerdictTone.BROKEN, f"{sentence}Is a worker or the sweep running?"
        )
    if quarantined:
        sentence = f"{plural(quarantined, 'capture')} could not be analysed; the bytes are kept."
        return HealthHeadline("Quarantined.", VerdictTone.PARTIAL, sentence)
    if waiting.pending:
        return HealthHeadline(
            "Working.", VerdictTone.WAITING, f"{plural(waiting.pending, 'capture')} waiting."
        )
    return HealthHeadline("Up to date.", VerdictTone.GOOD, "All captures are analysed.")


def state_counts(account: StateCounts) -> tuple[StateCount, ...]:
    """All terms, including zeros, since this page shows how the sum is made up."""
    return (
        StateCount("recording", account.recording),
        StateCount("received", account.received),
        StateCount("processing", account.processing),
        StateCount("analysed", account.inspected),
        StateCount("quarantined", account.quarantined),
        StateCount("deleted", account.deleted),
    )


def oldest_waiting_figure(waiting: InspectionQueue, now: datetime) -> HealthFigure:
    if waiting.oldest_at is None:
        return HealthFigure("oldest waiting", UNKNOWABLE, "none waiting")
    return HealthFigure(
        "oldest waiting", age(waiting.oldest_at, now), f"{plural(waiting.pending, 'capture')}"
    )


def at_work_figure(waiting: InspectionQueue) -> HealthFigure:
    again = f"{waiting.again:,} after a failed attempt" if waiting.again else "no retries"
    return HealthFigure("in progress", f"{waiting.at_work:,}", again)


def lag_figures(lag: InspectionLag | None, now: datetime) -> tuple[HealthFigure, ...]:
    if lag is None:
        return (HealthFigure("last analysed", UNKNOWABLE, "none yet"),)
    over = f"of the latest {lag.captures:,}" if lag.captures > 1 else "of one capture"
    return (
        HealthFigure(
            "last analysed",
            ago_words(lag.last_at, now),
            "by a worker, the sweep or a waiting sender",
        ),
        HealthFigure("from arrival to analysis", duration_words(lag.median), f"median {over}"),
        HealthFigure("longest", duration_words(lag.longest), over),
    )


def reinspection_row(found: ReinspectionStatus) -> ReinspectionRow:
    word, at = "Begun", found.started_at or found.created_at
    if found.finished_at is not None:
        word, at = "Ended", found.finished_at
    is_trouble = found.failed or found.state == JobState.OPEN
    return ReinspectionRow(
        reinspection_sentences(found), word, at, (found.last_error or "") if is_trouble else ""
    )


def ago_words(then: datetime, now: datetime) -> str:
    words = age(then, now)
    return words if words == "now" else f"{words} ago"


def duration_words(length: timedelta) -> str:
    return f"{length.total_seconds():,.2f} s"
