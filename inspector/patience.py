"""Waiting for a client, but not for ever: a server's read has no time limit of its own.

And not for any number of clients: who waits holds a thread, so there are places to wait in, for one
asker and for all. Where none is left, whoever has waited longest goes, so that a body that is sent
is always taken, however many others are only announced.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Lock, Thread, local

from inspector import turns

SECONDS = 20.0
STRANGER_SECONDS = 5.0
"""Of whoever showed neither key nor session."""
BYTES_PER_SECOND = 256 * 1024
"""Slower than this for long is a client that holds a thread, not one that sends."""

Work = Callable[[], None]
Given = SimpleQueue[tuple[Work, Future[None]] | None]


PLACES = 48
PLACES_OF_ONE = 32
"""Web has more threads than places: what needs no waiting is answered whoever waits."""
UNDISTURBED_SECONDS = 1.0
"""What is sent at all comes in this time, or most of it."""


def allowed_seconds(length: int, first: float = SECONDS) -> float:
    return first + length / BYTES_PER_SECOND


def is_too_slow(error: BaseException | None) -> bool:
    """Whether a read failed because the body had been waited for long enough before (``rsgi``)."""
    return error is not None and (isinstance(error, TimeoutError) or is_too_slow(error.__cause__))


class NobodyHelps(Exception):
    """The machine has no thread left, or there is no place to wait in."""


@dataclass(frozen=True, slots=True, eq=False)
class Wait:
    asker: str
    began: float
    done: Future[None] = field(default_factory=Future)


@dataclass(slots=True)
class WaitingRoom:
    """Waits in the order of their beginning."""

    places: int
    places_of_one: int
    clock: Callable[[], float] = time.monotonic
    _waits: list[Wait] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    def enter(self, asker: str) -> Wait:
        """Raises NobodyHelps where there is no place, and nobody in it for long."""
        with self._lock:
            self._make_place(asker)
            wait = Wait(asker, self.clock())
            self._waits.append(wait)
        return wait

    def leave(self, wait: Wait) -> None:
        with self._lock, suppress(ValueError):
            self._waits.remove(wait)

    def _make_place(self, asker: str) -> None:
        own = [wait for wait in self._waits if wait.asker == asker]
        rivals = own if len(own) >= self.places_of_one else self._waits
        if rivals is self._waits and len(rivals) < self.places:
            return
        longest = rivals[0]
        if longest.began > self.clock() - UNDISTURBED_SECONDS:
            raise NobodyHelps
        self._waits.remove(longest)
        longest.done.cancel()


def finishes(work: Work, seconds: float, asker: str = "") -> bool:
    """False where the work is still waiting; it ends when the connection does.

    ``asker``: whose waits are counted together, such as a network. Raises NobodyHelps.
    """
    wait = _room.enter(asker)
    try:
        with turns.lent():
            return _is_done(work, seconds, wait)
    finally:
        _room.leave(wait)


def _is_done(work: Work, seconds: float, wait: Wait) -> bool:
    helper = getattr(_mine, "helper", None) or _new_helper()
    # One that is left waiting is nobody's any more.
    _mine.helper = None
    helper.does(work, wait.done)
    try:
        wait.done.result(seconds)
    except (TimeoutError, CancelledError):
        return False
    _mine.helper = helper
    return True


class Helper:
    """A thread that waits in another one's place, for one work after the other.

    To start a thread for each body costs more than most bodies do. It ends with its last work
    when whoever asked it is gone.
    """

    def __init__(self) -> None:
        self._given: Given = SimpleQueue()
        Thread(target=_works, args=(self._given,), name="body", daemon=True).start()

    def does(self, work: Work, done: Future[None]) -> None:
        self._given.put((work, done))

    def __del__(self) -> None:
        self._given.put(None)


def _new_helper() -> Helper:
    try:
        return Helper()
    except RuntimeError as error:
        raise NobodyHelps from error


def _works(given: Given) -> None:
    while (asked := given.get()) is not None:
        work, done = asked
        # Nobody waits any more for what was cancelled.
        with suppress(InvalidStateError):
            _carry_out(work, done)
        # A body must not be held until the next one comes.
        del asked, work, done


def _carry_out(work: Work, done: Future[None]) -> None:
    try:
        work()
    except Exception as error:
        done.set_exception(error)
    else:
        done.set_result(None)


_mine = local()
_room = WaitingRoom(PLACES, PLACES_OF_ONE)
