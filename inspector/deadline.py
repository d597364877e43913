"""An end for work in a thread of web that could go on for ever: an exception of its own.

Python takes it up between two of its instructions, so whatever is drawn by Python ends; what waits
inside of one has a limit of its own (the database, a reader, a body). One thread looks after all.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from threading import Lock, Thread, get_ident

LOOK_EVERY_SECONDS = 0.25
RAISED = float("inf")
"""Stands for the end of a work that was told to end."""

_raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
_raise_in.argtypes = (ctypes.c_ulong, ctypes.py_object)

_ends: dict[int, tuple[int, float]] = {}
"""By thread: the number of its work, and when that is to end. Nothing here needs a lock: a thread
that is interrupted holding one would keep all others."""
_numbers = count()
_started = Lock()
_watch: Thread | None = None


class OutOfTime(BaseException):
    """Not an ``Exception``: nobody on its way takes it for trouble of their own."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raises ``OutOfTime`` in this thread, once, where the work inside is not done by then.

    Inside of another ``within`` the sooner end holds.
    """
    _start_watching()
    thread, outer = get_ident(), _ends.get(get_ident())
    end = time.monotonic() + seconds
    _ends[thread] = next(_numbers), min(end, outer[1]) if outer else end
    try:
        yield
    finally:
        _leave(thread, outer)


def _leave(thread: int, outer: tuple[int, float] | None) -> None:
    _, end = _ends.pop(thread, (0, 0.0))
    if outer is not None:
        _ends[thread] = outer
    if end == RAISED:
        # What was raised in the last moment is taken up here, where a loop turns, and not by what
        # comes next. Taking it back (NULL) would leave CPython 3.11 looking for it at every call,
        # and never get past the first one while something traces it.
        with suppress(OutOfTime):
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
        for thread, (number, end) in list(_ends.items()):
            if now > end and _ends.get(thread) == (number, end):
                # Once: what tidies up afterwards is not interrupted again.
                _ends[thread] = number, RAISED
                _raise_in(thread, ctypes.py_object(OutOfTime))
