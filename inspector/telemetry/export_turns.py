"""Whose turn it is to send, and when the next one is: one process at a time, with growing waits
while the collector does not answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db.models import F
from django.db.models.functions import Now

from inspector.telemetry.models import CollectorState
from inspector.telemetry.otlp_http import PostResult

LEASE = timedelta(seconds=60)
FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 5, 300
MAX_DOUBLINGS = 10


@dataclass(frozen=True, slots=True)
class ExportTurn:
    token: UUID
    failures: int
    alone: int


def take_turn() -> ExportTurn | None:
    """None where the next try is not due, or another process has it."""
    due = CollectorState.objects.filter(due_at__lte=Now())
    if not due.exists():
        # The first time there is no row; a second process finds the one of the first.
        if CollectorState.objects.exists():
            return None
        CollectorState.objects.bulk_create([CollectorState()], ignore_conflicts=True)
    token = uuid4()
    if not due.update(lease_token=token, due_at=Now() + LEASE):
        return None
    state = CollectorState.objects.get()
    if state.lease_token != token:
        return None
    return ExportTurn(token, state.failures, state.alone)


def end_turn(turn: ExportTurn, **columns: Any) -> None:
    """The collector answered: the next turn is due at once."""
    _set(turn, due_at=Now(), failures=0, failure="", **columns)


def put_off(turn: ExportTurn, result: PostResult) -> None:
    """The collector is to be asked again later."""
    wait = timedelta(seconds=max(wait_seconds(turn.failures), result.retry_after or 0))
    _set(turn, due_at=Now() + wait, failures=F("failures") + 1, failure=result.reason[:300])


def wait_seconds(failures: int) -> int:
    """After so many tries that failed before this one."""
    return int(min(FIRST_WAIT_SECONDS << min(failures, MAX_DOUBLINGS), LONGEST_WAIT_SECONDS))


def _set(turn: ExportTurn, **columns: Any) -> None:
    held = CollectorState.objects.filter(lease_token=turn.token)
    held.update(lease_token=None, **columns)
