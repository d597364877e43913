"""Who works on which rows. Attempts are counted before the work, so a payload that ends its
process is counted too; every lease ends by the database's clock.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from inspector.archive.database import locked
from inspector.archive.models import PENDING, Capture, State
from inspector.archive.text import clean

AT_ONCE = timedelta(0)
REASON_CHARACTERS = 1_000
ENDED_ITS_PROCESS = "each of {} attempts ended without a word: the process was killed or timed out"


@dataclass(frozen=True, slots=True)
class Lease:
    """On one capture that is about to be stored: its sender waits for the inspection."""

    token: UUID = field(default_factory=uuid4)

    def begin(self, capture: Capture) -> None:
        capture.state = State.PROCESSING
        capture.attempt = 1
        capture.lease_token = self.token
        capture.due_at = Now() + timedelta(seconds=settings.LEASE_SECONDS)

    def capture(self) -> Capture | None:
        return _leased(self.token).first()


def claim(older_than: timedelta = AT_ONCE) -> list[Capture]:
    """Rows that are now this caller's alone until the lease ends, with their evidence."""
    # Most calls find nothing; only the others take the lock that writers need.
    if not any_due(older_than):
        return []
    token = uuid4()
    with transaction.atomic():
        found = list(locked(_due(older_than))[: settings.CLAIM_ROWS])
        _quarantine_exhausted(found)
        chosen = _together([c for c in found if c.attempt < settings.MAX_ATTEMPTS])
        _lease(chosen, token)
    return list(_leased(token).order_by("due_at", "received_at"))


def any_due(older_than: timedelta = AT_ONCE) -> bool:
    return _due(older_than).exists()


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


def give_back_untouched(captures: Iterable[Capture]) -> None:
    """Claimed and not begun: as if nothing had happened."""
    for capture in captures:
        _held(capture).update(
            state=State.RECEIVED, due_at=Now(), lease_token=None, attempt=F("attempt") - 1
        )


def finish(capture: Capture) -> bool:
    """The one question before a result is stored: is the row still this caller's?"""
    return _held(capture).update(state=State.INSPECTED, lease_token=None) == 1


def _leased(token: UUID) -> QuerySet[Capture]:
    leased = Capture.objects.filter(lease_token=token, state=State.PROCESSING)
    return leased.select_related("evidence")


def _held(capture: Capture) -> QuerySet[Capture]:
    return Capture.objects.filter(
        pk=capture.pk, lease_token=capture.lease_token, state=State.PROCESSING
    )


def _due(older_than: timedelta) -> QuerySet[Capture]:
    due = Capture.objects.filter(state__in=PENDING, due_at__lte=Now() - older_than)
    return due.only("id", "attempt", "byte_length").order_by("due_at")


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


def _quarantine_exhausted(found: list[Capture]) -> None:
    exhausted = [c.pk for c in found if c.attempt >= settings.MAX_ATTEMPTS]
    if exhausted:
        Capture.objects.filter(pk__in=exhausted).update(
            state=State.QUARANTINED,
            quarantine_reason=ENDED_ITS_PROCESS.format(settings.MAX_ATTEMPTS),
            lease_token=None,
        )
