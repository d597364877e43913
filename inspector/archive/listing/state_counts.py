"""A team's captures by state: exact, but up to a minute old for old captures of large teams."""

import time
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q
from django.utils import timezone

from inspector.archive.listing.capture_values import StateCounts, UninspectedCount
from inspector.archive.models import DELETED, PENDING, UNINSPECTED, Capture, State
from inspector.database.portability import literals

# Older captures hardly change their state, so the sum of many is counted once a minute, by each
# process.
SETTLED_AFTER = timedelta(hours=1)
MANY = 50_000
"""Fewer are counted for each request."""
REMEMBERED_SECONDS = 60.0
MAX_UNINSPECTED = 10_000
"""Most captures counted in one period; beyond that the number is a lower bound."""

CountsByState = Counter[str]


@dataclass(frozen=True, slots=True)
class SettledCounts:
    """The captures of calls before a moment, by states, as they were counted a while ago."""

    before: datetime
    numbers: CountsByState
    until: float
    """Seconds of the monotonic clock."""


# Teams with so many captures that counting all of them for every request would keep the database
# busy.
_settled: dict[tuple[int, ...], SettledCounts] = {}


def count_states(team_ids: tuple[int, ...]) -> StateCounts:
    """Return the teams' captures by state; changes among old ones may show a minute later."""
    settled = _settled.get(team_ids)
    if settled is None or settled.until < time.monotonic():
        settled = _count_settled(team_ids)
    new = _counts_by_state(team_ids, Q(called_at__gte=settled.before))
    return _state_counts(settled.numbers + new)


def oldest_waiting(team_ids: tuple[int, ...]) -> datetime | None:
    """Return when the capture was complete that is the first due of those that wait; None of
    none.
    """
    # By the index of what a claim takes: few steps, however many wait.
    waiting = Capture.objects.filter(team__in=team_ids, state__in=literals(PENDING))
    return waiting.order_by("due_at").values_list("finished_at", flat=True).first()


def count_uninspected(
    team_ids: tuple[int, ...], since: datetime, until: datetime
) -> UninspectedCount:
    """Uninspected captures of calls of the period, at most ``MAX_UNINSPECTED``."""
    called = Capture.objects.filter(team__in=team_ids, called_at__gte=since)
    within = called.filter(called_at__lt=until, state__in=UNINSPECTED).order_by()
    states = Counter(within.values_list("state", flat=True)[: MAX_UNINSPECTED + 1])
    return UninspectedCount(
        captures=min(states.total(), MAX_UNINSPECTED),
        quarantined=states[State.QUARANTINED],
        is_all=states.total() <= MAX_UNINSPECTED,
    )


def _count_settled(team_ids: tuple[int, ...]) -> SettledCounts:
    before = timezone.now() - SETTLED_AFTER
    numbers = _counts_by_state(team_ids, Q(called_at__lt=before))
    settled = SettledCounts(before, numbers, time.monotonic() + REMEMBERED_SECONDS)
    # A team that became small (captures deleted) is counted exactly again.
    _settled.pop(team_ids, None)
    if numbers.total() > MANY:
        _settled[team_ids] = settled
    return settled


def _counts_by_state(team_ids: tuple[int, ...], called: Q) -> CountsByState:
    captures = Capture.objects.filter(called, team__in=team_ids).order_by()
    return Counter(dict(captures.values_list("state").annotate(Count("id"))))


def _state_counts(numbers: CountsByState) -> StateCounts:
    return StateCounts(
        recording=numbers[State.RECORDING],
        received=numbers[State.RECEIVED],
        processing=numbers[State.PROCESSING],
        inspected=numbers[State.INSPECTED],
        quarantined=numbers[State.QUARANTINED],
        deleted=sum(numbers[state] for state in DELETED),
    )
