import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from inspector.operations.up import guard
from inspector.operations.up.supervisor import (
    LOGS_EVERY_SECONDS,
    Child,
    Program,
    Supervisor,
    open_log,
    pause_after,
    shorten_log,
)

ROOT = Path(__file__).parents[3]
BOUND_SECONDS = 60.0

# A program whose own child ignores SIGTERM; both note their process ids.
FAMILY = """
import os, signal, sys, time
from pathlib import Path
folder = Path(sys.argv[1])
if os.fork() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    (folder / f"child-{os.getpid()}").touch()
    time.sleep(60)
else:
    (folder / f"parent-{os.getpid()}").touch()
    time.sleep(60)
"""

SUPERVISE = """
import signal
import sys
from pathlib import Path
# Whoever runs the tests in the background may ignore these, and what they start inherits it.
for asked in (signal.SIGHUP, signal.SIGINT):
    signal.signal(asked, signal.SIG_DFL)
from tests.operations.up.test_supervisor import family
from inspector.operations.up import supervisor as module
from inspector.operations.up.supervisor import Supervisor
# Only what a test does ends a sleep.
module.LOGS_EVERY_SECONDS = 36000.0
supervisor = Supervisor([family(Path(sys.argv[1]))], print)
supervisor.heed_signals()
supervisor.start()
supervisor.run()
supervisor.end()
"""


def family(folder: Path) -> Program:
    command = (sys.executable, "-c", FAMILY, str(folder))
    return Program("family", command, dict(os.environ), folder, folder / "family.log")


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + BOUND_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def members(folder: Path, kind: str) -> list[int]:
    return [int(path.name.split("-")[1]) for path in folder.glob(f"{kind}-*")]


def kill(processes: list[int]) -> None:
    for process in processes:
        os.kill(process, signal.SIGKILL)


def is_running(process: int) -> bool:
    """False for a process that has ended, also where nobody has reaped it yet."""
    try:
        os.kill(process, 0)
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:
        return not Path("/proc/self").exists()


def test_a_program_is_late_once_its_own_patience_is_over(tmp_path: Path) -> None:
    usual = family(tmp_path)
    streaming = replace(usual, patience_seconds=30)
    twenty_seconds_ago = time.monotonic() - 20
    assert Child(usual, 0, ()).is_late(twenty_seconds_ago)
    assert not Child(streaming, 0, ()).is_late(twenty_seconds_ago)


def nobody_is_left(folder: Path) -> bool:
    return not any(map(is_running, members(folder, "child") + members(folder, "parent")))


def both_have_started(folder: Path) -> bool:
    return bool(members(folder, "child")) and bool(members(folder, "parent"))


@pytest.fixture
def supervising(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that supervises the family."""
    process = subprocess.Popen([sys.executable, "-c", SUPERVISE, str(tmp_path)], cwd=ROOT)
    try:
        wait_until(lambda: both_have_started(tmp_path))
        yield process
    finally:
        process.terminate()
        process.wait()
        wait_until(lambda: nobody_is_left(tmp_path))


def test_a_supervisor_sleeps_until_logs_or_restarts_are_due(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    supervisor = Supervisor([family(tmp_path)], no_room)
    monkeypatch.setattr(supervisor, "_sleep", slept.append)
    monkeypatch.setattr("inspector.operations.up.supervisor.time.monotonic", lambda: 1000.0)
    monkeypatch.setattr("inspector.operations.up.supervisor.open_log", no_room)
    supervisor.look_after_children(math.inf)
    [child] = supervisor.children
    child._process = Mock(poll=lambda: None)
    supervisor.look_after_children(math.inf)
    supervisor.look_after_children(0.1)
    assert slept == [0.5, LOGS_EVERY_SECONDS, 0.1]


def test_a_killed_child_is_started_again(
    supervising: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    [first] = members(tmp_path, "parent")
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: len(members(tmp_path, "parent")) == 2)
    assert not is_running(first)


def test_what_a_killed_child_had_forked_does_not_outlive_it(
    supervising: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    [orphan] = members(tmp_path, "child")
    os.kill(members(tmp_path, "parent")[0], signal.SIGKILL)
    wait_until(lambda: not is_running(orphan))


@pytest.mark.thorough
def test_a_killed_program_takes_along_what_it_started_and_is_replaced(tmp_path: Path) -> None:
    supervisor = Supervisor([family(tmp_path)], print)
    supervisor.start()
    try:
        wait_until(lambda: both_have_started(tmp_path))
        leader = supervisor.children[0].group
        assert leader is not None
        before = members(tmp_path, "child") + members(tmp_path, "parent")
        os.kill(leader, signal.SIGKILL)
        while len(members(tmp_path, "parent")) < 2:
            supervisor.look_after_children()
        assert not any(map(is_running, before))
    finally:
        supervisor.end()
    wait_until(lambda: nobody_is_left(tmp_path))


def test_no_program_outlives_a_supervisor_that_was_killed(
    supervising: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    supervising.kill()
    wait_until(lambda: not any(map(is_running, members(tmp_path, "parent"))))
    # Programs of ours see to it that what they start ends with them; this one does not.
    kill(members(tmp_path, "child"))


GUARDED = """
import sys
from pathlib import Path
from inspector.operations.up import guard
from tests.operations.up.test_supervisor import FAMILY
guard.guard(int(sys.argv[1]), 0.0, [sys.executable, "-c", FAMILY, sys.argv[2]])
"""


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A family as it is started where no kernel ends it, and the pipe that it lives by."""
    lifeline, held_open = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", GUARDED, str(lifeline), str(tmp_path)],
        cwd=ROOT,
        pass_fds=[lifeline],
        start_new_session=True,
    )
    os.close(lifeline)
    wait_until(lambda: both_have_started(tmp_path))
    yield process, held_open
    process.wait()
    wait_until(lambda: nobody_is_left(tmp_path))


def test_a_guard_ends_all_of_a_program_when_nobody_holds_the_pipe(
    guarded: tuple[subprocess.Popen[bytes], int],
) -> None:
    process, held_open = guarded
    os.close(held_open)
    assert process.wait(BOUND_SECONDS) == -signal.SIGKILL


def test_a_guard_ends_all_of_a_program_with_the_program(
    guarded: tuple[subprocess.Popen[bytes], int], tmp_path: Path
) -> None:
    process, held_open = guarded
    kill(members(tmp_path, "parent"))
    assert process.wait(BOUND_SECONDS) == -signal.SIGKILL
    os.close(held_open)


def test_a_program_whose_supervisor_is_gone_before_it_starts_does_not_start(
    tmp_path: Path,
) -> None:
    lifeline, held_open = os.pipe()
    os.close(held_open)
    begins = [sys.executable, "-I", "-S", guard.__file__, str(lifeline), "0"]
    touches = [sys.executable, "-c", f"open({str(tmp_path / 'ran')!r}, 'w')"]
    subprocess.run([*begins, *touches], pass_fds=[lifeline], start_new_session=True, check=False)
    os.close(lifeline)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("ask", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_supervisor_that_is_asked_to_end_ends_everybody_first(
    supervising: subprocess.Popen[bytes], tmp_path: Path, ask: signal.Signals
) -> None:
    supervising.send_signal(ask)
    assert supervising.wait(BOUND_SECONDS) == 0
    assert nobody_is_left(tmp_path)


def test_a_program_that_keeps_ending_is_started_less_and_less_often() -> None:
    assert [pause_after(failures) for failures in (1, 2, 3, 4)] == [0.5, 1.0, 2.0, 4.0]
    assert pause_after(1000) == 30.0


def test_a_log_that_has_grown_large_is_put_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.operations.up.supervisor.LOG_BYTES", 3)
    log = tmp_path / "web.log"
    log.write_bytes(b"older")
    with open_log(log) as opened:
        opened.write(b"new")
    assert log.read_bytes() == b"new"
    assert (tmp_path / "web.log.1").read_bytes() == b"older"


def test_the_log_of_a_running_program_is_put_aside_while_it_goes_on_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.operations.up.supervisor.LOG_BYTES", 3)
    log = tmp_path / "web.log"
    shorten_log(log)
    with open_log(log) as opened:
        opened.write(b"older")
        opened.flush()
        shorten_log(log)
        opened.write(b"new")
        opened.flush()
        shorten_log(log)
    assert log.read_bytes() == b"new"
    assert (tmp_path / "web.log.1").read_bytes() == b"older"


def no_room(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_on_a_full_disk_a_large_log_is_lost_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.operations.up.supervisor.LOG_BYTES", 3)
    monkeypatch.setattr("inspector.operations.up.supervisor.shutil.copyfile", no_room)
    log = tmp_path / "family.log"
    log.write_bytes(b"older")
    shorten_log(log)
    assert log.read_bytes() == b""
    assert not (tmp_path / "family.log.1").exists()


@pytest.mark.thorough
def test_a_program_that_cannot_be_started_now_is_started_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    supervisor = Supervisor([family(tmp_path)], told.append)
    with monkeypatch.context() as full:
        full.setattr("inspector.operations.up.supervisor.open_log", no_room)
        supervisor.look_after_children()
    assert told == ["family did not start ([Errno 28] No space left on device); again in 0.5 s"]
    try:
        while not members(tmp_path, "parent"):
            supervisor.look_after_children()
    finally:
        supervisor.end()
    wait_until(lambda: nobody_is_left(tmp_path))


def test_nobody_who_listens_is_no_reason_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.operations.up.supervisor.open_log", no_room)
    supervisor = Supervisor([family(tmp_path)], no_room)
    supervisor.look_after_children()
    assert supervisor.children[0].failures == 1
