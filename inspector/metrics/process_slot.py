"""Files of figures, one pair for each process of a host at a time.

A process takes the first pair that nobody holds and counts on from what stands there. So sums never
fall when a process ends, there are never more files than processes at once, and it does not matter
that containers which share the folder give the same process ids.
"""

import fcntl
import os
import struct
from itertools import count
from pathlib import Path

from prometheus_client.multiprocess import MultiProcessCollector

KINDS = ("counter", "histogram")
FILE_BYTES = 1 << 18
"""More than all series take. To write into a mapped file that the disk has no room for would kill
the process, so the room is taken first.
"""
PRIVATE_FILE = 0o600


class ProcessSlot:
    """Called, it names the pair of files that this process holds: another one after a fork."""

    def __init__(self, folder: Path) -> None:
        """Raise ``OSError`` where the folder takes no files, as does a call."""
        self._folder = folder
        self._process = 0
        self._number = 0
        self._locks: list[int] = []
        self()

    def __call__(self) -> int:
        if self._process != os.getpid():
            self._number = self._free_number()
            self._process = os.getpid()
        return self._number

    def _free_number(self) -> int:
        return next(number for number in count(1) if self._takes(number))

    def _takes(self, number: int) -> bool:
        files = [self._folder / f"{kind}_{number}.db" for kind in KINDS]
        locks = [
            os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE) for file in files
        ]
        try:
            # The first decides: whoever has it has both.
            fcntl.flock(locks[0], fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _close(locks)
            return False
        try:
            for file, lock in zip(files, locks, strict=True):
                _prepare(file, lock)
        except OSError:
            _close(locks)
            raise
        self._locks = locks
        return True


def _prepare(file: Path, descriptor: int) -> None:
    if not _is_whole(file):
        os.ftruncate(descriptor, 0)
    has_bytes = os.fstat(descriptor).st_size
    os.pwrite(descriptor, bytes(FILE_BYTES - has_bytes), has_bytes)


def _is_whole(file: Path) -> bool:
    """Return False for what a failure of the power left unreadable, and for a new file."""
    try:
        content = file.read_bytes()
        (used_bytes,) = struct.unpack("i", content[:4])
        MultiProcessCollector.merge([str(file)])  # type: ignore[no-untyped-call]
    except Exception:
        # The reader checks nothing, so that anything may be raised.
        return False
    return 0 <= int(used_bytes) <= len(content) <= FILE_BYTES


def _close(descriptors: list[int]) -> None:
    for each in descriptors:
        os.close(each)
