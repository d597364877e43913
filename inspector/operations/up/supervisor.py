"""Starts the programs of an installation, restarts those that end, and ends them all together.

Each program is started by ``guard``, so that it ends when this process dies.
"""

import math
import os
import select
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

from inspector.operations.up import guard

NICENESS = 10
"""About a tenth of a busy processor, and all of an idle one."""


def lower_priority() -> None:
    """Lower the priority of this process and its descendants."""
    os.nice(NICENESS)


def lower_session_priority(session: int) -> None:
    """Lower the priority of a new session and its descendants."""
    with suppress(ProcessLookupError):
        os.setpriority(os.PRIO_PGRP, session, NICENESS)
    # Linux may first share CPU time among sessions and apply niceness only within one (sched(7),
    # autogroup). Other systems lack the file.
    with suppress(OSError):
        Path(f"/proc/{session}/autogroup").write_text(str(NICENESS))


LOOK_EVERY_SECONDS = 0.1
"""Between two looks at the children where something else is looked at meanwhile."""
SHORTEST_PAUSE_SECONDS = 0.5
"""Doubled with each failure: one that cannot start must not take a processor."""
LONGEST_PAUSE_SECONDS = 30.0
STEADY_AFTER_SECONDS = 60.0
"""After running this long, a program's restart delay starts over."""
PATIENCE_SECONDS = 10.0
"""Seconds a program may take to end when asked, unless it has its own."""
ABANDONED_PATIENCE_SECONDS = 2.0
"""The same if the supervisor died: shorter, because the next start needs the port."""
LOG_BYTES = 5_000_000
"""Bytes of each program's log, and once more for what was rotated: no log fills the disk."""
LOGS_EVERY_SECONDS = 30.0
"""So much a program may write beyond it."""


@dataclass(frozen=True, slots=True)
class Program:
    """Command line, environment and log file of a program."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    directory: Path
    log: Path
    gives_way: bool = False
    """True if it runs at lower priority, so that intake comes first."""
    patience_seconds: float = PATIENCE_SECONDS


def pause_after(failures: int) -> float:
    """Seconds to wait before restarting after ``failures`` consecutive failures."""
    return min(SHORTEST_PAUSE_SECONDS * 2.0 ** min(failures - 1, 16), LONGEST_PAUSE_SECONDS)


def open_log(path: Path) -> BinaryIO:
    """Open the log for appending; a large one is first rotated, keeping one."""
    if path.exists() and path.stat().st_size > LOG_BYTES:
        path.replace(path.with_name(path.name + ".1"))
    return path.open("ab")


def shorten_log(path: Path) -> None:
    """Rotate the log of a running program by copying and truncating.

    On a disk without room for the copy, the contents are lost.
    """
    if path.exists() and path.stat().st_size > LOG_BYTES:
        aside = path.with_name(path.name + ".1")
        try:
            shutil.copyfile(path, aside)
        except OSError:
            aside.unlink(missing_ok=True)
        os.truncate(path, 0)


class Child:
    """A program that is running or waiting to be restarted."""

    def __init__(self, program: Program, lifeline: int, inherited: Iterable[int]) -> None:
        self.program = program
        self.failures = 0
        self.ending = ""
        """How it ended last."""
        self._lifeline = lifeline
        self._inherited = (lifeline, *inherited)
        self._process: subprocess.Popen[bytes] | None = None
        self._started_at = 0.0
        self._start_again_at = 0.0

    @property
    def group(self) -> int | None:
        """Process group of the program; None if it is not running."""
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
            lower_session_priority(self._process.pid)
        self._started_at = time.monotonic()

    def _guarded(self) -> list[str]:
        options = (str(self._lifeline), str(ABANDONED_PATIENCE_SECONDS))
        return [sys.executable, "-I", "-S", guard.__file__, *options, *self.program.command]

    def has_ended(self) -> bool:
        """Return True once after the program ended, and kills the rest of its group."""
        if self._process is None or self._process.poll() is None:
            return False
        code = self._process.returncode
        self.ending = f"ended by signal {-code}" if code < 0 else f"ended with code {code}"
        self.kill()
        self._process = None
        return True

    def plan_restart(self) -> float:
        """Record an unexpected end; returns the seconds until the restart."""
        now = time.monotonic()
        steady = now - self._started_at > STEADY_AFTER_SECONDS
        self.failures = 1 if steady else self.failures + 1
        pause = pause_after(self.failures)
        self._start_again_at = now + pause
        return pause

    def is_due(self) -> bool:
        return time.monotonic() >= self.due_at

    @property
    def due_at(self) -> float:
        """When it is to be started again; never while it runs."""
        return self._start_again_at if self._process is None else math.inf

    def ask_to_end(self) -> None:
        if self._process is not None:
            self._process.terminate()

    def is_late(self, asked_at: float) -> bool:
        return time.monotonic() > asked_at + self.program.patience_seconds

    def kill(self) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


class Supervisor:
    """Runs the programs from ``start`` to ``end``; each inherits the descriptors ``inherited``."""

    def __init__(
        self, programs: Iterable[Program], say: Callable[[str], None], inherited: Iterable[int] = ()
    ) -> None:
        self._say = say
        self._asked_to_end = 0
        self._logs_due_at = 0.0
        lifeline, self._held_open = os.pipe()
        self.children = [Child(program, lifeline, inherited) for program in programs]
        self._woken, self._waking = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(self._waking, False)

    @property
    def is_ending(self) -> bool:
        return self._asked_to_end > 0

    def heed_signals(self) -> None:
        """On SIGINT, SIGTERM or SIGHUP, requests the end; a second signal skips the waiting. The
        end of a program ends a sleep.
        """
        signal.set_wakeup_fd(self._waking, warn_on_full_buffer=False)
        # Without a handler it would wake nobody.
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, self._ask)
        signal.signal(signal.SIGTERM, self._ask)
        # Ignored SIGHUP is left so: nohup sets it deliberately.
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            signal.signal(signal.SIGHUP, self._ask)

    def _ask(self, *_: object) -> None:
        self._asked_to_end += 1

    def start(self) -> None:
        for child in self.children:
            child.start()

    def run(self) -> None:
        while not self.is_ending:
            self.look_after_children(math.inf)

    def look_after_children(self, seconds: float = LOOK_EVERY_SECONDS) -> None:
        """Restart programs that ended and are due, then sleeps so long, or until there is something
        to do.
        """
        self._look_after_logs()
        for child in self.children:
            if child.has_ended():
                pause = child.plan_restart()
                self._tell(f"{child.program.name} {child.ending}; starting it again in {pause:g} s")
            elif child.is_due():
                self._start_again(child)
        due_at = min([self._logs_due_at, *(child.due_at for child in self.children)])
        self._sleep(min(seconds, max(0.0, due_at - time.monotonic())))

    def _sleep(self, seconds: float) -> None:
        if select.select([self._woken], [], [], seconds)[0]:
            os.read(self._woken, select.PIPE_BUF)

    def _start_again(self, child: Child) -> None:
        # Failing to fork is retried: memory or processes may be short only for now.
        try:
            child.start()
        except OSError as error:
            pause = child.plan_restart()
            self._tell(f"{child.program.name} did not start ({error}); again in {pause:g} s")

    def _tell(self, line: str) -> None:
        # The terminal may be closed, or the disk that output goes to may be full.
        with suppress(OSError):
            self._say(line)

    def _look_after_logs(self) -> None:
        if time.monotonic() >= self._logs_due_at:
            self._logs_due_at = time.monotonic() + LOGS_EVERY_SECONDS
            for child in self.children:
                with suppress(OSError):
                    shorten_log(child.program.log)

    def end(self) -> None:
        """Ask every program to end, wait for each as long as it may take, then kill."""
        for child in self.children:
            child.ask_to_end()
        asked_at = time.monotonic()
        running = [child for child in self.children if child.group is not None]
        while running:
            for child in running:
                if self._asked_to_end > 1 or child.is_late(asked_at):
                    child.kill()
            running = [child for child in running if not child.has_ended()]
            self._sleep(LOOK_EVERY_SECONDS / 2)
