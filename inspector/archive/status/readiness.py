"""Readiness: tells whether a capture could be accepted now. Reports nothing about any one team."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock

import msgspec
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Count, Min
from django.db.models.functions import Now
from django.utils import timezone

from inspector.archive.models import PENDING, Capture, Pulse
from inspector.archive.storage import disk_space
from inspector.database.portability import UNAVAILABLE, literals
from inspector.teams import accounts

_migrated = False

Checks = dict[str, bool]


class Backlog(msgspec.Struct, frozen=True):
    """The number of uninspected captures, and the age of the oldest, None without one."""

    pending: int
    oldest_pending_seconds: int | None


@dataclass(slots=True)
class CachedChecks:
    """Caches the checks' last result: however many ask, one thread runs them once a second."""

    look: Callable[[], Checks]
    clock: Callable[[], float] = time.monotonic
    _found: Checks = field(default_factory=dict)
    _until: float = 0.0
    _lock: Lock = field(default_factory=Lock)

    def __call__(self) -> Checks:
        with self._lock:
            if not self._found or self.clock() >= self._until:
                self._found = self.look()
                self._until = self.clock() + settings.READINESS_SECONDS
            return self._found


def run_checks() -> Checks:
    named: dict[str, Callable[[], bool]] = {
        "migrated": _is_migrated,
        "first_team": accounts.any_team,
        "can_commit": _can_commit,
        "has_room": disk_space.has_space,
    }
    passed = dict.fromkeys(named, False)
    # A database that did not answer one question would only be waited for again.
    with suppress(*UNAVAILABLE):
        for name, check in named.items():
            passed[name] = _passes(check)
    return passed


def queue_backlog() -> Backlog:
    pending = Capture.objects.filter(state__in=literals(PENDING))
    found = pending.aggregate(count=Count("id"), oldest=Min("finished_at"))
    age = timezone.now() - found["oldest"] if found["oldest"] else None
    return Backlog(found["count"], None if age is None else int(age.total_seconds()))


def clock_difference() -> timedelta:
    """How far the database's clock is before this machine's."""
    pulse, _ = Pulse.objects.get_or_create(pk=1, defaults={"at": timezone.now()})
    told: datetime = (
        Pulse.objects.annotate(now=Now()).values_list("now", flat=True).get(pk=pulse.pk)
    )
    return told - timezone.now()


def _passes(check: Callable[[], bool]) -> bool:
    try:
        return check()
    except UNAVAILABLE:
        raise
    except DatabaseError:
        return False


def _is_migrated() -> bool:
    # Looking takes tens of milliseconds, and what was migrated once stays so.
    global _migrated
    if not _migrated:
        executor = MigrationExecutor(connection)
        _migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    return _migrated


def _can_commit() -> bool:
    Pulse.objects.update_or_create(pk=1, defaults={"at": timezone.now()})
    return True


cached_checks = CachedChecks(run_checks)
