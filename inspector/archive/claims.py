"""Who works on which rows. Attempts are counted before the work, so a payload that ends its
process is counted too; every lease ends by the database's clock.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import zip_longest
from math import ceil
from random import random, sample
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now
from django.db.models.lookups import IsNull

from inspector.archive import evidence, slow
from inspector.archive.database import locked
from inspector.archive.models import PENDING, Capture, Evidence, State
from inspector.archive.slow import Sender
from inspector.archive.text import clean
from inspector.teams import accounts
from inspector.teams.keys import keys_where

AT_ONCE = timedelta(0)
REASON_CHARACTERS = 1_000
MOST_SENDERS = 32
"""Of a claim; those that have no part in one have it in one of the next."""
SLOW_FIRST = 0.1
"""Of all claims: where there is always something quick, what is slow is read all the same."""
ENDED_ITS_PROCESS = "each of {} attempts ended without a word: the process was killed or timed out"


@dataclass(frozen=True, slots=True)
class Lease:
    """On one capture that is about to be stored: its sender waits for the inspection."""

    token: UUID = field(default_factory=uuid4)

    def begin(self, capture: Capture) -> None:
        capture.state = State.PROCESSING
        capture.attempt = 1
        capture.lease_token = self.token

    def capture(self) -> Capture | None:
        return _leased(self.token).first()


def claim(older_than: timedelta = AT_ONCE) -> list[Capture]:
    """Rows that are now this caller's alone until the lease ends, with their evidence."""
    # Most calls find nothing; only the others take the lock that writers need.
    if not any_due(older_than):
        return []
    ways = [_in_turn, _one_slow]
    if random() < SLOW_FIRST:
        ways.reverse()
    for way in ways:
        with transaction.atomic():
            chosen = way(older_than)
            _lease(chosen, uuid4())
        if chosen:
            return _with_evidence(chosen)
    return []


def any_due(older_than: timedelta = AT_ONCE) -> bool:
    return _due(older_than).exists()


def others_wait(than: Collection[Capture]) -> bool:
    """Whether something is due of teams that have no part in a claim."""
    waiting = accounts.team_ids_where(_any(_due(AT_ONCE), team=OuterRef("pk")))
    return bool(set(waiting) - {capture.team_id for capture in than})


def give_back(capture: Capture, reason: str) -> None:
    """After a failed attempt: to be tried again later, or no more."""
    if capture.attempt >= settings.MAX_ATTEMPTS:
        _held(capture).update(
            state=State.QUARANTINED,
            quarantine_reason=clean(reason, REASON_CHARACTERS),
            lease_token=None,
        )
        return
    wait = timedelta(seconds=settings.RETRY_WAITS_SECONDS[capture.attempt - 1])
    _held(capture).update(state=State.RECEIVED, due_at=Now() + wait, lease_token=None)


def put_off(capture: Capture) -> None:
    """After an attempt that failed for no fault of the capture: it counts for nothing."""
    wait = timedelta(seconds=settings.RETRY_WAITS_SECONDS[-1])
    _held(capture).update(
        state=State.RECEIVED, due_at=Now() + wait, lease_token=None, attempt=F("attempt") - 1
    )


def give_back_untouched(captures: Sequence[Capture]) -> None:
    """Claimed and not begun: as if nothing had happened."""
    _held(*captures).update(
        state=State.RECEIVED, due_at=F("received_at"), lease_token=None, attempt=F("attempt") - 1
    )


def finish(captures: Sequence[Capture]) -> Collection[UUID]:
    """The one question before results are stored: which of the rows are still this caller's?

    In one order, so that of two who want the same captures one waits for the other.
    """
    held = _held(*captures).order_by("pk").select_for_update()
    ids = set(held.values_list("pk", flat=True))
    Capture.objects.filter(pk__in=ids).update(state=State.INSPECTED, lease_token=None)
    return ids


def _leased(token: UUID) -> QuerySet[Capture]:
    leased = Capture.objects.filter(lease_token=token, state=State.PROCESSING)
    return leased.select_related("evidence")


def _held(*captures: Capture) -> QuerySet[Capture]:
    """Of one claim."""
    ids = [capture.pk for capture in captures]
    tokens = {capture.lease_token for capture in captures}
    return Capture.objects.filter(pk__in=ids, lease_token__in=tokens, state=State.PROCESSING)


def _due(older_than: timedelta) -> QuerySet[Capture]:
    # SQLite compares times as text, and what is taken off a whole second spells it without the
    # zeros behind it: that is before itself.
    now = Now() - older_than if older_than else Now()
    due = Capture.objects.filter(
        state__in=PENDING, due_at__lte=now, evidence_form__lte=evidence.FORM
    )
    return due.order_by("due_at", "received_at")


def _in_turn(older_than: timedelta) -> list[Capture]:
    """Quick ones of all who wait, a row of each team in turn."""
    due = slow.quick_ones(_due(older_than))
    senders = _senders(due)
    if not senders:
        return []
    each = ceil(settings.CLAIM_ROWS / len(senders))
    rows = [list(locked(_of(due, sender))[:each]) for sender in senders]
    found = list(_alternating(rows))[: settings.CLAIM_ROWS]
    return _together(_without_exhausted(found))


def _one_slow(older_than: timedelta) -> list[Capture]:
    """In the whole installation one at a time, so that other processes stay free."""
    if not slow.take_turn():
        return []
    found = list(locked(slow.slow_ones(_due(older_than)))[:1])
    for capture in found:
        capture.may_take_long = True
    return _without_exhausted(found)


def _senders(due: QuerySet[Capture]) -> list[Sender]:
    """Who waits, each time in another order; those over their budget only where no others do.

    Each costs a look into the index, however many rows it has there.
    """
    found: list[Sender] = [*keys_where(_any(due, team=OuterRef("team"), key=OuterRef("pk")))]
    of_people = _any(due, team=OuterRef("pk"), key=None)
    found += [(team, None) for team in accounts.team_ids_where(of_people)]
    over = slow.over_budget()
    found = [sender for sender in found if sender not in over] or found
    return sample(found, min(len(found), MOST_SENDERS))


def _any(due: QuerySet[Capture], **which: Any) -> Q:
    """By the first one: of a mere EXISTS PostgreSQL makes a join with all that waits."""
    first = due.filter(**which).order_by("due_at").values("due_at")[:1]
    return Q(IsNull(Subquery(first), False))


def _of(due: QuerySet[Capture], sender: Sender) -> QuerySet[Capture]:
    team, key = sender
    return due.filter(team=team, key=key) if key is not None else due.filter(team=team, key=None)


def _alternating(rows: Sequence[Sequence[Capture]]) -> Iterator[Capture]:
    """One of each team after the other, and inside a team one of each key."""
    by_team: dict[int, list[Capture]] = {}
    for capture in (each for row in zip_longest(*rows) for each in row if each is not None):
        by_team.setdefault(capture.team_id, []).append(capture)
    for turn in zip_longest(*by_team.values()):
        yield from (capture for capture in turn if capture is not None)


def _together(found: list[Capture]) -> list[Capture]:
    """The first row alone where it failed before, else as many fresh rows as are worth a lease."""
    if found and found[0].attempt > 0:
        return found[:1]
    chosen: list[Capture] = []
    total = 0
    for capture in found:
        total += capture.byte_length
        if capture.attempt > 0 or (chosen and total > settings.CLAIM_BYTES):
            break
        chosen.append(capture)
    return chosen


def _lease(chosen: list[Capture], token: UUID) -> None:
    Capture.objects.filter(pk__in=[capture.pk for capture in chosen]).update(
        state=State.PROCESSING,
        attempt=F("attempt") + 1,
        lease_token=token,
        due_at=Now() + timedelta(seconds=settings.LEASE_SECONDS),
    )
    for capture in chosen:
        capture.state = State.PROCESSING
        capture.attempt += 1
        capture.lease_token = token


def _with_evidence(chosen: list[Capture]) -> list[Capture]:
    """Without what was deleted in the moment since."""
    found = Evidence.objects.in_bulk([capture.pk for capture in chosen])
    for capture in chosen:
        if capture.pk in found:
            capture.evidence = found[capture.pk]
    return [capture for capture in chosen if capture.pk in found]


def _without_exhausted(found: list[Capture]) -> list[Capture]:
    """Those that ended their processes too often are quarantined instead."""
    _quarantine_exhausted(found)
    return [capture for capture in found if capture.attempt < settings.MAX_ATTEMPTS]


def _quarantine_exhausted(found: list[Capture]) -> None:
    exhausted = [c.pk for c in found if c.attempt >= settings.MAX_ATTEMPTS]
    if exhausted:
        Capture.objects.filter(pk__in=exhausted).update(
            state=State.QUARANTINED,
            quarantine_reason=ENDED_ITS_PROCESS.format(settings.MAX_ATTEMPTS),
            lease_token=None,
        )
