"""Inspecting while the sender waits: under a lease, counted as an attempt, and not for ever."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import BoundedSemaphore, Thread

from django.conf import settings

from inspector.archive import intake, tasks
from inspector.archive.claims import Lease
from inspector.archive.database import UNAVAILABLE
from inspector.archive.intake import Accepted, Arrival, KeyReused
from inspector.archive.models import Capture, State
from inspector.core.analysis import Analysis
from inspector.core.exchange import Exchange
from inspector.core.reading import analyze
from inspector.teams.access import Principal

LONGEST_SECONDS = 10
READERS = 2
"""How many readings one process does at once, those that nobody waits for any more included."""

_readers = BoundedSemaphore(READERS)


class NotInTime(Exception):
    """The reading goes on to its end, which the byte limit bounds; its result is dropped."""


@dataclass(frozen=True, slots=True)
class Waited:
    result: Accepted | KeyReused
    analysis: Analysis | None = None
    """In full; None where it is left to the workers, or was theirs already."""


def accept(principal: Principal, arrival: Arrival, seconds: float) -> Waited:
    """As intake does; inspected already, unless that is too much work for a waiting sender."""
    if len(arrival.exchange.body) > settings.MAX_WAIT_BYTES:
        return Waited(intake.accept(principal, arrival))
    if not _readers.acquire(blocking=False):
        return Waited(intake.accept(principal, arrival))
    reader = _Reader(seconds)
    try:
        return _inspected(principal, arrival, reader)
    finally:
        reader.end()


def _inspected(principal: Principal, arrival: Arrival, reader: _Reader) -> Waited:
    lease = Lease()
    result = intake.accept(principal, arrival, lease)
    capture = lease.capture()
    if capture is None:
        return Waited(result)
    try:
        tasks.inspect(capture, reader.read)
        state = Capture.objects.values_list("state", flat=True).get(pk=capture.pk)
    except UNAVAILABLE:
        # It is kept, and whoever were told to send it again would make a second one of it.
        return Waited(result)
    analysis = reader.analysis if state == State.INSPECTED else None
    return Waited(Accepted(capture.pk, state, duplicate=False), analysis)


class _Reader:
    """Reading in a thread of its own, for nothing else can be left before it has ended."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._thread: Thread | None = None
        self.analysis: Analysis | None = None

    def read(self, exchange: Exchange) -> Analysis:
        found: list[Analysis] = []
        failed: list[Exception] = []
        work = _kept(lambda: analyze(exchange), found, failed)
        thread = Thread(target=_releasing(work), name="reader", daemon=True)
        thread.start()
        # Only one that was started gives the place back.
        self._thread = thread
        thread.join(self._seconds)
        if failed:
            raise failed[0]
        if not found:
            raise NotInTime(f"the reading took over {self._seconds:g} s")
        self.analysis = found[0]
        return found[0]

    def end(self) -> None:
        """What was never begun holds no place."""
        if self._thread is None:
            _readers.release()


def _kept(
    work: Callable[[], Analysis], found: list[Analysis], failed: list[Exception]
) -> Callable[[], None]:
    def keep() -> None:
        try:
            found.append(work())
        except Exception as error:
            failed.append(error)

    return keep


def _releasing(work: Callable[[], None]) -> Callable[[], None]:
    def release() -> None:
        try:
            work()
        finally:
            _readers.release()

    return release
