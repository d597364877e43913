"""What workers and sweep do: claim, read outside any transaction, store together."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings

from inspector.archive import claims, database, evidence, inspection, room, slow
from inspector.archive.doorbell import DRAIN, doorbell
from inspector.archive.memory import bounded
from inspector.archive.models import Capture
from inspector.archive.projection import Rows, project
from inspector.archive.quick import TooSlow, only_quick
from inspector.archive.readers.message import Cause
from inspector.archive.readers.not_read import NotRead
from inspector.celery import app
from inspector.core.analysis import Analysis
from inspector.core.exchange import Exchange
from inspector.core.reading import analyze
from inspector.logs import fields

REST_SECONDS = 0.1
"""From one claim to the next, unless something has waited as long already: each costs its
statements, however few captures it finds.
"""
TOGETHER_SECONDS = 0.5
TOGETHER_BYTES = 1_000_000
"""What was read waits no longer for more to be stored with it, and not for the reading of so much:
it is what a killed process has read in vain.
"""

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Read:
    """Read, and not stored yet."""

    rows: Rows
    ms: float

    @property
    def capture(self) -> Capture:
        return self.rows.inspection.capture


@app.task(name=DRAIN)
def drain() -> None:
    """Answer a ring: inspect what is due, and ring again where time ran out."""
    end = time.monotonic() + settings.DRAIN_SECONDS
    while inspect_due():
        if time.monotonic() > end:
            doorbell.ring()
            return
        # Claimed at once, what has just come would be one capture; then it is twenty.
        if not claims.any_due(timedelta(seconds=REST_SECONDS)):
            time.sleep(REST_SECONDS)


def inspect_due(
    older_than: timedelta = claims.AT_ONCE, stop: Callable[[], bool] = lambda: False
) -> int:
    """One claim's worth of captures; how many were claimed."""
    claimed = claims.claim(older_than)
    end = time.monotonic() + settings.DRAIN_SECONDS
    together, fair = Together(), _Fairness(claimed)
    for position, capture in enumerate(claimed):
        is_late = position > 0 and (time.monotonic() > end or fair.is_for_others())
        if is_late or stop():
            claims.give_back_untouched(claimed[position:])
            break
        together.take(capture)
    together.store()
    return len(claimed)


class _Fairness:
    """Looks every now and then whether somebody waits who has no part in what was claimed."""

    def __init__(self, claimed: Sequence[Capture]) -> None:
        self._claimed = claimed
        self._looked = time.monotonic()

    def is_for_others(self) -> bool:
        if time.monotonic() - self._looked < TOGETHER_SECONDS:
            return False
        self._looked = time.monotonic()
        return claims.others_wait(self._claimed)


def inspect(capture: Capture, read: Callable[[Exchange], Analysis] | None = None) -> None:
    """One alone, under a lease."""
    together = Together()
    together.take(capture, read)
    together.store()


class Together:
    """Captures under a lease, read one after the other, a few at a time stored in one transaction.

    Whatever goes wrong is one row's alone, is counted and gets a reason; only a full disk is no
    fault of it.
    """

    def __init__(self) -> None:
        self._read: list[Read] = []
        self._bytes = 0
        self._since = 0.0

    def take(self, capture: Capture, read: Callable[[Exchange], Analysis] | None = None) -> None:
        if self._is_enough(capture):
            self.store()
        if not self._read:
            self._since = time.monotonic()
        self._bytes += capture.byte_length
        if (one := _read(capture, read or _analyze_by(capture))) is not None:
            self._read.append(one)

    def store(self) -> None:
        read, self._read, self._bytes = self._read, [], 0
        if read:
            _store(read)

    def _is_enough(self, next: Capture) -> bool:
        """Before the next is begun: it may be the one that ends this process."""
        late = time.monotonic() - self._since > TOGETHER_SECONDS
        return late or self._bytes + next.byte_length > TOGETHER_BYTES


def _read(capture: Capture, read: Callable[[Exchange], Analysis]) -> Read | None:
    began = time.monotonic()
    try:
        exchange = evidence.unpack(capture, capture.evidence)
        rows = project(capture, exchange, read(exchange))
    except TooSlow:
        _leave_for_later(capture, _ms_since(began))
        return None
    except Exception as error:
        _failed(capture, error, _ms_since(began))
        return None
    if capture.may_take_long:
        slow.note(capture, _ms_since(began))
    return Read(rows, _ms_since(began))


def _analyze_by(capture: Capture) -> Callable[[Exchange], Analysis]:
    return _analyze if capture.may_take_long else _analyze_quickly


def _analyze_quickly(exchange: Exchange) -> Analysis:
    """Raises ``TooSlow``."""
    with only_quick(settings.QUICK_READING_SECONDS):
        return _analyze(exchange)


def _analyze(exchange: Exchange) -> Analysis:
    with bounded(settings.WORK_MEMORY_BYTES):
        return analyze(exchange)


def _leave_for_later(capture: Capture, ms: float) -> None:
    """As if it had not been begun, but behind others from now on."""
    slow.note(capture, ms)
    claims.give_back_untouched([capture])
    _LOGGER.info("not read quickly, and so later", extra=fields(**_told(capture, ms)))


def _store(read: Sequence[Read]) -> None:
    try:
        stored = inspection.store([one.rows for one in read])
    except Exception as error:
        if len(read) == 1:
            _failed(read[0].capture, error, read[0].ms)
            return
        _LOGGER.warning("not stored together, and so one by one", exc_info=True)
        # A row that the database refuses must not hold up the others.
        for one in read:
            _store([one])
        return
    for one in read:
        told = _told(one.capture, one.ms)
        event = "inspected"
        if one.capture.pk not in stored:
            event = "inspected too late, the lease was another's"
        _LOGGER.info(event, extra=fields(**told, verdict=str(one.rows.inspection.verdict)))


def _failed(capture: Capture, error: Exception, ms: float) -> None:
    _LOGGER.error(
        "an attempt to inspect failed", exc_info=error, extra=fields(**_told(capture, ms))
    )
    if isinstance(error, NotRead) and error.cause is Cause.BUSY:
        claims.give_back_untouched([capture])
        doorbell.ring()
    elif room.is_lacking(error) or database.is_passing(error):
        claims.put_off(capture)
    else:
        claims.give_back(capture, f"{type(error).__name__}: {error}")


def _ms_since(began: float) -> float:
    return round((time.monotonic() - began) * 1000, 1)


def _told(capture: Capture, ms: float) -> dict[str, Any]:
    return {
        "capture": str(capture.pk),
        "team": capture.team_id,
        "attempt": capture.attempt,
        "bytes": capture.byte_length,
        "ms": ms,
    }
