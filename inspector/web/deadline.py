"""Ends work in a web thread after a time limit, by raising an exception in that thread.

Python raises it between two bytecode instructions, so anything computed in Python ends. A call that
blocks inside C code is not interrupted and has a time limit of its own (a database statement, a
reader process, the body of a request). One watcher thread serves all others.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from queue import SimpleQueue
from threading import Lock, Thread, get_ident

LOOK_EVERY_SECONDS = 0.25
"""Work ends so much late at most; limits are of seconds."""
# An exception raised inside a destructor is swallowed, so it is raised again; by then code that did
# catch it has cleaned up.
AGAIN_SECONDS = 5.0

_raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
_raise_in.argtypes = (ctypes.c_ulong, ctypes.py_object)


class DeadlineExceeded(BaseException):
    """The time limit passed. A ``BaseException``, so that no ``except Exception`` catches it."""


Clock = Callable[[], float]
"""Seconds since some moment; asked by the watcher for another thread."""


def processor_clock() -> Clock:
    """Return the processor's time of this thread: on a busy machine nothing takes long for the work
    of others. By the clock where the system does not tell that of a thread to another (macOS).
    """
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    return partial(time.clock_gettime, time.pthread_getcpuclockid(get_ident()))


class _Work:
    """One ``interrupt_after``. Whoever takes its token ends it: the thread itself, or the watcher
    that is about to raise. No lock: a thread interrupted while holding one would block all others.
    """

    def __init__(self, seconds: float, clock: Clock, outer: _Work | None) -> None:
        self._clock = clock
        self._end = clock() + seconds
        self._outer = outer
        self._token = [True]

    def is_over(self) -> bool:
        """Also where the one around it is."""
        # A thread that has just ended has no clock any more, and nothing to end.
        with suppress(OSError):
            if self._clock() > self._end:
                return True
        return self._outer is not None and self._outer.is_over()

    def postpone(self, seconds: float) -> None:
        with suppress(OSError):
            self._end = max(self._end, self._clock() + seconds)
        if self._outer is not None:
            self._outer.postpone(seconds)

    def take(self) -> bool:
        try:
            return self._token.pop()
        except IndexError:
            return False

    def give_back(self) -> None:
        self._token.append(True)


_works: dict[int, _Work] = {}
"""By thread id."""
# Of two requests that come first, one starts the watcher.
_started = Lock()
_watch: Thread | None = None
# To put something into it is one step: what is interrupted at it leaves no lock behind.
_wakes: SimpleQueue[None] = SimpleQueue()
_is_asleep = False


@contextmanager
def interrupt_after(seconds: float, clock: Clock = time.monotonic) -> Iterator[None]:
    """Raise ``DeadlineExceeded`` in this thread where the work inside is not done by then, told by
    the clock.

    Inside of another ``interrupt_after`` the sooner end holds.
    """
    _start_watching()
    thread, outer = get_ident(), _works.get(get_ident())
    work = _works[thread] = _Work(seconds, clock, outer)
    if _is_asleep:
        _wakes.put(None)
    try:
        try:
            yield
        finally:
            _settle(work)
    finally:
        del _works[thread]
        if outer is not None:
            _works[thread] = outer


def _settle(work: _Work) -> None:
    # An exception raised at the last moment arrives here, inside a loop, and not in the code that
    # follows. Cancelling it (NULL) would leave CPython 3.11 checking for it at every call,
    # endlessly while something traces the thread.
    with suppress(DeadlineExceeded):
        while not work.take():
            time.sleep(0)
        for _ in range(2):
            pass


def _start_watching() -> None:
    global _watch
    with _started:
        if _watch is None or not _watch.is_alive():
            _watch = Thread(target=_look, name="deadline", daemon=True)
            _watch.start()


def _sleep_without_work() -> None:
    global _is_asleep
    _is_asleep = True
    # Whoever begins later than this look sees that it sleeps.
    while not _works:
        _wakes.get()
    _is_asleep = False


def _look() -> None:
    while True:
        _sleep_without_work()
        time.sleep(LOOK_EVERY_SECONDS)
        # A copy: other threads add and remove their entries meanwhile.
        for thread, work in list(_works.items()):
            # Without the token the work has just ended, and the exception would hit what follows.
            if work.is_over() and work.take():
                _raise_in(thread, ctypes.py_object(DeadlineExceeded))
                work.postpone(AGAIN_SECONDS)
                work.give_back()
