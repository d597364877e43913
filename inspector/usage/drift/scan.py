"""Scans for drift, one stretch of hours of one team at a time.

Run by the sweep, never by a page. A step reads sums and stores drift events in one transaction at
its end. Its result does not depend on who runs it, so a step that is cut off changes nothing.
"""

import logging
from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from inspector.archive.inspection import by_call
from inspector.logs.json_log import fields
from inspector.teams import accounts
from inspector.usage.drift import events
from inspector.usage.drift.changes import DAY_HOURS, WEEK_HOURS
from inspector.usage.drift.detection import detect_drifts
from inspector.usage.drift.history_queries import hour_of, load_histories, moment_of, oldest_hour
from inspector.usage.models import DriftEvent, DriftScanState
from inspector.work import queries as work
from inspector.work.leases import Leased
from inspector.work.run import Kind

DRIFT = "drift"
# Between two scans of a team with new captures.
SCAN_EVERY = timedelta(minutes=10)
# Length of the first scan of a team, and of the first after all captures were reinspected.
FIRST_SCAN_HOURS = 30 * DAY_HOURS
# Hours scanned again: with few captures, a change needs time to become significant.
RESCAN_HOURS = 3 * DAY_HOURS
STRETCH_HOURS = 6 * DAY_HOURS
"""Hours of one step: the sums of a long first scan are not in memory together."""

_LOGGER = logging.getLogger(__name__)


def open_due() -> None:
    """Open a scan for each team with captures that none has looked at."""
    watched = DriftScanState.objects.filter(team=OuterRef("pk"))
    new = accounts.team_ids_where(by_call.has_any(OuterRef("pk")) & ~Exists(watched))
    if new:
        # Sweeps of several hosts may see the same new team; one of them makes its row.
        DriftScanState.objects.bulk_create(
            (DriftScanState(team_id=team_id) for team_id in new), ignore_conflicts=True
        )
    for team_id in DriftScanState.objects.filter(_IS_DUE).values_list("team", flat=True):
        work.open_standing(DRIFT, team_id, SCAN_EVERY)


_IS_READ_AGAIN = Q(by_call.was_reinspected(OuterRef("team"), OuterRef("scanned_at")))
_IS_DUE = (
    Q(newest_call__isnull=True)
    | Q(by_call.has_newer(OuterRef("team"), OuterRef("newest_call")))
    | _IS_READ_AGAIN
)
"""``newest_call`` is null until a scan has come up to the present."""


def step(job: Leased) -> bool:
    """Scan one stretch; True where more follow."""
    now = timezone.now()
    rows = DriftScanState.objects.filter(pk=job.team_id)
    state = rows.get()
    # Before the histories: what comes in between makes another scan due, for it is newer.
    newest = by_call.newest_call(job.team_id) or now
    hours = _stretch(state, hour_of(now) + 1)
    found = load_histories(job.team_id, hours.start - WEEK_HOURS, hours.stop + WEEK_HOURS)
    drifts = detect_drifts(found, hours)
    stored = events.stored_events(job.team_id, drifts)
    new = [drift for drift in drifts if events.matching_event(drift, stored) is None]
    made = events.new_events(job.team_id, new, found)
    is_present = hours.stop > hour_of(now)
    with transaction.atomic():
        if not job.advance(1):
            return False
        # Not where calls of hours before came meanwhile: they are scanned next.
        is_noted = rows.filter(scanned_to=state.scanned_to).update(
            newest_call=newest if is_present else None,
            scanned_at=now,
            scanned_to=moment_of(hours.stop),
        )
        is_present = is_present and bool(is_noted)
        DriftEvent.objects.bulk_create(made, ignore_conflicts=True)
        for drift in drifts:
            if event := events.matching_event(drift, stored):
                events.update_event(event, drift)
        if is_present:
            job.end()
    if made:
        _LOGGER.info("drift was found", extra=fields(team=job.team_id, events=len(made)))
    return not is_present


def _stretch(state: DriftScanState, end: int) -> range:
    """Return the hours that are scanned next; all of them again once all was read again."""
    first = oldest_hour(state.team_id, end - FIRST_SCAN_HOURS)
    if first is None:
        return range(end, end)
    is_read_again = DriftScanState.objects.filter(_IS_READ_AGAIN, pk=state.pk).exists()
    done = hour_of(state.scanned_to) if state.scanned_to and not is_read_again else first
    begin = max(first, min(done, end) - RESCAN_HOURS)
    return range(begin, min(begin + STRETCH_HOURS, end))


KIND = Kind(DRIFT, step, open_due=open_due)
