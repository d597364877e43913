"""The tasks of worker and sweep: claim captures, read them outside any transaction, store the
results together.

With a transaction for each capture, statements and commits were four fifths of all work. A claim in
one transaction would lose up to 4 MB of reading to a kill; a savepoint around each capture costs
two statements again. Where a batch cannot be stored, each of its captures is stored alone, so that
only the one at fault counts a failed attempt.
"""

import logging
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from inspector.archive import events
from inspector.archive.inspection import claims, projection_store, slow_readings
from inspector.archive.inspection.claims import Due
from inspector.archive.inspection.cpu_limit import CpuTimeExceeded, cpu_time_limit
from inspector.archive.inspection.doorbell import doorbell
from inspector.archive.inspection.projection import ProjectionRows, project
from inspector.archive.inspection.slow_reader import slow_reader
from inspector.archive.models import Capture
from inspector.archive.readers.errors import ReadingError
from inspector.archive.readers.extract import Extract, extract_of
from inspector.archive.readers.memory import limited_memory
from inspector.archive.readers.messages import ReadingErrorCause
from inspector.archive.storage import disk_space, evidence
from inspector.core.readout import readout
from inspector.core.wire.exchange import Exchange
from inspector.database import portability
from inspector.logs.json_log import fields
from inspector.metrics import figures

REST_SECONDS = 0.1
"""Pause between two claims, unless captures have waited that long already: every claim costs its
statements, however few captures it finds.
"""
BATCH_SECONDS = 0.5
"""Time after which what was read is stored, so that nobody waits for the others of a claim."""
FAIRNESS_SECONDS = 0.1
"""How often a claim under way looks whether other teams wait."""
BATCH_ROWS = 25
"""Captures stored in one transaction: on SQLite it holds up all other writers."""
BATCH_BYTES = 1_000_000
"""Bytes read before a batch is stored: bounds its captures' wait, and what a kill loses."""

ReadCapture = Callable[[Capture], Extract]

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class UnstoredInspection:
    """An inspection that was read and waits to be stored with others of its transaction; ``ms`` is
    the time that reading took, in milliseconds.
    """

    rows: ProjectionRows
    ms: float

    @property
    def capture(self) -> Capture:
        return self.rows.inspection.capture


def prepare() -> None:
    """Load what a first capture would: the time that it takes is none of its reading."""
    readout(Exchange.of_body(b"{}"))
    events.prepare()


def never() -> bool:
    return False


def drain(stop: Callable[[], bool] = never) -> None:
    """Inspect due captures, and announces again where the time did not suffice for all."""
    end = time.monotonic() + settings.DRAIN_SECONDS
    try:
        while not stop():
            due = claims.due(late_after=timedelta(seconds=REST_SECONDS))
            if not _inspect(due, stop=stop) and not slow_reader.is_at_work:
                return
            # Claimed at once, what has just come would be one capture; then it is twenty.
            store_slow(0 if due.late else REST_SECONDS)
            if time.monotonic() > end and not slow_reader.is_at_work:
                doorbell.ring()
                return
    finally:
        end_slow()


def inspect_due(older_than: timedelta = claims.NO_WAIT, stop: Callable[[], bool] = never) -> int:
    """Inspect the captures of one claim, and begin a slow one; return how many were claimed."""
    return _inspect(claims.due(older_than), older_than, stop)


def _inspect(
    due: Due, older_than: timedelta = claims.NO_WAIT, stop: Callable[[], bool] = never
) -> int:
    # Most looks find nothing; only the others take the lock that writers need.
    of_slow_teams = due.of_slow_teams
    claimed = claims.claim(older_than, of_slow_teams=of_slow_teams) if due.quick else []
    # Before the others, beside which it goes on. A claim may find that all are slow.
    begun = _begin_slow(older_than) if due.slow or (due.quick and not claimed) else 0
    end = time.monotonic() + settings.CLAIM_SECONDS
    slow_teams = {team for team, _ in slow_readings.spent()} if of_slow_teams else set()
    together, fairness = InspectionBatch(slow_teams), _Fairness()
    for position, capture in enumerate(claimed):
        left = claimed[position:]
        # At least one is read, however late: otherwise a claim could hand everything back for ever.
        is_late = position > 0 and (time.monotonic() > end or fairness.is_broken_by(left))
        if is_late or stop():
            claims.give_back_untouched(left)
            break
        together.take(capture)
    together.store()
    return len(claimed) + begun


def store_slow(wait_seconds: float) -> None:
    """Wait so long, and store the slow reading of this process if it is over by then."""
    if not slow_reader.is_at_work:
        time.sleep(wait_seconds)
    elif (reading := slow_reader.finished(wait_seconds)) is not None:
        slow_readings.note_slow_reading(reading.capture, _ms_since(reading.began))
        inspect_capture(reading.capture, reading.result)


def end_slow() -> None:
    """End the reader of this process, and give back what it was reading."""
    if (capture := slow_reader.end()) is not None:
        claims.give_back_untouched([capture])


def _begin_slow(older_than: timedelta) -> int:
    found = [] if slow_reader.is_at_work else claims.claim_slow(older_than)
    for capture in found:
        slow_reader.begin(capture)
    return len(found)


class _Fairness:
    """Checks now and then whether teams wait that have no part in what is left of a claim."""

    def __init__(self) -> None:
        self._looked = time.monotonic()

    def is_broken_by(self, left: Sequence[Capture]) -> bool:
        if time.monotonic() - self._looked < FAIRNESS_SECONDS:
            return False
        self._looked = time.monotonic()
        return claims.others_wait(left)


def inspect_capture(capture: Capture, read: ReadCapture | None = None) -> None:
    """Inspect one capture that the caller holds a lease on."""
    together = InspectionBatch()
    together.take(capture, read)
    together.store()


class InspectionBatch:
    """Captures under a lease, read one after the other, a few at a time stored in one transaction.

    Whatever goes wrong is one row's alone, is counted and gets a reason; only a full disk is no
    fault of it. Readings of ``slow_teams`` are left for later sooner than others.
    """

    def __init__(self, slow_teams: Collection[int] = ()) -> None:
        self._slow_teams = set(slow_teams)
        self._read: list[UnstoredInspection] = []
        self._bytes = 0
        self._since = 0.0

    def take(self, capture: Capture, read: ReadCapture | None = None) -> None:
        if self._is_enough(capture):
            self.store()
        if not self._read:
            self._since = time.monotonic()
        self._bytes += capture.byte_length
        if (one := _read(capture, read or self._read_quickly)) is not None:
            self._read.append(one)
        else:
            # The next one may take as long.
            self.store()

    def store(self) -> None:
        read, self._read, self._bytes = self._read, [], 0
        if read:
            _store(read)

    def _read_quickly(self, capture: Capture) -> Extract:
        """Raise ``CpuTimeExceeded``."""
        exchange = evidence.unpack(capture, capture.evidence)
        is_slow = capture.team_id in self._slow_teams
        seconds = settings.QUICKEST_READING_SECONDS if is_slow else settings.QUICK_READING_SECONDS
        try:
            with cpu_time_limit(seconds), limited_memory(settings.WORK_MEMORY_BYTES):
                return extract_of(exchange, readout(exchange))
        except CpuTimeExceeded:
            self._slow_teams.add(capture.team_id)
            raise

    def _is_enough(self, capture: Capture) -> bool:
        # Stored before the next reading is begun: that one may kill this process.
        late = time.monotonic() - self._since > BATCH_SECONDS
        late = late or len(self._read) >= BATCH_ROWS
        return late or self._bytes + capture.byte_length > BATCH_BYTES


def _read(capture: Capture, read: ReadCapture) -> UnstoredInspection | None:
    began = time.monotonic()
    try:
        rows = project(capture, read(capture))
    except CpuTimeExceeded:
        _leave_for_later(capture, _ms_since(began))
        return None
    except Exception as error:
        _failed(capture, error, _ms_since(began))
        return None
    return UnstoredInspection(rows, _ms_since(began))


def _leave_for_later(capture: Capture, ms: float) -> None:
    # Untouched, so the attempt is not counted, but behind other captures from now on.
    slow_readings.note_slow_reading(capture, ms)
    claims.give_back_untouched([capture])
    _count(capture, "put_off", ms)
    _LOGGER.info("not read quickly, and so later", extra=fields(**_log_fields(capture, ms)))


def _store(read: Sequence[UnstoredInspection]) -> None:
    try:
        stored = projection_store.store_rows([one.rows for one in read])
    except Exception as error:
        # Alone in its transaction, so the error is this capture's own.
        if len(read) == 1:
            _failed(read[0].capture, error, read[0].ms)
            return
        _LOGGER.warning("not stored together, and so one by one", exc_info=True)
        # A row that the database refuses must not hold up the others.
        for one in read:
            _store([one])
        return
    for one in read:
        result_fields = _log_fields(one.capture, one.ms)
        is_stored = one.capture.pk in stored
        _count(one.capture, "inspected" if is_stored else "too_late", one.ms)
        event = "inspected" if is_stored else "inspected too late, the lease was another's"
        _LOGGER.info(event, extra=fields(**result_fields, verdict=str(one.rows.inspection.verdict)))


def _failed(capture: Capture, error: Exception, ms: float) -> None:
    _count(capture, "failed", ms)
    _LOGGER.error(
        "an attempt to inspect failed", exc_info=error, extra=fields(**_log_fields(capture, ms))
    )
    if isinstance(error, ReadingError) and error.cause is ReadingErrorCause.BUSY:
        # Web's readers, for a sender that waits. A worker needs none of them, so this comes once.
        claims.give_back_untouched([capture])
        doorbell.ring()
    elif disk_space.is_disk_full(error) or portability.is_transient(error):
        claims.postpone(capture)
    else:
        claims.fail_attempt(capture, f"{type(error).__name__}: {error}")


def _count(capture: Capture, outcome: str, ms: float) -> None:
    if (counted := figures.FIGURES) is None:
        return
    counted.inspection(outcome, ms / 1000, capture.byte_length)
    if outcome == "inspected" and capture.finished_at is not None:
        counted.inspected_after((timezone.now() - capture.finished_at).total_seconds())


def _ms_since(began: float) -> float:
    return round((time.monotonic() - began) * 1000, 1)


def _log_fields(capture: Capture, ms: float) -> dict[str, Any]:
    return {
        "capture": str(capture.pk),
        "team": capture.team_id,
        "attempt": capture.attempt,
        "bytes": capture.byte_length,
        "ms": ms,
    }
