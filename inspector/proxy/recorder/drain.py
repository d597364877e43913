"""Stores spooled calls in the archive: those that ended, oldest first, and the others as they grow.

A call is removed from the spool only after it is stored, and to store one again changes nothing: a
kill between any two steps loses and doubles nothing. While the database refuses, all stays where it
is.
"""

import heapq
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event
from uuid import UUID

from django.db import connection

from inspector.archive.intake import recording
from inspector.database.portability import UNAVAILABLE
from inspector.logs.json_log import fields
from inspector.proxy.messages import Dropped, Omitted, Recorded, RecorderMessage, StoreState
from inspector.proxy.outbox import Outbox
from inspector.proxy.recorder.call_spool import read_call
from inspector.proxy.recorder.live_calls import BATCH_BYTES, BATCH_CALLS, LiveCalls
from inspector.proxy.recorder.passed_calls import PassedCalls
from inspector.proxy.recorder.receiver import CallClosed, CallLost, CallOpened, News
from inspector.proxy.recorder.spool import Spool
from inspector.proxy.recorder.spooled_call import SpooledCall, spooled_call

TICK_SECONDS = 0.25
"""Between two looks at what goes on, where nothing ended."""
STORING_SECONDS = 1.0
"""Time spent on calls that ended before those that go on have their turn."""
MAX_WAIT_SECONDS = 5.0
"""Between two attempts at a database that refuses."""
MAX_ATTEMPTS = 3
"""At storing one call, of which the database says that the call itself is the trouble."""

_LOGGER = logging.getLogger(__name__)


@dataclass(order=True, slots=True)
class EndedCall:
    """A call to be stored; those that began first are."""

    started_at: float
    id: UUID
    team_id: int
    path: Path
    is_lost: bool = False
    """Counted as missed already."""
    attempt: int = 0


class Drain:
    def __init__(
        self,
        spool: Spool,
        outbox: Outbox[RecorderMessage],
        news: SimpleQueue[News],
        passed: PassedCalls,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._spool = spool
        self._outbox = outbox
        self._news = news
        self._passed = passed
        self._clock = clock
        self._live = LiveCalls(clock)
        self._ended: list[EndedCall] = []
        self._refused: list[EndedCall] = []
        """To be tried again in the next round."""
        self._unsynced: list[Path] = []
        self._wait_seconds = 0.0
        self._told = StoreState()
        self._woken = Event()

    @property
    def waiting(self) -> int:
        """Calls that ended and are not stored."""
        return len(self._ended) + len(self._refused)

    @property
    def _pause_seconds(self) -> float:
        return self._wait_seconds or (0.0 if self._ended else TICK_SECONDS)

    @property
    def _is_idle(self) -> bool:
        """Nothing is to be stored until something is heard of a call."""
        return not (self.waiting or self._live or self._wait_seconds)

    def wake(self) -> None:
        """Have it look: something came, or it is to stop."""
        self._woken.set()

    def adopt(self, calls: Sequence[EndedCall]) -> None:
        for call in calls:
            heapq.heappush(self._ended, call)

    def run(self, stopping: Event, stop_seconds: float) -> None:
        """Store calls until it is stopped, then until all are stored or the time is over."""
        while not stopping.wait(self._pause_seconds):
            if self._is_idle:
                self._woken.wait()
            self._woken.clear()
            self.tick()
            self._tell_state()
        end = self._clock() + stop_seconds
        # What came last is in the queue by now.
        self.tick()
        while self.waiting and self._clock() < end:
            time.sleep(min(self._wait_seconds, max(0.0, end - self._clock())))
            self.tick()
        connection.close()

    def tick(self) -> None:
        """Store what there is, as far as the database takes it."""
        try:
            self._take_news()
            self._store()
            self._tell_recovery()
        except UNAVAILABLE as error:
            self._wait(error)
        except Exception:
            # Nothing is lost by it: all that is not stored is tried again.
            _LOGGER.exception("calls could not be stored")
            self._wait_seconds = MAX_WAIT_SECONDS

    def _tell_state(self) -> None:
        refuses = bool(self._wait_seconds)
        state = StoreState(self._spool.used_bytes, self._spool.max_bytes, refuses)
        if state != self._told:
            self._told = state
            self._outbox.send(state)

    # -- what the receiver says -------------------------------------------------------------------

    def _take_news(self) -> None:
        with suppress(Empty):
            while True:
                self._take(self._news.get_nowait())

    def _take(self, news: News) -> None:
        if isinstance(news, CallOpened):
            self._live.open(news.call, news.path)
        elif isinstance(news, CallClosed):
            self._live.close(news.call)
            self._end(news)
        else:
            self._lose(news)

    def _end(self, closed: CallClosed, *, is_lost: bool = False) -> None:
        ended = EndedCall(closed.started_at, closed.call, closed.team_id, closed.path, is_lost)
        heapq.heappush(self._ended, ended)
        self._unsynced.append(closed.path)

    def _lose(self, lost: CallLost) -> None:
        if self._live.close(lost.closed.call):
            self._end(lost.closed, is_lost=True)
        else:
            self._spool.remove(lost.closed.path)

    # -- the database -----------------------------------------------------------------------------

    def _store(self) -> None:
        again, self._refused = self._refused, []
        self.adopt(again)
        until = self._clock() + STORING_SECONDS
        # What begins may be a retry of what ended.
        while self._ended and self._clock() < until:
            self._store_batch()
        self._live.store()
        self._passed.store()

    def _wait(self, error: Exception) -> None:
        if not self._wait_seconds:
            _LOGGER.warning(
                "the database refuses, calls wait in the spool",
                exc_info=error,
                extra=fields(calls=self.waiting),
            )
        self._wait_seconds = min(MAX_WAIT_SECONDS, max(TICK_SECONDS, self._wait_seconds * 2))
        # Now they may lie there for long.
        unsynced, self._unsynced = self._unsynced, []
        self._spool.sync(unsynced)
        if not connection.is_usable():
            connection.close()

    def _tell_recovery(self) -> None:
        if self._wait_seconds:
            _LOGGER.info("the database takes calls again", extra=fields(calls=self.waiting))
        self._wait_seconds = 0.0
        self._unsynced.clear()

    # -- calls that ended -------------------------------------------------------------------------

    def _store_batch(self) -> None:
        batch = list(self._next_batch())
        try:
            self._record(batch)
        except UNAVAILABLE:
            self.adopt(batch)
            raise
        except Exception:
            self._record_each(batch)

    def _next_batch(self) -> Iterator[EndedCall]:
        calls = byte_length = 0
        while self._ended and calls < BATCH_CALLS and byte_length < BATCH_BYTES:
            call = heapq.heappop(self._ended)
            yield call
            calls += 1
            byte_length += _size_of(call.path)

    def _record(self, batch: Sequence[EndedCall]) -> None:
        found = {call.id: _read(call.path) for call in batch}
        wanted = {pk: call for pk, call in found.items() if call is not None and call.is_wanted}
        recording.finish([call.recording() for call in wanted.values()])
        for ended in batch:
            if ended.id in wanted:
                continue
            if found[ended.id] is None:
                self._drop(ended)
            else:
                self._omit(ended)
        self._forget([ended for ended in batch if ended.id in wanted])

    def _forget(self, stored: Sequence[EndedCall]) -> None:
        for call in stored:
            self._spool.remove(call.path)
            if not call.is_lost:
                self._passed.count(call.team_id, "recorded", at=call.started_at)
            _LOGGER.info("recorded", extra=fields(request=str(call.id), team=call.team_id))
        if told := [call.id for call in stored if not call.is_lost]:
            self._outbox.send(Recorded(told))

    def _record_each(self, batch: Sequence[EndedCall]) -> None:
        """Find the call that is the trouble, and stores the others."""
        for place, call in enumerate(batch):
            try:
                self._record([call])
            except UNAVAILABLE:
                self.adopt(batch[place:])
                raise
            except Exception:
                self._refuse(call)

    def _refuse(self, call: EndedCall) -> None:
        call.attempt += 1
        _LOGGER.exception("a call could not be stored", extra=fields(attempt=call.attempt))
        if call.attempt < MAX_ATTEMPTS:
            self._refused.append(call)
        else:
            self._drop(call)

    def _drop(self, call: EndedCall) -> None:
        # Told first: after a kill in between it is told again.
        self._outbox.send(Dropped([call.id]))
        if not call.is_lost:
            self._passed.count(call.team_id, "missed", at=call.started_at)
        self._spool.remove(call.path)

    def _omit(self, call: EndedCall) -> None:
        self._outbox.send(Omitted([call.id]))
        self._passed.count(call.team_id, "omitted", at=call.started_at)
        self._spool.remove(call.path)


def _read(path: Path) -> SpooledCall | None:
    """Return None if the file cannot be read or has no head."""
    try:
        records, _ = read_call(path)
    except OSError:
        return None
    return spooled_call(records)


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
