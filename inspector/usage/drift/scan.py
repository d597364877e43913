"""Scans for drift, one stretch of hours of one team at a time.

Run by the sweep, never by a page. A scan reads sums and stores drift events in one transaction at
its end. Its result does not depend on who runs it, so a scan that is cut off or done twice changes
nothing.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from uuid import uuid4

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now
from django.utils import timezone

from inspector.archive.inspection import by_arrival
from inspector.database.portability import UNAVAILABLE, skip_locked
from inspector.logs.json_log import fields
from inspector.teams import accounts
from inspector.usage.drift import events
from inspector.usage.drift.changes import DAY_HOURS, WEEK_HOURS
from inspector.usage.drift.detection import detect_drifts
from inspector.usage.drift.history_queries import hour_of, load_histories, moment_of, oldest_hour
from inspector.usage.models import DriftEvent, DriftScanState

# Between two scans of a team with new captures; a scan whose process died is repeated after the
# same time.
SCAN_EVERY = timedelta(minutes=10)
# Length of the first scan of a team, and of the first after all captures were reinspected.
FIRST_SCAN_HOURS = 30 * DAY_HOURS
# Hours scanned again: with few captures, a change needs time to become significant.
RESCAN_HOURS = 3 * DAY_HOURS
STRETCH_HOURS = 6 * DAY_HOURS

_LOGGER = logging.getLogger(__name__)


def scan_step() -> bool:
    """Scans one team. Returns False where none is due."""
    _create_states()
    watch = _claim()
    if watch is None:
        return False
    try:
        _scan(watch)
    except UNAVAILABLE:
        raise
    except Exception:
        _LOGGER.exception("a look for drift failed", extra=fields(team=watch.team_id))
    return True


def _create_states() -> None:
    watched = DriftScanState.objects.filter(team=OuterRef("pk"))
    new = accounts.team_ids_where(by_arrival.has_any(OuterRef("pk")) & ~Exists(watched))
    if new:
        DriftScanState.objects.bulk_create(
            (DriftScanState(team_id=team_id) for team_id in new), ignore_conflicts=True
        )


def _claim() -> DriftScanState | None:
    # The team that has waited longest; setting its due time reserves it for this caller.
    due = DriftScanState.objects.filter(_HAS_NEWS, due_at__lte=Now()).order_by("due_at")
    # Most calls find nothing; only the others take the lock that writers need.
    if not due.exists():
        return None
    token = uuid4()
    with transaction.atomic():
        found = [watch.pk for watch in skip_locked(due)[:1]]
        rows = DriftScanState.objects.filter(pk__in=found)
        rows.filter(_IS_READ_AGAIN).update(looked_to=None)
        rows.update(lease_token=token, due_at=Now() + SCAN_EVERY)
    return DriftScanState.objects.filter(lease_token=token).first()


_IS_READ_AGAIN = Q(by_arrival.was_reinspected(OuterRef("team"), OuterRef("looked_at")))
_HAS_NEWS = (
    Q(newest__isnull=True)
    | Q(by_arrival.has_newer(OuterRef("team"), OuterRef("newest")))
    | _IS_READ_AGAIN
)
"""``newest`` is null until a look has come up to the present."""


def _scan(watch: DriftScanState) -> None:
    now = timezone.now()
    newest = by_arrival.newest_arrival(watch.team_id) or now
    hours = _stretch(watch, hour_of(now) + 1)
    found = load_histories(watch.team_id, hours.start - WEEK_HOURS, hours.stop + WEEK_HOURS)
    told = detect_drifts(found, hours)
    there = events.stored_events(watch.team_id, told)
    new = [each for each in told if events.matching_event(each, there) is None]
    made = events.new_events(watch.team_id, new, found)
    is_present = hours.stop > hour_of(now)
    with transaction.atomic():
        if not _finish(watch, hours, newest if is_present else None, now):
            return
        DriftEvent.objects.bulk_create(made, ignore_conflicts=True)
        for each in told:
            if mark := events.matching_event(each, there):
                events.update_event(mark, each)
    if made:
        _LOGGER.info("drift was marked", extra=fields(team=watch.team_id, marks=len(made)))


def _stretch(watch: DriftScanState, end: int) -> range:
    """The hours that are looked at next."""
    first = oldest_hour(watch.team_id, end - FIRST_SCAN_HOURS)
    if first is None:
        return range(end, end)
    done = hour_of(watch.looked_to) if watch.looked_to else first
    begin = max(first, min(done, end) - RESCAN_HOURS)
    return range(begin, min(begin + STRETCH_HOURS, end))


def _finish(watch: DriftScanState, hours: range, newest: datetime | None, now: datetime) -> bool:
    # Called first in the transaction that stores: False where another process has taken the scan
    # over.
    held = DriftScanState.objects.filter(pk=watch.pk, lease_token=watch.lease_token)
    is_behind = newest is None
    return bool(
        held.update(
            lease_token=None,
            newest=newest,
            looked_at=now,
            looked_to=moment_of(hours.stop),
            due_at=Now() if is_behind else Now() + SCAN_EVERY,
        )
    )
