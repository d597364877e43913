"""Waiting for a client, but not for ever: a server's read has no time limit of its own."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread, local

SECONDS = 20.0
BYTES_PER_SECOND = 256 * 1024
"""Slower than this for long is a client that holds a thread, not one that sends."""

Work = Callable[[], None]
Given = SimpleQueue[tuple[Work, Future[None]] | None]


def allowed_seconds(length: int) -> float:
    return SECONDS + length / BYTES_PER_SECOND


class NobodyHelps(Exception):
    """The machine has no thread left."""


def finishes(work: Work, seconds: float) -> bool:
    """False where the work is still waiting; it ends when the connection does.

    Raises NobodyHelps.
    """
    helper = getattr(_mine, "helper", None) or _new_helper()
    # One that is left waiting is nobody's any more.
    _mine.helper = None
    try:
        helper.does(work).result(seconds)
    except TimeoutError:
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

    def does(self, work: Work) -> Future[None]:
        done: Future[None] = Future()
        self._given.put((work, done))
        return done

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
        try:
            done.set_result(work())
        except Exception as error:
            done.set_exception(error)
        # A body must not be held until the next one comes.
        del asked, work, done


_mine = local()
