"""Inspecting while the sender waits: under a lease, counted as an attempt, and not for ever."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass

from django.conf import settings

from inspector.archive import intake, tasks
from inspector.archive.claims import Lease
from inspector.archive.database import UNAVAILABLE
from inspector.archive.intake import Accepted, Arrival, KeyReused
from inspector.archive.models import Capture, State
from inspector.archive.readers import on_demand, works
from inspector.archive.readers.not_read import NotRead
from inspector.core.analysis import Analysis
from inspector.core.exchange import Exchange
from inspector.teams.access import Principal

LONGEST_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Waited:
    result: Accepted | KeyReused
    analysis: Analysis | None = None
    """In full; None where it is left to the workers, or was theirs already."""


def accept(principal: Principal, arrival: Arrival, seconds: float) -> Waited:
    """As intake does; inspected already, unless that is too much work for a waiting sender."""
    exchange = arrival.exchange
    if works.size_of(exchange) > settings.MAX_WAIT_BYTES:
        return Waited(intake.accept(principal, arrival))
    with ExitStack() as places:
        try:
            places.enter_context(on_demand.place(exchange))
            on_demand.count(principal.asker, works.size_of(exchange))
        except NotRead:
            return Waited(intake.accept(principal, arrival))
        return _inspected(principal, arrival, _Reading(seconds))


def _inspected(principal: Principal, arrival: Arrival, reading: _Reading) -> Waited:
    lease = Lease()
    result = intake.accept(principal, arrival, lease)
    capture = lease.capture()
    if capture is None:
        return Waited(result)
    try:
        tasks.inspect(capture, reading.read)
        state = Capture.objects.values_list("state", flat=True).get(pk=capture.pk)
    except UNAVAILABLE:
        # It is kept, and whoever were told to send it again would make a second one of it.
        return Waited(result)
    analysis = reading.analysis if state == State.INSPECTED else None
    return Waited(Accepted(capture.pk, state, duplicate=False), analysis)


class _Reading:
    """Keeps what was read, for whoever waits for it."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.analysis: Analysis | None = None

    def read(self, exchange: Exchange) -> Analysis:
        """Raises ``NotRead``: a reading that is ended counts as an attempt."""
        read, _ = on_demand.read(works.analysis, exchange, None, self._seconds)
        self.analysis = read
        return read
