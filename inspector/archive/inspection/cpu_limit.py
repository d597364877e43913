"""Limits the CPU time of a first reading, so that one slow capture does not delay the others."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType

# An exception raised inside a destructor is swallowed, so it is raised again.
AGAIN_SECONDS = 0.05
# Of less the timer makes nothing, which would be never.
LEAST_SECONDS = 0.001


class CpuTimeExceeded(BaseException):
    """The reading used up its CPU time. No ``Exception``, so that nothing catches it as one."""


@contextmanager
def cpu_time_limit(seconds: float) -> Iterator[None]:
    """Raise ``CpuTimeExceeded`` where the work inside takes more of the processor than that.

    Of the processor, not by the clock: on a busy machine nothing is slow for the work of others,
    nor for that of other threads. Signals are for the main thread; nothing is ended in another.
    """
    if current_thread() is not main_thread():
        yield
        return
    is_inside, end_at = True, time.thread_time() + seconds

    def end(number: int, frame: FrameType | None) -> None:
        # The timer counts all threads of the process.
        left = end_at - time.thread_time()
        if is_inside and left > 0:
            signal.setitimer(signal.ITIMER_VIRTUAL, max(left, LEAST_SECONDS), AGAIN_SECONDS)
        elif is_inside:
            raise CpuTimeExceeded

    before = signal.signal(signal.SIGVTALRM, end)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds, AGAIN_SECONDS)
        yield
    finally:
        is_inside = False
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
