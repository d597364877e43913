"""The folder in which a recorder keeps calls until they are stored.

Each recorder has its own, which it holds a lock on. A folder whose lock is free is of a recorder
that is gone: the next one takes its calls over.

A call has a file of its own, removed once it is stored: in a common journal the oldest open call
would keep all others. Storing a call twice changes nothing, so no step asks whether the one before
was interrupted. Files are synced only while the database refuses: after a kill the system still has
what was written, and if the power fails nobody is left who was told of the call. Encrypting instead
of cleaning would need a key that outlives the recorder.
"""

import errno
import fcntl
import logging
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Lock
from uuid import UUID, uuid4

from inspector.archive.storage import disk_space
from inspector.logs.json_log import fields
from inspector.proxy.recorder.call_spool import SUFFIX, CallHead, CallWriter, head_of, path_of

PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600
LOCK_FILE = "lock"
ATTEMPT_FILE = "attempt"
BLOCK_BYTES = 4096
"""Bytes that the smallest file takes of a disk."""

_LOGGER = logging.getLogger(__name__)


class SpoolFull(OSError):
    """The spool has no room for what is to be written."""

    def __init__(self) -> None:
        super().__init__(errno.EDQUOT, "the spool or its disk is full")


class Spool:
    def __init__(self, root: Path, max_bytes: int) -> None:
        """Make a folder of its own. Raises ``OSError``."""
        self._root = root
        root.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        self._folder = root / str(uuid4())
        self.max_bytes = max_bytes
        self.used_bytes = 0
        # One thread writes files, another removes them.
        self._counting = Lock()
        lock = None
        while lock is None:
            self._folder.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
            lock = _locked(self._folder)
        self._lock = lock

    def adopt(self) -> list[tuple[Path, CallHead]]:
        """Take over the calls of recorders that are gone, and returns them in the order in which
        they began. What is not even the head of a call is removed.
        """
        for folder in self._abandoned():
            try:
                for path in folder.glob(f"*{SUFFIX}"):
                    path.rename(self._folder / path.name)
                # Its lock is held until it is gone.
                shutil.rmtree(folder)
            except OSError as error:
                _LOGGER.warning(
                    "calls of an earlier recorder stay where they are",
                    extra=fields(error=error.strerror),
                )
        return list(self._heads(sorted(self._folder.glob(f"*{SUFFIX}"))))

    def _abandoned(self) -> Iterator[Path]:
        for folder in self._root.iterdir():
            if folder == self._folder or not folder.is_dir():
                continue
            lock = _locked(folder)
            if lock is not None:
                try:
                    yield folder
                finally:
                    os.close(lock)

    def _heads(self, paths: Iterable[Path]) -> Iterator[tuple[Path, CallHead]]:
        for path in paths:
            # They are there, whatever the limit is.
            self._count_bytes(_blocks(path.stat().st_size))
            head = head_of(path)
            if head is None:
                self.remove(path)
            else:
                yield path, head

    def new_call(self, call: UUID, started_at: float) -> CallWriter:
        """Raise ``OSError``, a ``SpoolFull`` among others."""
        if not disk_space.has_space_at(self._folder):
            raise SpoolFull
        self._take(BLOCK_BYTES)
        try:
            return CallWriter(path_of(self._folder, call, started_at))
        except OSError:
            self._count_bytes(-BLOCK_BYTES)
            raise

    def write(self, call: CallWriter) -> None:
        """Raise ``OSError``, a ``SpoolFull`` among others."""
        had = _blocks(call.written)
        wanted = _blocks(call.written + call.unwritten)
        self._take(wanted - had)
        try:
            call.write()
        except OSError:
            self._count_bytes(_blocks(call.written) - wanted)
            raise

    def attempt(self) -> None:
        """Write a call that is none. Raises ``OSError`` where no call could be written."""
        path = self._folder / ATTEMPT_FILE
        self._take(BLOCK_BYTES)
        try:
            if not disk_space.has_space_at(self._folder):
                raise SpoolFull
            path.write_bytes(bytes(BLOCK_BYTES))
        finally:
            self._count_bytes(-BLOCK_BYTES)
            with suppress(OSError):
                path.unlink(missing_ok=True)

    def remove(self, path: Path) -> None:
        """Remove the file; does nothing if it is gone."""
        with suppress(OSError):
            size = path.stat().st_size
            path.unlink()
            self._count_bytes(-_blocks(size))

    def sync(self, paths: Iterable[Path]) -> None:
        """Return when the files are on the disk itself, as far as it takes them."""
        for path in paths:
            with suppress(OSError):
                _sync(path)
        with suppress(OSError):
            _sync(self._folder)

    def close(self) -> None:
        """Release the lock; an empty folder is removed, what others adopt."""
        with suppress(OSError):
            if not any(self._folder.glob(f"*{SUFFIX}")):
                shutil.rmtree(self._folder)
        os.close(self._lock)

    def _take(self, byte_length: int) -> None:
        with self._counting:
            if self.used_bytes + byte_length > self.max_bytes:
                raise SpoolFull
            self.used_bytes += byte_length

    def _count_bytes(self, byte_length: int) -> None:
        with self._counting:
            self.used_bytes += byte_length


def _blocks(byte_length: int) -> int:
    return max(1, -(-byte_length // BLOCK_BYTES)) * BLOCK_BYTES


def _sync(path: Path) -> None:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _locked(folder: Path) -> int | None:
    """Return the descriptor of a lock; None where another has it or the folder is gone."""
    path = folder / LOCK_FILE
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Whoever had it before may have removed the folder.
        if os.fstat(lock).st_ino == path.stat().st_ino:
            return lock
    except OSError:
        pass
    os.close(lock)
    return None
