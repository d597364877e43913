"""Records the duration of slow readings. Their captures are read one at a time, and the keys that
sent them come behind others. Other captures have no row here and cost nothing.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet, Sum
from django.db.models.functions import Now

from inspector.archive.models import PENDING, Capture, SlowReading, State
from inspector.database.fixed_query import FixedQuery
from inspector.database.portability import UNAVAILABLE, advisory_lock, literals

COUNTED = timedelta(minutes=1)
"""The time in which a key's slow readings put it behind others."""
MAX_SLOW = 1_000
"""Ids in one statement, those that were noted least recently; the others come next."""
SLOW_READING_LOCK = 2
"""Tells this use of PostgreSQL's advisory locks from that of arrivals."""

Sender = tuple[int, int | None]
"""Who captures came from: (team id, key id); the key is None for pasted ones."""


def note_slow_reading(capture: Capture, ms: float) -> None:
    """Add to the time spent on a capture. A busy database may lose the note."""
    spent = max(1, round(ms))
    with suppress(*UNAVAILABLE), transaction.atomic():
        forget_old()
        # Two statements and no upsert: a capture is read by one process at a time, its lease's.
        if not SlowReading.objects.filter(pk=capture.pk).update(ms=F("ms") + spent, at=Now()):
            SlowReading.objects.create(capture_id=capture.pk, ms=spent)


def forget_old() -> None:
    """Delete rows that no longer count towards a budget, unless their capture still waits."""
    old = SlowReading.objects.filter(at__lt=Now() - COUNTED)
    old.exclude(capture__state__in=literals(PENDING)).delete()


def note_untried(captures: Sequence[Capture]) -> None:
    """Note captures that are long or failed, without a time, to be read in another way."""
    SlowReading.objects.bulk_create(
        [SlowReading(capture_id=capture.pk, ms=0) for capture in captures], ignore_conflicts=True
    )


def spent() -> dict[Sender, int]:
    """Milliseconds of the last minute that slow readings took, by sender that had any."""
    return {(team, key): int(ms) for team, key, ms in _SPENT.rows()}


def counted() -> QuerySet[SlowReading]:
    return SlowReading.objects.filter(at__gte=Now() - COUNTED, ms__gt=0)


def _spent_by_sender() -> QuerySet[SlowReading, Any]:
    by_sender = counted().order_by().values_list("capture__team", "capture__key")
    return by_sender.annotate(spent=Sum("ms"))


def pending() -> QuerySet[SlowReading]:
    return SlowReading.objects.filter(capture__state__in=literals(PENDING))


def quick_ones(captures: QuerySet[Capture]) -> QuerySet[Capture]:
    return captures.filter(~Exists(SlowReading.objects.filter(capture=OuterRef("pk"))))


def slow_ones(captures: QuerySet[Capture]) -> QuerySet[Capture]:
    """Asked for by their ids, for they are few among many that wait."""
    least_recently_noted = SlowReading.objects.order_by("at").values_list("pk", flat=True)
    return captures.filter(pk__in=list(least_recently_noted[:MAX_SLOW]))


def take_turn() -> bool:
    """Inside a transaction: whether none is being read, and none will be but by this caller."""
    # Two processes that both saw no slow reading would otherwise begin one each.
    advisory_lock(SLOW_READING_LOCK, 0)
    return not _READ_NOW.finds()


def may_begin() -> bool:
    """Tell whether ``take_turn`` is worth the lock that writers need."""
    return _PENDING.finds() and not _READ_NOW.finds()


def _read_now() -> QuerySet[SlowReading, Any]:
    reading = SlowReading.objects.filter(capture__state=State.PROCESSING)
    return reading.filter(capture__due_at__gt=Now()).values("pk")


_SPENT = FixedQuery(_spent_by_sender)
_PENDING = FixedQuery(lambda: pending().values("pk"))
_READ_NOW = FixedQuery(_read_now)
