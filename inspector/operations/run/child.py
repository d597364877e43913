"""The command as a child: in the terminal of its parent, with the signals that are meant for it."""

import os
import resource
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import FrameType

PASSED_ON = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
OF_TERMINALS = (signal.SIGINT, signal.SIGQUIT)
"""A terminal sends these to the child, too."""
LOOK_EVERY_SECONDS = 0.1
"""Between two looks at the captures of a run, while its command goes on."""


class Unstartable(Exception):
    """A program that the system does not start, with its reason."""


def run_child(
    command: Sequence[str], environ: Mapping[str, str], meanwhile: Callable[[], None]
) -> int:
    """Run it to its end and returns its code, below 0 for a signal; calls ``meanwhile`` now and
    then. Raises ``Unstartable``.
    """
    started: list[subprocess.Popen[bytes]] = []
    early: list[int] = []

    def pass_on(number: int, _: FrameType | None = None) -> None:
        if not started:
            early.append(number)
        elif not (number in OF_TERMINALS and _has_terminal()):
            started[0].send_signal(number)

    before = {number: signal.getsignal(number) for number in (*PASSED_ON, *OF_TERMINALS)}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, pass_on)
    try:
        # In this process group: it has the terminal, as if nobody stood between.
        started.append(_started(command, environ))
        for each in early:
            pass_on(each)
        return _wait(started[0], meanwhile)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def end_like(code: int) -> int:
    """Return the exit code to end with; does not return where a signal ended the child."""
    if code < 0:
        # The core is the child's.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


def _started(command: Sequence[str], environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(command, env=dict(environ))
    except OSError as error:
        raise Unstartable(error.strerror or str(error)) from error


def _wait(child: subprocess.Popen[bytes], meanwhile: Callable[[], None]) -> int:
    while True:
        with suppress(subprocess.TimeoutExpired):
            return child.wait(LOOK_EVERY_SECONDS)
        meanwhile()


def _has_terminal() -> bool:
    """Return True in the foreground of a terminal."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
