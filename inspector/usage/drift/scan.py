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
    state = _claim()
    if state is None:
        return False
    try:
        _scan(state)
    except UNAVAILABLE:
        raise
    except Exception:
        _LOGGER.exception("a scan for drift failed", extra=fields(team=state.team_id))
    return True


def _create_states() -> None:
    watched = DriftScanState.objects.filter(team=OuterRef("pk"))
    new = accounts.team_ids_where(by_arrival.has_any(OuterRef("pk")) & ~Exists(watched))
    if new:
        # Sweeps of several hosts may see the same new team; one of them makes its row.
        DriftScanState.objects.bulk_create(
            (DriftScanState(team_id=team_id) for team_id in new), ignore_conflicts=True
        )


def _claim() -> DriftScanState | None:
    # The team that has waited longest; setting its due time reserves it for this caller.
    due = DriftScanState.objects.filter(_IS_DUE, due_at__lte=Now()).order_by("due_at")
    # Most calls find nothing; only the others take the lock that writers need.
    if not due.exists():
        return None
    token = uuid4()
    with transaction.atomic():
        found = [state.pk for state in skip_locked(due)[:1]]
        rows = DriftScanState.objects.filter(pk__in=found)
        rows.filter(_IS_READ_AGAIN).update(scanned_to=None)
        rows.update(lease_token=token, due_at=Now() + SCAN_EVERY)
    return DriftScanState.objects.filter(lease_token=token).first()


_IS_READ_AGAIN = Q(by_arrival.was_reinspected(OuterRef("team"), OuterRef("scanned_at")))
_IS_DUE = (
    Q(newest_arrival__isnull=True)
    | Q(by_arrival.has_newer(OuterRef("team"), OuterRef("newest_arrival")))
    | _IS_READ_AGAIN
)
"""``newest_arrival`` is null until a scan has come up to the present."""


def _scan(state: DriftScanState) -> None:
    now = timezone.now()
    # Before the histories: what arrives in between makes another scan due, for it is newer.
    newest = by_arrival.newest_arrival(state.team_id) or now
    hours = _stretch(state, hour_of(now) + 1)
    found = load_histories(state.team_id, hours.start - WEEK_HOURS, hours.stop + WEEK_HOURS)
    drifts = detect_drifts(found, hours)
    stored = events.stored_events(state.team_id, drifts)
    new = [drift for drift in drifts if events.matching_event(drift, stored) is None]
    made = events.new_events(state.team_id, new, found)
    is_present = hours.stop > hour_of(now)
    with transaction.atomic():
        if not _finish(state, hours, newest if is_present else None, now):
            return
        DriftEvent.objects.bulk_create(made, ignore_conflicts=True)
        for drift in drifts:
            if event := events.matching_event(drift, stored):
                events.update_event(event, drift)
    if made:
        _LOGGER.info("drift was found", extra=fields(team=state.team_id, events=len(made)))


def _stretch(state: DriftScanState, end: int) -> range:
    """The hours that are scanned next."""
    first = oldest_hour(state.team_id, end - FIRST_SCAN_HOURS)
    if first is None:
        return range(end, end)
    done = hour_of(state.scanned_to) if state.scanned_to else first
    begin = max(first, min(done, end) - RESCAN_HOURS)
    return range(begin, min(begin + STRETCH_HOURS, end))


def _finish(state: DriftScanState, hours: range, newest: datetime | None, now: datetime) -> bool:
    # Called first in the transaction that stores: False where another process has taken the scan
    # over.
    held = DriftScanState.objects.filter(pk=state.pk, lease_token=state.lease_token)
    is_behind = newest is None
    return bool(
        held.update(
            lease_token=None,
            newest_arrival=newest,
            scanned_at=now,
            scanned_to=moment_of(hours.stop),
            due_at=Now() if is_behind else Now() + SCAN_EVERY,
        )
    )
