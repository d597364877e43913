"""Limits how long threads wait for clients, and how many of them wait: the server's own read has no
time limit.

Whoever waits holds a thread, so the places to wait in are limited, per client and in all. When none
is free, the one that has waited longest is ended: a body that is really sent is always taken,
however many others are only announced.
"""

import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Lock, Thread, local

from inspector.web import turns

DEFAULT_WAIT_SECONDS = 20.0
"""Time that a slow network needs for a small body; a longer one has its length on top."""
# For clients without a valid key or session.
ANONYMOUS_WAIT_SECONDS = 5.0
BYTES_PER_SECOND = 256 * 1024
"""Slower than this for long is a client that holds a thread, not one that sends."""

BlockingWork = Callable[[], None]
WorkQueue = SimpleQueue[tuple[BlockingWork, Future[None]] | None]


# Fewer than web's threads (64): requests that need no waiting are always answered.
WAIT_SLOTS = 48
WAIT_SLOTS_PER_CLIENT = 32
"""So another client finds a place without ending anybody's wait."""
# A body that is really sent arrives within this time, or most of it does.
UNDISTURBED_SECONDS = 1.0


def allowed_seconds(length: int, first: float = DEFAULT_WAIT_SECONDS) -> float:
    return first + length / BYTES_PER_SECOND


def is_too_slow(error: BaseException | None) -> bool:
    """Return True if a read failed because the body came too slowly (``inspector.web.rsgi``)."""
    return error is not None and (isinstance(error, TimeoutError) or is_too_slow(error.__cause__))


class NoWaitSlot(Exception):
    """The machine has no thread left, or there is no place to wait in."""


@dataclass(frozen=True, slots=True, eq=False)
class BodyWait:
    asker: str
    began: float
    done: Future[None] = field(default_factory=Future)


@dataclass(slots=True)
class BodyWaitSlots:
    """Waits in the order of their beginning."""

    places: int
    places_of_one: int
    clock: Callable[[], float] = time.monotonic
    _waits: list[BodyWait] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    def enter(self, asker: str) -> BodyWait:
        """Take a place to wait in. Raises ``NoWaitSlot`` where all are taken by recent waits."""
        with self._lock:
            self._make_place(asker)
            wait = BodyWait(asker, self.clock())
            self._waits.append(wait)
        return wait

    def leave(self, wait: BodyWait) -> None:
        with self._lock, suppress(ValueError):
            self._waits.remove(wait)

    def _make_place(self, asker: str) -> None:
        own = [wait for wait in self._waits if wait.asker == asker]
        # A client over its own limit ends one of its own waits and nobody else's.
        rivals = own if len(own) >= self.places_of_one else self._waits
        if rivals is self._waits and len(rivals) < self.places:
            return
        # Waits are appended as they begin, so the first one has waited longest.
        longest = rivals[0]
        if longest.began > self.clock() - UNDISTURBED_SECONDS:
            raise NoWaitSlot
        self._waits.remove(longest)
        longest.done.cancel()


def finishes_within(work: BlockingWork, seconds: float, asker: str = "") -> bool:
    """Wait for the work;

    False where it goes on, until the connection ends. ``asker``: whose waits are counted together,
    such as a network. Raises NoWaitSlot.
    """
    wait = _slots.enter(asker)
    try:
        with turns.turn_released():
            return _is_done(work, seconds, wait)
    finally:
        _slots.leave(wait)


def _is_done(work: BlockingWork, seconds: float, wait: BodyWait) -> bool:
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


class WaitThread:
    """A thread that does the waiting of others, one work after the other.

    Starting a thread for each body would cost more than reading most bodies. It ends with its last
    work once its owner is gone.
    """

    def __init__(self) -> None:
        self._given: WorkQueue = SimpleQueue()
        Thread(target=_works, args=(self._given,), name="body", daemon=True).start()

    def does(self, work: BlockingWork, done: Future[None]) -> None:
        self._given.put((work, done))

    def __del__(self) -> None:
        self._given.put(None)


def _new_helper() -> WaitThread:
    try:
        return WaitThread()
    except RuntimeError as error:
        raise NoWaitSlot from error


def _works(given: WorkQueue) -> None:
    while (item := given.get()) is not None:
        work, done = item
        # Nobody waits any more for what was cancelled.
        with suppress(InvalidStateError):
            _carry_out(work, done)
        # A body must not be held until the next one comes.
        del item, work, done


def _carry_out(work: BlockingWork, done: Future[None]) -> None:
    try:
        work()
    except Exception as error:
        done.set_exception(error)
    else:
        done.set_result(None)


_mine = local()
_slots = BodyWaitSlots(WAIT_SLOTS, WAIT_SLOTS_PER_CLIENT)
