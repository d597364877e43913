"""Readings give way to answers."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.operations.up import programs, supervisor
from inspector.operations.up.address import ListenAddress, UpAddresses
from inspector.operations.up.supervisor import NICENESS

STAYS = "import sys; print('here', flush=True); sys.stdin.read()"


@pytest.fixture
def session() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", STAYS]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "here\n"
        yield process


def test_a_session_that_is_sent_back_gets_what_others_leave(session: subprocess.Popen[str]) -> None:
    supervisor.lower_session_priority(session.pid)
    assert os.getpriority(os.PRIO_PROCESS, session.pid) == NICENESS
    group = Path(f"/proc/{session.pid}/autogroup")
    if group.exists():
        assert group.read_text().split()[-1] == str(NICENESS)


def test_one_that_has_ended_meanwhile_is_no_error(session: subprocess.Popen[str]) -> None:
    session.communicate()
    supervisor.lower_session_priority(session.pid)


def test_a_process_that_gives_way_is_what_it_starts_too() -> None:
    tells = "from inspector.operations.up.supervisor import lower_priority; import os; lower_priority(); "
    tells += "os.execv('/bin/sh', ['sh', '-c', 'nice'])"
    told = subprocess.run([sys.executable, "-c", tells], capture_output=True, text=True, check=True)
    assert int(told.stdout) == NICENESS + os.getpriority(os.PRIO_PROCESS, 0)


def test_worker_and_sweep_give_way_and_those_that_answer_do_not() -> None:
    web, proxy = ListenAddress("127.0.0.1", 8000), ListenAddress("127.0.0.1", 8001)
    found = programs.embedded(UpAddresses(web, web.url, proxy, proxy.url))
    assert {each.name: each.gives_way for each in found} == {
        "web": False,
        "worker": True,
        "sweep": True,
        "proxy": False,
    }
