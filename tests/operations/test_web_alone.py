"""Web under a supervisor of one's own: what it says at its start, and how it ends."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from development.servers import free_port
from tests.operations.installation import ROOT, wait_until


def is_open(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=120).close()
    except ConnectionRefusedError:
        return False
    return True


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def web(port: int, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "manage.py", "web", "--port", str(port), "--processes", "2"]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=os.environ | {"INSPECTOR_DATA_DIR": str(tmp_path / "data")},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        wait_until(lambda: is_open(port))
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_nobody_answers_any_more_once_web_was_killed(
    web: subprocess.Popen[bytes], port: int
) -> None:
    web.kill()
    wait_until(lambda: not is_open(port))


def test_web_says_that_its_static_files_are_missing(
    web: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    first = (tmp_path / "log").read_text().splitlines()[0]
    assert "manage.py collectstatic --no-input" in first
