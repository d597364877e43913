"""Status page of a team's archive: a headline about its health, states, backlog, quarantine."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from inspector.archive.annotation import requeue_quarantined
from inspector.archive.listing.capture_values import StateCounts
from inspector.archive.status.health import (
    InspectionLag,
    InspectionQueue,
    ProxiedCalls,
    QuarantinedCapture,
    ReinspectionStatus,
    TeamHealth,
    team_health,
)
from inspector.dashboard.archive.rows import StateCount
from inspector.dashboard.pages import login_required, principal_in_team, render_page, team_context
from inspector.dashboard.text.reinspection import reinspection_sentences
from inspector.formatting.humanize import UNKNOWABLE, age, plural
from inspector.formatting.verdicts import VerdictTone
from inspector.teams.access import INGEST, Principal
from inspector.work.models import WorkState

RECENT = timedelta(minutes=1)
"""Between two captures of a busy archive nothing is at work for moments."""


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


def build_status_page(standing: TeamHealth) -> StatusPage:
    now = timezone.now()
    account, waiting = standing.state_counts, standing.waiting
    return StatusPage(
        headline=headline(standing, now),
        accepted=account.accepted,
        terms=state_counts(account),
        facts=(
            oldest_waiting_figure(waiting, now),
            at_work_figure(waiting),
            *lag_figures(standing.lag, now),
            *proxy_figures(standing.proxied),
        ),
        quarantined=standing.quarantined,
        left_out=account.quarantined - len(standing.quarantined),
        reinspections=tuple(map(reinspection_row, standing.reinspections)),
    )


def headline(standing: TeamHealth, now: datetime) -> HealthHeadline:
    waiting, missed = standing.waiting, standing.proxied.missed
    quarantined = standing.state_counts.quarantined
    oldest = age(waiting.oldest_at, now) if waiting.oldest_at else "now"
    sentence = f"{plural(waiting.pending, 'capture')} waiting"
    if oldest != "now":
        sentence += f", the oldest for {oldest}"
    if waiting.overdue and is_analysing(standing, now):
        return HealthHeadline("Behind.", VerdictTone.PARTIAL, f"{sentence}.")
    if waiting.overdue:
        sentence += ", and nothing analyses them. "
        return HealthHeadline(
            "Stuck.", VerdictTone.BROKEN, f"{sentence}Is a worker or the sweep running?"
        )
    if missed:
        sentence = (
            f"{plural(missed, 'call')} through the proxy could not be recorded in the last day;"
        )
        return HealthHeadline(
            "Missed.", VerdictTone.PARTIAL, f"{sentence} the calls themselves were forwarded."
        )
    if quarantined:
        sentence = f"{plural(quarantined, 'capture')} could not be analysed; the bytes are kept."
        return HealthHeadline("Quarantined.", VerdictTone.PARTIAL, sentence)
    if waiting.pending:
        word = "Analysing." if is_analysing(standing, now) else "Not begun."
        return HealthHeadline(word, VerdictTone.WAITING, f"{sentence}.")
    return HealthHeadline("Up to date.", VerdictTone.GOOD, "All captures are analysed.")


def is_analysing(standing: TeamHealth, now: datetime) -> bool:
    """Return True while something is read, or was a moment ago."""
    lag = standing.lag
    return bool(standing.waiting.at_work) or (lag is not None and now - lag.last_at < RECENT)


def state_counts(account: StateCounts) -> tuple[StateCount, ...]:
    """Return how many accepted captures are in each state; states of none are left out."""
    terms = (
        StateCount("recording", account.recording),
        StateCount("received", account.received),
        StateCount("processing", account.processing),
        StateCount("analysed", account.inspected),
        StateCount("quarantined", account.quarantined),
        StateCount("deleted", account.deleted),
    )
    return tuple(term for term in terms if term.number)


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
            "",
        ),
        HealthFigure("from arrival to analysis", duration_words(lag.median), f"median {over}"),
        HealthFigure("longest", duration_words(lag.longest), over),
    )


def proxy_figures(proxied: ProxiedCalls) -> tuple[HealthFigure, ...]:
    """Return no figures for a team that made no calls through the proxy."""
    if not proxied.total:
        return ()
    left_out = {
        "missed": proxied.missed,
        "left out by samples": proxied.omitted,
        "not completions and not kept": proxied.other,
        "while paused": proxied.paused,
    }
    told = [f"{number:,} {words}" for words, number in left_out.items() if number]
    aside = ", ".join(told) or "all of them, in the last day"
    return (HealthFigure("recorded by the proxy", f"{proxied.recorded:,}", aside),)


def reinspection_row(found: ReinspectionStatus) -> ReinspectionRow:
    word, at = "Begun", found.started_at or found.created_at
    if found.finished_at is not None:
        word, at = "Ended", found.finished_at
    is_trouble = found.failed or found.state == WorkState.OPEN
    return ReinspectionRow(
        reinspection_sentences(found), word, at, (found.last_error or "") if is_trouble else ""
    )


def ago_words(then: datetime, now: datetime) -> str:
    words = age(then, now)
    return words if words == "now" else f"{words} ago"


def duration_words(length: timedelta) -> str:
    return f"{length.total_seconds():,.2f} s"


@login_required
def status(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    within = principal_in_team(principal, team)
    context = {
        **team_context(principal, team),
        "health": build_status_page(team_health(within)),
        "may_retry": within.may(INGEST),
    }
    return render_page(request, "dashboard/status/page.html", context)


@login_required
def retry_quarantined(
    request: HttpRequest, principal: Principal, team: str, capture_id: UUID
) -> HttpResponse:
    if not requeue_quarantined(principal_in_team(principal, team), capture_id):
        raise Http404
    if "stay" in request.POST:
        return redirect("dashboard:capture", capture_id)
    return redirect("dashboard:status", team=team)
