"""What a team sent and what became of it, by states: exact, but for what is old and many."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q
from django.utils import timezone

from inspector.archive.models import DELETED, UNINSPECTED, Capture, State
from inspector.archive.values import Account, Uninspected

SETTLED_AFTER = timedelta(hours=1)
MANY = 50_000
REMEMBERED_SECONDS = 60.0
MOST_UNINSPECTED = 10_000
"""Of a stretch of time. Where more wait, how many they are is not counted for every look."""

Numbers = Counter[str]


@dataclass(frozen=True, slots=True)
class Settled:
    """The captures of before a moment, by states, as they were counted a while ago."""

    before: datetime
    numbers: Numbers
    until: float
    """On the monotonic clock."""


_settled: dict[tuple[int, ...], Settled] = {}
"""Of teams with so many that counting all again for every look would keep the database busy."""


def account_of(team_ids: tuple[int, ...]) -> Account:
    """Of what is older than an hour, where that is much, a change shows after up to a minute."""
    settled = _settled.get(team_ids)
    if settled is None or settled.until < time.monotonic():
        settled = _count_settled(team_ids)
    new = _numbers(team_ids, Q(received_at__gte=settled.before))
    return _account(settled.numbers + new)


def uninspected(team_ids: tuple[int, ...], since: datetime, until: datetime) -> Uninspected:
    """Of what arrived from one moment up to another; up to a number."""
    arrived = Capture.objects.filter(team__in=team_ids, received_at__gte=since)
    within = arrived.filter(received_at__lt=until, state__in=UNINSPECTED).order_by()
    states = Counter(within.values_list("state", flat=True)[: MOST_UNINSPECTED + 1])
    return Uninspected(
        captures=min(states.total(), MOST_UNINSPECTED),
        quarantined=states[State.QUARANTINED],
        is_all=states.total() <= MOST_UNINSPECTED,
    )


def _count_settled(team_ids: tuple[int, ...]) -> Settled:
    before = timezone.now() - SETTLED_AFTER
    numbers = _numbers(team_ids, Q(received_at__lt=before))
    settled = Settled(before, numbers, time.monotonic() + REMEMBERED_SECONDS)
    _settled.pop(team_ids, None)
    if numbers.total() > MANY:
        _settled[team_ids] = settled
    return settled


def _numbers(team_ids: tuple[int, ...], received: Q) -> Numbers:
    captures = Capture.objects.filter(received, team__in=team_ids).order_by()
    return Counter(dict(captures.values_list("state").annotate(Count("id"))))


def _account(numbers: Numbers) -> Account:
    return Account(
        recording=numbers[State.RECORDING],
        received=numbers[State.RECEIVED],
        processing=numbers[State.PROCESSING],
        inspected=numbers[State.INSPECTED],
        quarantined=numbers[State.QUARANTINED],
        deleted=sum(numbers[state] for state in DELETED),
    )
