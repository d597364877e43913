"""A reader process, and the one of a web process.

It is started when first needed, and replaced when it was killed or has grown. Threads must stay
free for other requests, so only a fixed number may wait for it; further requests are refused at
once.
"""

import atexit
import gc
import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock
from typing import Any

from django.conf import settings

from inspector.archive.readers.errors import ReadingError
from inspector.archive.readers.messages import (
    ReaderDone,
    ReaderFailed,
    ReaderTask,
    ReadingErrorCause,
    receive_message,
    send_message,
)
from inspector.web import turns

PROCESS = "inspector.archive.readers.process"
# The environment may hold secrets of web; readers get only these.
KEPT_ENVIRONMENT = ("PATH", "LANG", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME")


class ReaderProcess:
    """Its parent's side of one reader process."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes]
        self._socket, other = socket.socketpair()
        environment = {name: os.environ[name] for name in KEPT_ENVIRONMENT if name in os.environ}
        command = [sys.executable, "-m", PROCESS]
        with other:
            self._process = subprocess.Popen(
                command,
                stdin=other.fileno(),
                stdout=subprocess.DEVNULL,
                # A traceback may quote what was read.
                stderr=subprocess.DEVNULL,
                cwd=settings.BASE_DIR,
                env=environment,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, task: ReaderTask, seconds: float) -> tuple[ReaderDone | ReaderFailed, bool]:
        """Return the reply, and whether the process should be replaced after it. Raises
        ``ReadingError`` where there is no reply; the process has been ended then.
        """
        end = time.monotonic() + seconds
        try:
            send_message(self._socket, pickle.dumps(task, pickle.HIGHEST_PROTOCOL), seconds)
            reply = receive_message(self._socket, max(0.0, end - time.monotonic()))
        except TimeoutError as error:
            self.end()
            raise ReadingError(
                ReadingErrorCause.TOO_LONG, f"the reading took over {seconds:g} s"
            ) from error
        except (EOFError, OSError) as error:
            raise self._obituary() from error
        # By our own process, from values of ours.
        found: tuple[ReaderDone | ReaderFailed, bool] = pickle.loads(reply)
        return found

    def read(self, task: ReaderTask, seconds: float) -> tuple[Any, int]:
        """Return result and size; ends a process that has grown. Raises ``ReadingError``."""
        reply, is_last = self.ask(task, seconds)
        if is_last:
            self.end()
        if isinstance(reply, ReaderFailed):
            raise ReadingError(reply.cause, reply.words)
        return _loaded(reply.value), reply.weight

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._socket.close()

    def _obituary(self) -> ReadingError:
        self.end()
        code = self._process.returncode
        if code == -signal.SIGXCPU:
            return ReadingError(
                ReadingErrorCause.TOO_LONG, "the reading took too much of the processor"
            )
        return ReadingError(ReadingErrorCause.BROKEN, f"the reading ended its process ({code})")


def _loaded(value: bytes) -> Any:
    """Unpickle without a collection meanwhile: of very many values nothing is garbage yet, and to
    look for it takes longer than to make them, with all other threads held.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return pickle.loads(value)
    finally:
        if was_enabled:
            gc.enable()


class WebReader:
    def __init__(self) -> None:
        # Fewer than web's threads behind nginx (8): the others go on answering.
        self._places = BoundedSemaphore(settings.READING_PLACES)
        # One at a time: the pipe to the process has no numbers for its answers.
        self._turn = Lock()
        self._process: ReaderProcess | None = None

    @contextmanager
    def place(self) -> Iterator[None]:
        """Take a place for reading or waiting. Raises ``ReadingError`` where all are taken."""
        if not self._places.acquire(blocking=False):
            raise ReadingError(ReadingErrorCause.BUSY)
        try:
            # Others are answered meanwhile.
            with turns.turn_released():
                yield
        finally:
            self._places.release()

    def read(
        self, work: Callable[[Any], Any], given: Any, seconds: float, largest: int
    ) -> tuple[Any, int]:
        """Read in the child, from a taken place: result and size. Raises ``ReadingError``."""
        with self.reader() as reader:
            return reader.read(_task(work, given, largest), seconds)

    @contextmanager
    def reader(self) -> Iterator[ReaderProcess]:
        # Waiting longer would occupy a web thread for nothing.
        if not self._turn.acquire(timeout=settings.READER_WAIT_SECONDS):
            raise ReadingError(ReadingErrorCause.BUSY)
        try:
            # It may have been killed from outside while nobody asked.
            if self._process is None or not self._process.is_alive:
                self.end()
                self._process = ReaderProcess()
            yield self._process
        finally:
            self._turn.release()

    def pids(self) -> list[int]:
        process = self._process
        return [process.pid] if process is not None and process.is_alive else []

    def end(self) -> None:
        if self._process is not None:
            self._process.end()


def _task(work: Callable[[Any], Any], given: Any, largest: int) -> ReaderTask:
    return ReaderTask(
        work, given, settings.READING_CPU_SECONDS, settings.READING_MEMORY_BYTES, largest
    )


_web_reader: WebReader | None = None
# Of two requests that come first, one starts the reader.
_made = Lock()


def web_reader() -> WebReader:
    """Return that of this process, created on first use."""
    global _web_reader
    with _made:
        if _web_reader is None:
            _web_reader = WebReader()
            atexit.register(_web_reader.end)
        return _web_reader
