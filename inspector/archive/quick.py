"""A first attempt at a reading is short: nobody waits long behind a capture of somebody else."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType

AGAIN_SECONDS = 0.05
"""What is raised where nobody hears of it, such as while an object goes, is raised again."""


class TooSlow(BaseException):
    """Not an ``Exception``: nothing on its way takes it for trouble of its own."""


@contextmanager
def only_quick(seconds: float) -> Iterator[None]:
    """Raises ``TooSlow`` where the work inside takes more of the processor than that.

    Of the processor, not by the clock: on a busy machine nothing is slow for the work of others.
    Signals are for the main thread; nothing is ended in another.
    """
    if current_thread() is not main_thread():
        yield
        return
    is_inside = True

    def end(number: int, frame: FrameType | None) -> None:
        if is_inside:
            raise TooSlow

    before = signal.signal(signal.SIGVTALRM, end)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds, AGAIN_SECONDS)
        yield
    finally:
        is_inside = False
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
