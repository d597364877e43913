"""Ends captures whose recorder is gone, with the segments that it left."""

import logging
from datetime import timedelta

import msgspec
from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from inspector.archive.intake import recording_end
from inspector.archive.intake.recording_end import RecordingEnd
from inspector.archive.models import Capture, State
from inspector.archive.storage import evidence, segments
from inspector.core.wire.exchange import TransportOutcome
from inspector.database.portability import skip_locked

ABANDONED_AT_ONCE = 20
"""Captures that one round of the sweep ends."""
UNREADABLE_WAIT = timedelta(hours=1)
"""The segments stay: a later release, or a repaired disk, may read them."""

_LOGGER = logging.getLogger(__name__)


def finish_abandoned() -> int:
    """End captures whose recorder renews its lease no more, with what it left. Returns how many.

    A lease that is over is waited for once more: after an outage of the database, the leases of
    recorders that live are over, too.
    """
    if not overdue().exists():
        return 0
    grace = timedelta(seconds=settings.RECORDING_GRACE_SECONDS)
    overdue().filter(attempt=0).update(attempt=1, due_at=Now() + grace)
    count = 0
    while count < ABANDONED_AT_ONCE and _finish_next_abandoned():
        count += 1
    return count


def overdue() -> QuerySet[Capture]:
    return Capture.objects.filter(
        state=State.RECORDING, due_at__lte=Now(), evidence_form__lte=evidence.FORM
    )


def _finish_next_abandoned() -> bool:
    with transaction.atomic():
        due = overdue().filter(attempt__gt=0).order_by("due_at")
        capture = next(iter(skip_locked(due)[:1]), None)
        if capture is not None:
            _finish_abandoned(capture)
    return capture is not None


def _finish_abandoned(capture: Capture) -> None:
    try:
        end = _end_of_abandoned(capture)
    except DatabaseError:
        raise
    except Exception:
        # It must not keep the sweep from all the others.
        _LOGGER.exception("the segments of %s cannot be read", capture.pk)
        Capture.objects.filter(pk=capture.pk).update(due_at=Now() + UNREADABLE_WAIT)
        return
    recording_end.store([end])
    _LOGGER.info("ended for a recorder that is gone: %s", capture.pk)


def _end_of_abandoned(capture: Capture) -> RecordingEnd:
    exchange = segments.exchange_so_far(capture)
    around = evidence.surroundings_of(capture)
    assert exchange is not None and around is not None, "a row that is locked keeps its evidence"
    exchange = msgspec.structs.replace(exchange, outcome=TransportOutcome.RECORDER_STOPPED)
    return recording_end.of_exchange(capture.pk, capture.team_id, exchange, around.removal)
