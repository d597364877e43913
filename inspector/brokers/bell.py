"""A named pipe by which the programs of an embedded installation wake its worker.

A ring is one byte, and says nothing but that somebody should look at the table. Whatever lies in
the pipe is one ring.
"""

import errno
import os
from contextlib import suppress
from pathlib import Path

RING = b"\0"
PIPE_BYTES = 65536
"""The most that a pipe holds on Linux."""
NOBODY_LISTENS = (errno.ENOENT, errno.ENXIO)


def ring(pipe: Path) -> None:
    """Wake the worker; without one the sweep finds what is due. Raises ``OSError`` where the pipe
    cannot be opened.
    """
    try:
        end = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno in NOBODY_LISTENS:
            return
        raise
    try:
        # A pipe that is full has rings enough.
        with suppress(BlockingIOError):
            os.write(end, RING)
    finally:
        os.close(end)


class Listener:
    """The worker's end of the pipe, which is made where there is none."""

    def __init__(self, pipe: Path) -> None:
        with suppress(FileExistsError):
            os.mkfifo(pipe, 0o600)
        # Without waiting for somebody who rings.
        self._end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        # Held open, or every reading ends at once when the last one who rang is gone.
        self._own = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        os.set_blocking(self._end, True)

    def wait(self) -> None:
        """Return once it was rung since the last time."""
        os.read(self._end, PIPE_BYTES)

    def wake(self) -> None:
        """End a wait of this process; may be called by a handler of signals."""
        with suppress(BlockingIOError):
            os.write(self._own, RING)

    def close(self) -> None:
        os.close(self._end)
        os.close(self._own)
