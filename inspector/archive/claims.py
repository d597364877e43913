"""Who works on which rows. Attempts are counted before the work, so a payload that ends its
process is counted too; every lease ends by the database's clock.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from inspector.archive import evidence
from inspector.archive.database import locked
from inspector.archive.models import PENDING, Capture, Evidence, State
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

    def capture(self) -> Capture | None:
        return _leased(self.token).first()


def claim(older_than: timedelta = AT_ONCE) -> list[Capture]:
    """Rows that are now this caller's alone until the lease ends, with their evidence."""
    # Most calls find nothing; only the others take the lock that writers need.
    if not any_due(older_than):
        return []
    with transaction.atomic():
        found = list(locked(_due(older_than))[: settings.CLAIM_ROWS])
        _quarantine_exhausted(found)
        chosen = _together([c for c in found if c.attempt < settings.MAX_ATTEMPTS])
        _lease(chosen, uuid4())
    return _with_evidence(chosen)


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


def give_back_untouched(captures: Sequence[Capture]) -> None:
    """Claimed and not begun: as if nothing had happened."""
    _held(*captures).update(
        state=State.RECEIVED, due_at=Now(), lease_token=None, attempt=F("attempt") - 1
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


def _quarantine_exhausted(found: list[Capture]) -> None:
    exhausted = [c.pk for c in found if c.attempt >= settings.MAX_ATTEMPTS]
    if exhausted:
        Capture.objects.filter(pk__in=exhausted).update(
            state=State.QUARANTINED,
            quarantine_reason=ENDED_ITS_PROCESS.format(settings.MAX_ATTEMPTS),
            lease_token=None,
        )
