"""Limits the CPU time of a first reading, so that one slow capture does not delay the others."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType

# An exception raised inside a destructor is swallowed, so it is raised again.
AGAIN_SECONDS = 0.05


class CpuTimeExceeded(BaseException):
    """The reading used up its CPU time. A ``BaseException``, so that no ``except Exception``
    catches it.
    """


@contextmanager
def cpu_time_limit(seconds: float) -> Iterator[None]:
    """Raises ``CpuTimeExceeded`` where the work inside takes more of the processor than that.

    Of the processor, not by the clock: on a busy machine nothing is slow for the work of others.
    Signals are for the main thread; nothing is ended in another.
    """
    if current_thread() is not main_thread():
        yield
        return
    is_inside = True

    def end(number: int, frame: FrameType | None) -> None:
        if is_inside:
            raise CpuTimeExceeded

    before = signal.signal(signal.SIGVTALRM, end)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds, AGAIN_SECONDS)
        yield
    finally:
        is_inside = False
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
