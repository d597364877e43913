"""Each refusal of ``up`` is one line for the person at the terminal, and a failing exit code."""

import fcntl
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tiers import mostly_thorough

ROOT = Path(__file__).parent.parent.parent
BOUND_SECONDS = 60.0


def up(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "manage.py", "up", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=BOUND_SECONDS,
        check=False,
    )


def refusal_of(done: "subprocess.CompletedProcess[str]") -> str:
    assert done.returncode not in (0, None)
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    return line


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        line = refusal_of(up("--port", str(port), "--data-dir", str(tmp_path)))
    assert line == f"Port {port} on 127.0.0.1 is taken; choose another one with --port."


def test_a_port_of_the_proxy_that_is_taken(tmp_path: Path) -> None:
    anywhere = ("127.0.0.1", 0)
    with socket.create_server(anywhere) as free, socket.create_server(anywhere) as other:
        web, proxy = free.getsockname()[1], other.getsockname()[1]
        free.close()
        ports = ("--port", str(web), "--proxy-port", str(proxy))
        line = refusal_of(up(*ports, "--data-dir", str(tmp_path)))
    assert line == (
        f"Port {proxy} on 127.0.0.1 is taken; choose another one for the capturing proxy with"
        " --proxy-port; 0 starts none."
    )


def test_a_port_of_the_proxy_that_is_the_one_of_the_pages(tmp_path: Path) -> None:
    line = refusal_of(up("--port", "8123", "--proxy-port", "8123", "--data-dir", str(tmp_path)))
    assert line == "Port 8123 is the one of the pages; the proxy needs its own."


@pytest.mark.thorough
def test_a_last_port_has_none_after_it(tmp_path: Path) -> None:
    line = refusal_of(up("--port", "65535", "--data-dir", str(tmp_path)))
    assert line.startswith("65536 is not a port")


@pytest.mark.thorough
def test_a_data_directory_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    line = refusal_of(up("--data-dir", str(tmp_path / "file" / "var")))
    assert line.startswith(f"Cannot write to {tmp_path}/file/var: Not a directory.")


@pytest.mark.thorough
def test_a_data_directory_that_another_up_runs_on(tmp_path: Path) -> None:
    with (tmp_path / "up.lock").open("w") as lock:
        lock.write("1 http://127.0.0.1:8123")
        lock.flush()
        fcntl.flock(lock, fcntl.LOCK_EX)
        line = refusal_of(up("--data-dir", str(tmp_path)))
    assert line.endswith(f"Already running on {tmp_path}: http://127.0.0.1:8123 (process 1).")


@pytest.mark.thorough
def test_an_address_of_another_machine(tmp_path: Path) -> None:
    line = refusal_of(up("--host", "192.0.2.7", "--data-dir", str(tmp_path)))
    assert "Cannot listen on 192.0.2.7, port 8000: " in line


@pytest.mark.parametrize("port", mostly_thorough([("0",), ("65536",), ("http",)]))
def test_a_port_that_is_none(port: str) -> None:
    assert refusal_of(up("--port", port)).startswith(f"{port} is not a port")
