"""Inspects a capture while its sender waits: under a lease, as an attempt, with a time limit."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass

from django.conf import settings

from inspector.archive.inspection import tasks
from inspector.archive.inspection.claims import Lease
from inspector.archive.intake import submission
from inspector.archive.intake.submission import Accepted, IdempotencyKeyReused, Submission
from inspector.archive.models import Capture, State
from inspector.archive.readers import on_demand
from inspector.archive.readers.errors import ReadingError
from inspector.archive.readers.extract import Extract, extract
from inspector.archive.storage import evidence
from inspector.core.analysis import Analysis
from inspector.database.portability import UNAVAILABLE
from inspector.teams.access import Principal

MAX_WAIT_SECONDS = 10
"""A waiting sender holds a web thread; then it is answered as one that did not wait."""


@dataclass(frozen=True, slots=True)
class WaitResult:
    result: Accepted | IdempotencyKeyReused
    analysis: Analysis | None = None
    """The full analysis; None where workers inspect, or the capture was a duplicate."""


def accept_and_wait(principal: Principal, arrival: Submission, seconds: float) -> WaitResult:
    """Accept a capture and inspects it at once, unless that is too much for a waiting sender."""
    exchange = arrival.exchange
    if on_demand.size_of(exchange) > settings.MAX_WAIT_BYTES:
        return WaitResult(submission.accept(principal, arrival))
    with ExitStack() as places:
        try:
            # Reserved before the capture is stored: from then on its lease keeps workers away.
            places.enter_context(on_demand.reserve_reader(exchange))
            on_demand.charge_read_bytes(principal.asker, on_demand.size_of(exchange))
        except ReadingError:
            return WaitResult(submission.accept(principal, arrival))
        return _inspected(principal, arrival, _WaitingReader(seconds))


def _inspected(principal: Principal, arrival: Submission, reading: _WaitingReader) -> WaitResult:
    lease = Lease()
    result = submission.accept(principal, arrival, lease)
    capture = lease.capture()
    if capture is None:
        return WaitResult(result)
    try:
        tasks.inspect_capture(capture, reading.read)
        state = Capture.objects.values_list("state", flat=True).get(pk=capture.pk)
    except UNAVAILABLE:
        # The capture is stored: an error would make the sender store it a second time.
        return WaitResult(result)
    analysis = reading.analysis if state == State.INSPECTED else None
    return WaitResult(Accepted(capture.pk, state, duplicate=False), analysis)


class _WaitingReader:
    """Reads an exchange and keeps the analysis for the response."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.analysis: Analysis | None = None

    def read(self, capture: Capture) -> Extract:
        """Raise ``ReadingError``: a reading that is ended counts as an attempt."""
        exchange = evidence.unpack(capture, capture.evidence)
        read, _ = on_demand.read(extract, exchange, None, self._seconds)
        self.analysis = read.analysis
        return read
