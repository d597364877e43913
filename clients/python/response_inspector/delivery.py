"""Takes recordings from the threads that call, and has one thread send them.

The threads that call do two things here: count, and put a recording into a queue. Neither waits.
"""

from __future__ import annotations

import logging
import queue
import random
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Sequence

from response_inspector.connection import Answer, Connection
from response_inspector.envelope import Line, line_of
from response_inspector.ledger import NOT_NOW, Counts, Fate, Ledger, Reason
from response_inspector.recording import Recording
from response_inspector.spool import Spool

QUEUE_CALLS = 2_000
QUEUE_BYTES = 64 * 1024 * 1024
BATCH_LINES = 100
"""The server stores so many, or 4 MB, in one commit."""
BATCH_BYTES = 4_000_000
LINGER_SECONDS = 0.25
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 30.0
TRIES_BEFORE_SPOOLING = 2
EXIT_SECONDS = 5.0
"""The end of a program waits so long at most for what is to be sent."""
STOPPING_SECONDS = 0.2
"""For the thread to end, unless it waits for an answer."""
STORED = frozenset({200, 202})
AGAIN = frozenset({408, 429, 500, 502, 503, 504})
KEY_REFUSED = frozenset({401, 403})
NOT_ANSWERED = 503
"""Said here of a line that the answer to its batch does not mention."""

_LOGGER = logging.getLogger("response_inspector")


class Delivery:
    """To one server, with one key."""

    def __init__(
        self,
        url: str,
        key: str,
        spool: Spool | None = None,
        max_calls: int = QUEUE_CALLS,
        max_bytes: int = QUEUE_BYTES,
    ) -> None:
        self._connection = Connection(url, key)
        self._spool = spool
        self._limits = (max_calls, max_bytes)
        self._random = random.Random()
        self._begin()

    def _begin(self) -> None:
        self._ledger = Ledger(*self._limits)
        # A put() may interrupt itself here, by a garbage collection; in other queues it would wait
        # for its own lock.
        self._queue: queue.SimpleQueue[Recording | None] = queue.SimpleQueue()
        self._open: set[Recording] = set()
        self._held: dict[str, Recording] = {}
        """Recordings that the thread took from the queue. Whoever takes one out here settles it."""
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._is_closing = threading.Event()
        self._is_failing = False
        self._not_before = 0.0
        self._untold: deque[tuple[str, str]] = deque()
        self._told: set[str] = set()

    def begin_anew(self) -> None:
        """In a child after a fork: what waits and counts is the parent's, which goes on with it."""
        self._connection.forget()
        self._random.seed()
        self._begin()

    def counts(self) -> Counts:
        return self._ledger.counts()

    # -- by the threads that call ------------------------------------------------------------------

    def skip(self) -> None:
        self._ledger.skip()

    def begin(self) -> None:
        """Note that a call begins. ``opened`` or ``abandon`` follows."""
        self._ledger.begin()

    def abandon(self) -> None:
        """Note that it could not be recorded."""
        self._ledger.abandon()

    def opened(self, recording: Recording) -> None:
        self._open.add(recording)

    def take(self, recording: Recording) -> None:
        """Note that the recording has ended."""
        try:
            self._open.remove(recording)
        except KeyError:
            # It was begun before a fork: the parent counts it.
            return
        if not self._ledger.arrive(recording.size):
            self._tell(Reason.QUEUE_FULL)
            return
        self._queue.put(recording)
        if self._thread is None:
            self._start()

    def discard(self, recording: Recording) -> None:
        """Note that the recording is open and cannot go on."""
        try:
            self._open.remove(recording)
        except KeyError:
            return
        self._ledger.abandon()

    def _start(self) -> None:
        # Whoever finds it taken leaves the start to the one that has it.
        if not self._starting.acquire(blocking=False):
            return
        try:
            if self._thread is None and not self._is_closing.is_set():
                thread = threading.Thread(target=self._run, name="response-inspector", daemon=True)
                thread.start()
                self._thread = thread
                self._end_with_multiprocessing()
        except RuntimeError:
            # No more threads at the end of a program; its exit settles what waits.
            return
        finally:
            self._starting.release()

    def _end_with_multiprocessing(self) -> None:
        """Its children run no exit handlers but its own, and forget those that were registered
        before they began.
        """
        util = sys.modules.get("multiprocessing.util")
        process = sys.modules.get("multiprocessing.process")
        if util and process and process.parent_process() is not None:
            util.Finalize(None, self.close, args=(EXIT_SECONDS,), exitpriority=0)

    def _tell(self, reason: str, detail: str = "") -> None:
        """Once for each reason. The thread does it: a log may keep its writer waiting."""
        if reason not in self._told:
            self._told.add(reason)
            self._untold.append((reason, detail))

    # -- by the program ----------------------------------------------------------------------------

    def flush(self, timeout: float) -> bool:
        """Wait until everything that has ended is sent, spooled or dropped; False where it is not
        after ``timeout`` seconds.
        """
        self._queue.put(None)
        return self._ledger.wait_until_settled(timeout)

    def close(self, timeout: float) -> None:
        """At the end of the program: what is not sent in time is spooled or dropped."""
        for recording in list(self._open):
            recording.stopped()
        if not self._is_failing:
            self.flush(timeout)
        self._is_closing.set()
        self._queue.put(None)
        if self._thread is not None:
            # One that still waits for its answer takes nothing from the queue any more.
            self._thread.join(STOPPING_SECONDS)
        self._settle_rest()
        self._tell_all()

    def _settle_rest(self) -> None:
        while not self._queue.empty():
            # Does not wait: the thread, or a call that ends just now, may be at it, too.
            self._next(0.0)
        recordings = list(self._held.values())
        if self._spool is None:
            self._drop([each.id for each in recordings], Reason.EXIT)
            return
        lines = [line for each in recordings if (line := self._line(each))]
        if lines:
            self._to_spool(lines)

    # -- the thread --------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._is_closing.is_set():
            try:
                self._deliver(self._next_lines())
                self._send_spooled()
                self._tell_all()
            except Exception:
                _LOGGER.debug("a batch could not be sent", exc_info=True)
                self._drop(list(self._held), Reason.NOT_RECORDED)
                self._is_closing.wait(FIRST_PAUSE_SECONDS)
        self._connection.close()

    def _next_lines(self) -> list[Line]:
        """Call that come within a moment from the first one, at most a batch. Nothing where the
        spool is to be looked into, or somebody waits for a flush.
        """
        lines: list[Line] = []
        size = 0
        wait, until = self._idle_seconds(), 0.0
        while len(lines) < BATCH_LINES and size < BATCH_BYTES:
            recording = self._next(wait)
            if recording is None or self._is_closing.is_set():
                break
            if line := self._line(recording):
                lines.append(line)
                size += len(line.text)
            until = until or time.monotonic() + LINGER_SECONDS
            wait = max(0.0, until - time.monotonic())
        return lines

    def _next(self, wait: float | None) -> Recording | None:
        try:
            recording = self._queue.get(timeout=wait)
        except queue.Empty:
            return None
        if recording is not None:
            self._held[recording.id] = recording
        return recording

    def _idle_seconds(self) -> float | None:
        if self._spool is None or self._spool.oldest() is None:
            return None
        return max(0.0, self._not_before - time.monotonic())

    def _line(self, recording: Recording) -> Line | None:
        try:
            return line_of(recording)
        except Exception:
            _LOGGER.debug("a call could not be written", exc_info=True)
            self._drop([recording.id], Reason.NOT_RECORDED)
            return None

    def _deliver(self, lines: list[Line]) -> None:
        tries = 0
        while lines and not self._is_closing.is_set():
            if self._spool and time.monotonic() < self._not_before:
                self._to_spool(lines)
                return
            answer = self._post(lines)
            if answer.status == 413 and len(lines) > 1:
                self._deliver(lines[: len(lines) // 2])
                self._deliver(lines[len(lines) // 2 :])
                return
            lines = self._judge(lines, answer)
            tries += 1
            if lines:
                self._pause(answer, tries)

    def _post(self, lines: Sequence[Line]) -> Answer:
        answer = self._connection.post(lines)
        self._is_failing = answer.status is None or answer.status in AGAIN
        if self._is_failing:
            self._tell(NOT_NOW, _detail(answer))
            self._tell_all()
        return answer

    def _judge(self, lines: list[Line], answer: Answer) -> list[Line]:
        """Settle what the answer decides, and return what is to be sent again."""
        if self._is_failing:
            return lines
        if answer.status != 200:
            self._refuse(lines, answer)
            return []
        again = []
        for line, status in zip(lines, _statuses(answer, len(lines))):
            if status in STORED:
                self._settle(Fate.SENT, [line.id])
            elif status in AGAIN:
                again.append(line)
            else:
                reason = Reason.TOO_LARGE if status == 413 else Reason.REFUSED
                self._drop([line.id], reason, answer.trouble)
        return again

    def _refuse(self, lines: list[Line], answer: Answer) -> None:
        reason = _reason(answer)
        detail = _detail(answer)
        if self._spool is None or reason is Reason.TOO_LARGE:
            self._drop([line.id for line in lines], reason, detail)
            return
        # The program may be given another key or address meanwhile.
        self._tell(reason, detail)
        self._not_before = time.monotonic() + LONGEST_PAUSE_SECONDS
        self._to_spool(lines)

    def _pause(self, answer: Answer, tries: int) -> None:
        """Until the server may be asked again. Not at all where the spool takes what is left."""
        seconds = self._pause_seconds(answer, tries)
        if self._spool and (tries >= TRIES_BEFORE_SPOOLING or seconds > FIRST_PAUSE_SECONDS):
            self._not_before = time.monotonic() + seconds
        else:
            self._is_closing.wait(seconds)

    def _pause_seconds(self, answer: Answer, tries: int) -> float:
        longest = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0**tries)
        return answer.retry_after_seconds or self._random.uniform(0, longest)

    # -- what becomes of calls ---------------------------------------------------------------------

    def _settle(self, fate: Fate, ids: Iterable[str], reason: str = "") -> None:
        mine = [found for each in ids if (found := self._held.pop(each, None))]
        if mine:
            self._ledger.settle(fate, len(mine), sum(each.size for each in mine), reason)

    def _drop(self, ids: Iterable[str], reason: str, detail: str = "") -> None:
        dropped = list(ids)
        if dropped:
            self._settle(Fate.DROPPED, dropped, reason)
            self._tell(reason, detail)

    def _to_spool(self, lines: Sequence[Line]) -> None:
        assert self._spool is not None
        ids = [line.id for line in lines]
        try:
            is_written = self._spool.write(lines)
        except OSError as error:
            self._drop(ids, Reason.SPOOL_FULL, str(error))
            return
        if is_written:
            self._settle(Fate.SPOOLED, ids)
        else:
            self._drop(ids, Reason.SPOOL_FULL)

    def _send_spooled(self) -> None:
        """Send the oldest file of the spool, if there is one and the server may be asked."""
        if self._spool is None or time.monotonic() < self._not_before:
            return
        try:
            path = self._spool.oldest()
            lines = self._spool.read(path) if path else []
        except OSError:
            # Another process has sent it.
            return
        if path and self._is_taken(lines):
            self._spool.remove(path)

    def _is_taken(self, lines: list[Line]) -> bool:
        answer = self._post(lines) if lines else Answer(200)
        if answer.status == 413:
            return len(lines) == 1 or all([self._is_taken([line]) for line in lines])
        statuses = _statuses(answer, len(lines))
        if answer.status != 200 or not AGAIN.isdisjoint(statuses):
            seconds = answer.retry_after_seconds or self._random.uniform(0, LONGEST_PAUSE_SECONDS)
            self._not_before = time.monotonic() + seconds
            return False
        self._ledger.send_from_spool(sum(status in STORED for status in statuses))
        return True

    def _tell_all(self) -> None:
        while self._untold:
            try:
                reason, detail = self._untold.popleft()
                what = "wait to be" if reason == NOT_NOW else "are not"
                text = ": ".join(filter(None, (reason, detail)))
                _LOGGER.warning("calls %s captured: %s", what, text)
            except Exception:
                # Told by another thread, or a filter or handler of the program's own.
                return


def _statuses(answer: Answer, lines: int) -> tuple[int, ...]:
    return (*answer.statuses, *[NOT_ANSWERED] * lines)[:lines]


def _detail(answer: Answer) -> str:
    return " ".join(filter(None, (str(answer.status or ""), answer.trouble)))


def _reason(answer: Answer) -> str:
    if answer.status in KEY_REFUSED:
        return Reason.KEY_REFUSED
    return Reason.TOO_LARGE if answer.status == 413 else Reason.REFUSED
