"""Ends a process of web when the one that started it is gone, however that ended.

They share a port: one that stayed behind would go on answering beside those that come after it, an
upgrade's among them.
"""

import os
import signal
from multiprocessing import connection, parent_process
from threading import Thread


def end_with_parent() -> None:
    """Return at once. Does nothing where multiprocessing did not start this process."""
    parent = parent_process()
    if parent is not None:
        Thread(target=_end_after, args=(parent.sentinel,), name="parent", daemon=True).start()


def _end_after(sentinel: int) -> None:
    # The end of a pipe that the parent holds. A sibling that was forked later holds it, too, and
    # ends first.
    connection.wait([sentinel])
    # Not asked to end: who would kill it when it does not?
    os.kill(os.getpid(), signal.SIGKILL)
