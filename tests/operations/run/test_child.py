"""A command as a child: its exit code, its signals, its terminal."""

import os
import pty
import signal
import subprocess
import sys

import pytest

PARENT = """
import sys
from inspector.operations.run.child import end_like, run_child
code = run_child(sys.argv[1:], {"PATH": "/usr/bin:/bin", "MARK": "x"}, lambda: None)
sys.exit(end_like(code))
"""
CATCHES = 'trap "echo caught; exit 5" {}; echo ready; while :; do sleep 0.05; done'


def begun(script: str, **streams: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", PARENT, "/bin/sh", "-c", script]
    given = {"stdout": subprocess.PIPE, "preexec_fn": heed_interrupts, **streams}
    return subprocess.Popen(command, **given)  # type: ignore[call-overload,no-any-return]


def heed_interrupts() -> None:
    # Where a shell runs the tests in its background, all that they start ignores both.
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


def output_of(process: subprocess.Popen[bytes]) -> bytes:
    return process.communicate()[0]


@pytest.mark.parametrize("code", [0, 1, 7, 255])
def test_its_exit_code_is_that_of_the_command(code: int) -> None:
    process = begun(f"exit {code}")
    assert (output_of(process), process.returncode) == (b"", code)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGSEGV])
def test_it_ends_by_the_signal_that_ended_the_command(number: signal.Signals) -> None:
    process = begun(f"kill -{int(number)} $$")
    assert (output_of(process), process.returncode) == (b"", -number)


@pytest.mark.parametrize("name", ["TERM", "HUP", "USR1", "USR2", "INT", "QUIT"])
def test_a_signal_without_a_terminal_reaches_the_command(name: str) -> None:
    process = begun(CATCHES.format(name))
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.Signals[f"SIG{name}"])
    assert (output_of(process), process.returncode) == (b"caught\n", 5)


def test_input_and_environment_are_those_given() -> None:
    process = begun('cat; echo "$MARK"', stdin=subprocess.PIPE)
    assert (process.communicate(b"in\n")[0], process.returncode) == (b"in\nx\n", 0)


COUNTS = """
import os, signal, sys
heard = []
def catch(*_):
    heard.append(1)
    os.write(1, b"caught %d." % len(heard))
signal.signal(signal.SIGINT, catch)
os.write(1, b"ready %d." % sys.stdin.isatty())
os.write(1, b"%b %d." % (sys.stdin.readline().strip().encode(), len(heard)))
sys.exit(3)
"""


def test_the_command_has_the_terminal_and_hears_its_interrupt_once() -> None:
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-c", PARENT, sys.executable, "-c", COUNTS])
    told = b""
    for wanted, typed in ((b"ready 1.", b"\x03"), (b"caught 1.", b"more\n"), (b"more 1.", b"")):
        while wanted not in told:
            told += os.read(terminal, 1000)
        os.write(terminal, typed)
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 3
    assert b"caught 2" not in told
