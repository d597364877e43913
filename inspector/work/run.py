"""The one loop over work: claims what is next of a kind, does steps of it for about a second, and
gives it back.

A step stores what it did and how far it is in one transaction, under the lease: one that is cut off
anywhere is repeated, and does nothing twice.
"""

import logging
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import timedelta
from functools import reduce
from operator import or_

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone

from inspector.database.portability import UNAVAILABLE
from inspector.logs.json_log import fields
from inspector.metrics import figures
from inspector.work import leases
from inspector.work.leases import Leased
from inspector.work.models import Work, WorkState

PROCESS_ENDED = "each of {} attempts ended without a word: the process was killed or timed out"

Stop = Callable[[], bool]

_LOGGER = logging.getLogger(__name__)


def never() -> bool:
    return False


class ProcessEnded(Exception):
    """No attempt at a step came to an end."""


def reason_of(error: Exception) -> str:
    """Without the text of an exception, which may quote a payload."""
    return str(error) if isinstance(error, ProcessEnded) else type(error).__name__


def failed(work: Leased, error: Exception) -> bool:
    """End the work with its last step."""
    return work.end(WorkState.FAILED, reason_of(error))


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of work, made by the module that does it."""

    name: str
    step: Callable[[Leased], bool]
    """Does what comes next; False where nothing follows: ended, resting, or another's."""
    give_up: Callable[[Leased, Exception], object] = failed
    """Ends a step of which every attempt failed."""
    open_due: Callable[[], object] = never
    """Opens what nobody asks for."""
    mine: Q = Q()
    """Rows that this program may work on; the rest is for newer ones."""
    gives_way: Stop = never
    """While something else comes first."""
    seconds: float = 1.0
    """No step is begun later than this after the first."""
    kept: timedelta | None = None
    """How long what ended can be looked up."""
    kept_states: frozenset[WorkState] = frozenset()
    """End states of rows that are kept for good."""


def which(kind: Kind) -> Q:
    return Q(kind.mine, kind=kind.name)


def due(kinds: Collection[Kind]) -> QuerySet[Work]:
    """Return the work that there is to do, of any of them."""
    return leases.due(reduce(or_, map(which, kinds)))


def run_one(kind: Kind, stop: Stop = never) -> bool:
    """Work on one row of a kind, of teams in turn. False where none is due or others go first."""
    if stop() or kind.gives_way():
        return False
    kind.open_due()
    work = leases.claim(which(kind))
    if work is None:
        return False
    began, outcome = time.monotonic(), "failed"
    try:
        _work(kind, work, stop)
        outcome = "done"
    except UNAVAILABLE as error:
        # No fault of the work: a full disk, a database that is down. Where that cannot be noted,
        # either, it is repeated when the lease ends.
        if found := leases.again(work):
            _LOGGER.warning("the database refused a step: %s", error, extra=_log_fields(found))
            wait = timedelta(seconds=settings.RETRY_WAITS_SECONDS[-1])
            found.postpone(wait, type(error).__name__, max(found.row.attempt - 1, 0))
    except Exception as error:
        _LOGGER.exception("a step of a task failed", extra=_log_fields(work))
        if found := leases.again(work):
            _failed(kind, found, error)
    if (counted := figures.FIGURES) is not None:
        counted.work_turn(kind.name, outcome, time.monotonic() - began)
    return True


def forget_old(kinds: Collection[Kind]) -> None:
    """Delete what ended long ago."""
    for kind in kinds:
        if kind.kept is not None:
            ended = Work.objects.filter(kind=kind.name, finished_at__lt=timezone.now() - kind.kept)
            # One that another undoes is needed until that has ended long ago, too, and goes next.
            ended.exclude(state__in=kind.kept_states).filter(undone_by=None).delete()


def _work(kind: Kind, work: Leased, stop: Stop) -> None:
    if work.row.attempt > settings.MAX_ATTEMPTS:
        kind.give_up(work, ProcessEnded(PROCESS_ENDED.format(settings.MAX_ATTEMPTS)))
    else:
        end = time.monotonic() + kind.seconds
        while kind.step(work):
            found = leases.again(work)
            if found is None or stop() or kind.gives_way() or time.monotonic() > end:
                break
            work = found
    work.rest()


def _failed(kind: Kind, work: Leased, error: Exception) -> None:
    if work.row.attempt >= settings.MAX_ATTEMPTS:
        kind.give_up(work, error)
        work.rest()
    else:
        wait = timedelta(seconds=settings.RETRY_WAITS_SECONDS[work.row.attempt - 1])
        work.postpone(wait, type(error).__name__, work.row.attempt)


def _log_fields(work: Leased) -> dict[str, object]:
    row = work.row
    return fields(work=row.pk, kind=row.kind, team=row.team_id, attempt=row.attempt)
