"""Looking for drift: one stretch of hours of one team at a time, by the sweep, never by a page.

A look reads sums and stores marks. Nothing is stored before it is done, and what it stores is the
same whoever looks, so a look that is cut off or done twice changes nothing.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from uuid import uuid4

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now
from django.utils import timezone

from inspector.archive import arrived
from inspector.archive.database import UNAVAILABLE, locked
from inspector.logs import fields
from inspector.teams import accounts
from inspector.usage import marks
from inspector.usage.changes import DAY, WEEK
from inspector.usage.drift import drifts
from inspector.usage.histories import histories, hour_of, moment_of, oldest_hour
from inspector.usage.models import Mark, Watch

LOOK_EVERY = timedelta(minutes=10)
"""For a team of which something arrived since the last look; a look that ended with its process is
taken up again after the same time."""
BACK_HOURS = 30 * DAY
"""That the first look at a team, and one after all was read again, begins with."""
AGAIN_HOURS = 3 * DAY
"""That are looked at again: few captures need some time until they tell a change."""
STRETCH_HOURS = 6 * DAY

_LOGGER = logging.getLogger(__name__)


def step() -> bool:
    """One look; False where none is due."""
    _open()
    watch = _claim()
    if watch is None:
        return False
    try:
        _look(watch)
    except UNAVAILABLE:
        raise
    except Exception:
        _LOGGER.exception("a look for drift failed", extra=fields(team=watch.team_id))
    return True


def _open() -> None:
    """For teams that have none yet, and something to look at."""
    watched = Watch.objects.filter(team=OuterRef("pk"))
    new = accounts.team_ids_where(arrived.any_of(OuterRef("pk")) & ~Exists(watched))
    if new:
        Watch.objects.bulk_create((Watch(team_id=id) for id in new), ignore_conflicts=True)


def _claim() -> Watch | None:
    """The one that has waited longest; this caller's alone until it is due again."""
    due = Watch.objects.filter(_HAS_NEWS, due_at__lte=Now()).order_by("due_at")
    # Most calls find nothing; only the others take the lock that writers need.
    if not due.exists():
        return None
    token = uuid4()
    with transaction.atomic():
        found = [watch.pk for watch in locked(due)[:1]]
        rows = Watch.objects.filter(pk__in=found)
        rows.filter(_IS_READ_AGAIN).update(looked_to=None)
        rows.update(lease_token=token, due_at=Now() + LOOK_EVERY)
    return Watch.objects.filter(lease_token=token).first()


_IS_READ_AGAIN = Q(arrived.was_read_again(OuterRef("team"), OuterRef("looked_at")))
_HAS_NEWS = (
    Q(newest__isnull=True)
    | Q(arrived.has_newer(OuterRef("team"), OuterRef("newest")))
    | _IS_READ_AGAIN
)
"""``newest`` is null until a look has come up to the present."""


def _look(watch: Watch) -> None:
    now = timezone.now()
    newest = arrived.newest(watch.team_id) or now
    hours = _stretch(watch, hour_of(now) + 1)
    found = histories(watch.team_id, hours.start - WEEK, hours.stop + WEEK)
    told = drifts(found, hours)
    there = marks.known(watch.team_id, told)
    new = [each for each in told if marks.same(each, there) is None]
    made = marks.marks_of(watch.team_id, new, found)
    is_present = hours.stop > hour_of(now)
    with transaction.atomic():
        if not _give_back(watch, hours, newest if is_present else None, now):
            return
        Mark.objects.bulk_create(made, ignore_conflicts=True)
        for each in told:
            if mark := marks.same(each, there):
                marks.renew(mark, each)
    if made:
        _LOGGER.info("drift was marked", extra=fields(team=watch.team_id, marks=len(made)))


def _stretch(watch: Watch, end: int) -> range:
    """The hours that are looked at next."""
    first = oldest_hour(watch.team_id, end - BACK_HOURS)
    if first is None:
        return range(end, end)
    done = hour_of(watch.looked_to) if watch.looked_to else first
    begin = max(first, min(done, end) - AGAIN_HOURS)
    return range(begin, min(begin + STRETCH_HOURS, end))


def _give_back(watch: Watch, hours: range, newest: datetime | None, now: datetime) -> bool:
    """First of all in the transaction that stores: False where the look is another's by now."""
    held = Watch.objects.filter(pk=watch.pk, lease_token=watch.lease_token)
    is_behind = newest is None
    return bool(
        held.update(
            lease_token=None,
            newest=newest,
            looked_at=now,
            looked_to=moment_of(hours.stop),
            due_at=Now() if is_behind else Now() + LOOK_EVERY,
        )
    )
