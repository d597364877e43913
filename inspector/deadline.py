"""An end for work in a thread of web that could go on for ever: an exception of its own.

Python takes it up between two of its instructions, so whatever is drawn by Python ends; what waits
inside of one has a limit of its own (the database, a reader, a body). One thread looks after all.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock, Thread, get_ident

LOOK_EVERY_SECONDS = 0.25
AGAIN_SECONDS = 5.0
"""What is raised where nobody hears of it, such as while an object goes, is raised again; by then
whoever heard has tidied up."""

_raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
_raise_in.argtypes = (ctypes.c_ulong, ctypes.py_object)


class OutOfTime(BaseException):
    """Not an ``Exception``: nobody on its way takes it for trouble of their own."""


class _Work:
    """One ``within``. Whoever holds its token may say that it is over: the thread itself, or who
    looks after it and is about to raise. No lock: a thread that is interrupted while it holds one
    would keep it from all others.
    """

    def __init__(self, end: float) -> None:
        self.end = end
        self._token = [True]

    def take(self) -> bool:
        try:
            return self._token.pop()
        except IndexError:
            return False

    def give_back(self) -> None:
        self._token.append(True)


_works: dict[int, _Work] = {}
"""By thread."""
_started = Lock()
_watch: Thread | None = None


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raises ``OutOfTime`` in this thread where the work inside is not done by then.

    Inside of another ``within`` the sooner end holds.
    """
    _start_watching()
    thread, outer = get_ident(), _works.get(get_ident())
    end = time.monotonic() + seconds
    work = _works[thread] = _Work(min(end, outer.end) if outer else end)
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
    """What is being raised in the last moment is taken up here, where a loop turns, and not by what
    comes next. Taking it back (NULL) would leave CPython 3.11 looking for it at every call, and
    never get past the first one while something traces it.
    """
    with suppress(OutOfTime):
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


def _look() -> None:
    while True:
        time.sleep(LOOK_EVERY_SECONDS)
        now = time.monotonic()
        for thread, work in list(_works.items()):
            if now > work.end and work.take():
                _raise_in(thread, ctypes.py_object(OutOfTime))
                work.end = now + AGAIN_SECONDS
                work.give_back()
