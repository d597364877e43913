"""How a team's archive is doing, in words: the headline first, then the numbers behind it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from inspector.archive.models import JobState
from inspector.archive.standing import Lag, Quarantined, Reinspection, Standing, Waiting
from inspector.archive.values import Account
from inspector.dashboard.reinspection import told_reinspection
from inspector.dashboard.rows import Term
from inspector.dashboard.templatetags.formats import UNKNOWABLE, age, plural
from inspector.dashboard.verdicts import Tone


@dataclass(frozen=True, slots=True)
class Headline:
    word: str
    tone: Tone
    sentence: str


@dataclass(frozen=True, slots=True)
class Fact:
    label: str
    value: str
    aside: str


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence, and when what it tells of began or ended."""

    sentence: str
    word: str
    at: datetime
    last_error: str


@dataclass(frozen=True, slots=True)
class ShownStanding:
    headline: Headline
    accepted: int
    terms: tuple[Term, ...]
    facts: tuple[Fact, ...]
    quarantined: tuple[Quarantined, ...]
    left_out: int
    reinspections: tuple[Told, ...]


def shown_standing(standing: Standing, now: datetime | None = None) -> ShownStanding:
    now = now or timezone.now()
    account, waiting = standing.account, standing.waiting
    return ShownStanding(
        headline=headline(waiting, account.quarantined),
        accepted=account.accepted,
        terms=terms(account),
        facts=(oldest(waiting, now), at_work(waiting), *lag_facts(standing.lag, now)),
        quarantined=standing.quarantined,
        left_out=account.quarantined - len(standing.quarantined),
        reinspections=tuple(map(reinspection, standing.reinspections)),
    )


def headline(waiting: Waiting, quarantined: int) -> Headline:
    if waiting.overdue:
        sentence = f"{plural(waiting.overdue, 'capture')} are waiting and nothing analyses them. "
        return Headline("Stuck.", Tone.BROKEN, f"{sentence}Is a worker or the sweep running?")
    if quarantined:
        sentence = f"{plural(quarantined, 'capture')} could not be analysed; the bytes are kept."
        return Headline("Quarantined.", Tone.PARTIAL, sentence)
    if waiting.pending:
        return Headline("Working.", Tone.WAITING, f"{plural(waiting.pending, 'capture')} waiting.")
    return Headline("Up to date.", Tone.GOOD, "All captures are analysed.")


def terms(account: Account) -> tuple[Term, ...]:
    """Every term, zeros too: here the sum is to be checked."""
    return (
        Term("recording", account.recording),
        Term("received", account.received),
        Term("processing", account.processing),
        Term("analysed", account.inspected),
        Term("quarantined", account.quarantined),
        Term("deleted", account.deleted),
    )


def oldest(waiting: Waiting, now: datetime) -> Fact:
    if waiting.oldest_at is None:
        return Fact("oldest waiting", UNKNOWABLE, "none waiting")
    return Fact(
        "oldest waiting", age(waiting.oldest_at, now), f"{plural(waiting.pending, 'capture')}"
    )


def at_work(waiting: Waiting) -> Fact:
    again = f"{waiting.again:,} after a failed attempt" if waiting.again else "no retries"
    return Fact("in progress", f"{waiting.at_work:,}", again)


def lag_facts(lag: Lag | None, now: datetime) -> tuple[Fact, ...]:
    if lag is None:
        return (Fact("last analysed", UNKNOWABLE, "none yet"),)
    over = f"of the latest {lag.captures:,}" if lag.captures > 1 else "of one capture"
    return (
        Fact("last analysed", ago(lag.last_at, now), "by a worker, the sweep or a waiting sender"),
        Fact("from arrival to analysis", short(lag.median), f"median {over}"),
        Fact("longest", short(lag.longest), over),
    )


def reinspection(found: Reinspection) -> Told:
    word, at = "Begun", found.started_at or found.created_at
    if found.finished_at is not None:
        word, at = "Ended", found.finished_at
    is_trouble = found.failed or found.state == JobState.OPEN
    return Told(told_reinspection(found), word, at, (found.last_error or "") if is_trouble else "")


def ago(then: datetime, now: datetime) -> str:
    words = age(then, now)
    return words if words == "now" else f"{words} ago"


def short(length: timedelta) -> str:
    return f"{length.total_seconds():,.2f} s"
