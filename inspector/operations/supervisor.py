"""Starts the programs of an installation, starts again what ends, and ends them all together.

Each program runs behind a guard (see ``guard``) that ends it when this process is gone.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from inspector.operations import background, guard

LOOK_EVERY_SECONDS = 0.1
SHORTEST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 30.0
STEADY_AFTER_SECONDS = 60.0
"""A program that ran this long before it ended is started again as if for the first time."""
PATIENCE_SECONDS = 10.0
"""How long a program may take to end by itself when asked."""
ABANDONED_PATIENCE_SECONDS = 2.0
"""The same when the supervisor is gone: nobody waits, and the next start wants the port."""
LOG_BYTES = 5_000_000
LOGS_EVERY_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Program:
    """One command line with the environment it runs in and the file that gets its output."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    directory: Path
    log: Path
    gives_way: bool = False
    """To the others, where the machine has not enough for all (``background``)."""


def pause_after(failures: int) -> float:
    """Seconds to wait before starting again what has ended ``failures`` times in a row."""
    return min(SHORTEST_PAUSE_SECONDS * 2.0 ** min(failures - 1, 16), LONGEST_PAUSE_SECONDS)


def open_log(path: Path) -> BinaryIO:
    """Append to the log; one that has grown large is put aside, replacing the one before it."""
    if path.exists() and path.stat().st_size > LOG_BYTES:
        path.replace(path.with_name(path.name + ".1"))
    return path.open("ab")


def shorten_log(path: Path) -> None:
    """Put aside what a running program wrote: it appends, so it goes on at the new beginning.

    On a disk that has no room for a copy, what was written is lost.
    """
    if path.exists() and path.stat().st_size > LOG_BYTES:
        aside = path.with_name(path.name + ".1")
        try:
            shutil.copyfile(path, aside)
        except OSError:
            aside.unlink(missing_ok=True)
        os.truncate(path, 0)


class Child:
    """A program that is running, or waiting to be started again."""

    def __init__(self, program: Program, lifeline: int, inherited: Iterable[int]) -> None:
        self.program = program
        self.failures = 0
        self._lifeline = lifeline
        self._inherited = (lifeline, *inherited)
        self._process: subprocess.Popen[bytes] | None = None
        self._started_at = 0.0
        self._start_again_at = 0.0

    @property
    def group(self) -> int | None:
        """The process group that holds the program, None while none is running."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        with open_log(self.program.log) as log:
            self._process = subprocess.Popen(
                self._guarded(),
                cwd=self.program.directory,
                env=dict(self.program.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=self._inherited,
                start_new_session=True,
            )
        if self.program.gives_way:
            background.send_back(self._process.pid)
        self._started_at = time.monotonic()

    def _guarded(self) -> list[str]:
        options = (str(self._lifeline), str(ABANDONED_PATIENCE_SECONDS))
        return [sys.executable, "-I", "-S", guard.__file__, *options, *self.program.command]

    def has_ended(self) -> bool:
        """True once when the program has ended; whatever is left of its group ends with it."""
        if self._process is None or self._process.poll() is None:
            return False
        self.kill()
        self._process = None
        return True

    def plan_restart(self) -> float:
        """Note that the program ended unasked; seconds until it is started again."""
        now = time.monotonic()
        steady = now - self._started_at > STEADY_AFTER_SECONDS
        self.failures = 1 if steady else self.failures + 1
        pause = pause_after(self.failures)
        self._start_again_at = now + pause
        return pause

    def is_due(self) -> bool:
        return self._process is None and time.monotonic() >= self._start_again_at

    def ask_to_end(self) -> None:
        if self._process is not None:
            self._process.terminate()

    def kill(self) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


class Supervisor:
    """Holds the programs from ``start`` to ``end``; ``inherited`` stays open while one runs."""

    def __init__(
        self, programs: Iterable[Program], say: Callable[[str], None], inherited: Iterable[int] = ()
    ) -> None:
        self._say = say
        self._asked_to_end = 0
        self._logs_due_at = 0.0
        lifeline, self._held_open = os.pipe()
        self.children = [Child(program, lifeline, inherited) for program in programs]

    @property
    def is_ending(self) -> bool:
        return self._asked_to_end > 0

    def heed_signals(self) -> None:
        """Ctrl-C, SIGTERM and a closed terminal ask for the end; a second one does not wait."""
        signal.signal(signal.SIGINT, self._ask)
        signal.signal(signal.SIGTERM, self._ask)
        # nohup and its like ignore this one on purpose.
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            signal.signal(signal.SIGHUP, self._ask)

    def _ask(self, *_: object) -> None:
        self._asked_to_end += 1

    def start(self) -> None:
        for child in self.children:
            child.start()

    def run(self) -> None:
        while not self.is_ending:
            self.look_after_children()

    def look_after_children(self) -> None:
        """Start again what has ended and is due; takes a moment."""
        self._look_after_logs()
        for child in self.children:
            if child.has_ended():
                pause = child.plan_restart()
                self._tell(f"{child.program.name} has ended; starting it again in {pause:g} s")
            elif child.is_due():
                self._start_again(child)
        time.sleep(LOOK_EVERY_SECONDS)

    def _start_again(self, child: Child) -> None:
        """A machine that has no room or no process left now may have one later."""
        try:
            child.start()
        except OSError as error:
            pause = child.plan_restart()
            self._tell(f"{child.program.name} did not start ({error}); again in {pause:g} s")

    def _tell(self, line: str) -> None:
        # Whoever reads it may be gone, or the disk that it goes to is full.
        with suppress(OSError):
            self._say(line)

    def _look_after_logs(self) -> None:
        if time.monotonic() >= self._logs_due_at:
            self._logs_due_at = time.monotonic() + LOGS_EVERY_SECONDS
            for child in self.children:
                with suppress(OSError):
                    shorten_log(child.program.log)

    def end(self) -> None:
        """Ask every program to end and give it time; then nobody is asked any more."""
        for child in self.children:
            child.ask_to_end()
        deadline = time.monotonic() + PATIENCE_SECONDS
        running = [child for child in self.children if child.group is not None]
        while running and time.monotonic() < deadline and self._asked_to_end < 2:
            time.sleep(LOOK_EVERY_SECONDS / 2)
            running = [child for child in running if not child.has_ended()]
        for child in running:
            child.kill()
