"""The readers of one web process: a few, started when the first is needed, replaced when one had to
be ended or grew, and never more at work than there are.

Threads that answer others must stay free, so only so many may be at a reading or wait for one;
whoever comes then is told to come again at once.
"""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock
from typing import Any

from django.conf import settings

from inspector import turns
from inspector.archive.readers import channel
from inspector.archive.readers.message import Cause, Done, Failed, Task
from inspector.archive.readers.not_read import NotRead

PROCESS = "inspector.archive.readers.process"
KEPT_ENVIRONMENT = ("PATH", "LANG", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME")
"""No secret of web's is handed on."""


class ReaderProcess:
    """Web's end of one process."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes]
        self._socket, other = socket.socketpair()
        kept = {name: os.environ[name] for name in KEPT_ENVIRONMENT if name in os.environ}
        command = [sys.executable, "-m", PROCESS]
        with other:
            self._process = subprocess.Popen(
                command,
                stdin=other.fileno(),
                stdout=subprocess.DEVNULL,
                # A traceback may quote what was read.
                stderr=subprocess.DEVNULL,
                cwd=settings.BASE_DIR,
                env=kept,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, task: Task, seconds: float) -> tuple[Done | Failed, bool]:
        """The reply, and whether it was the last that this process should give.

        Raises ``NotRead`` where there is none; the process has ended then.
        """
        end = time.monotonic() + seconds
        try:
            channel.send(self._socket, pickle.dumps(task, pickle.HIGHEST_PROTOCOL), seconds)
            reply = channel.receive(self._socket, max(0.0, end - time.monotonic()))
        except TimeoutError as error:
            self.end()
            raise NotRead(Cause.TOO_LONG, f"the reading took over {seconds:g} s") from error
        except (EOFError, OSError) as error:
            raise self._obituary() from error
        # By our own process, from values of ours.
        found: tuple[Done | Failed, bool] = pickle.loads(reply)
        return found

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._socket.close()

    def _obituary(self) -> NotRead:
        self.end()
        code = self._process.returncode
        if code == -signal.SIGXCPU:
            return NotRead(Cause.TOO_LONG, "the reading took too much of the processor")
        return NotRead(Cause.BROKEN, f"the reading ended its process ({code})")


class Pool:
    def __init__(self) -> None:
        self._places = BoundedSemaphore(settings.READING_PLACES)
        self._free = BoundedSemaphore(settings.READERS)
        self._lock = Lock()
        self._idle: list[ReaderProcess] = []
        self._at_work: set[ReaderProcess] = set()

    @contextmanager
    def place(self) -> Iterator[None]:
        """Of those who read or wait for it. Raises ``NotRead`` where all are taken."""
        if not self._places.acquire(blocking=False):
            raise NotRead(Cause.BUSY)
        try:
            # Others are answered meanwhile.
            with turns.lent():
                yield
        finally:
            self._places.release()

    def read(self, work: str, given: Any, seconds: float, largest: int) -> tuple[Any, int]:
        """The value and its weight; whoever asks has a place. Raises ``NotRead``."""
        with self._reader() as reader:
            task = Task(
                work,
                given,
                settings.READING_CPU_SECONDS,
                settings.READING_MEMORY_BYTES,
                largest,
            )
            reply, is_last = reader.ask(task, seconds)
            if is_last:
                reader.end()
        if isinstance(reply, Failed):
            raise NotRead(reply.cause, reply.words)
        return pickle.loads(reply.value), reply.weight

    def pids(self) -> list[int]:
        with self._lock:
            return [reader.pid for reader in (*self._idle, *self._at_work)]

    def end(self) -> None:
        with self._lock:
            readers = [*self._idle, *self._at_work]
            self._idle.clear()
        for reader in readers:
            reader.end()

    @contextmanager
    def _reader(self) -> Iterator[ReaderProcess]:
        if not self._free.acquire(timeout=settings.READER_WAIT_SECONDS):
            raise NotRead(Cause.BUSY)
        try:
            reader = self._taken()
            try:
                yield reader
            finally:
                self._give_back(reader)
        finally:
            self._free.release()

    def _taken(self) -> ReaderProcess:
        with self._lock:
            # One may have been ended from outside while nobody asked it anything.
            while self._idle and not self._idle[-1].is_alive:
                self._idle.pop().end()
            reader = self._idle.pop() if self._idle else ReaderProcess()
            self._at_work.add(reader)
        return reader

    def _give_back(self, reader: ReaderProcess) -> None:
        with self._lock:
            self._at_work.discard(reader)
            if reader.is_alive:
                self._idle.append(reader)


_pool: Pool | None = None
_made = Lock()


def pool() -> Pool:
    """That of this process, made when it is first asked for: whoever never reads has none."""
    global _pool
    with _made:
        if _pool is None:
            _pool = Pool()
            atexit.register(_pool.end)
        return _pool
