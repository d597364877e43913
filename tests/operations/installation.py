"""A data directory and the ``up`` that runs on it, started as a newcomer starts it."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
BOUND_SECONDS = 90.0


class Installation:
    """One data directory and the ``up`` that currently runs on it."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        anywhere = ("127.0.0.1", 0)
        with socket.create_server(anywhere) as free, socket.create_server(anywhere) as another:
            self.port, self.proxy_port = free.getsockname()[1], another.getsockname()[1]
        self.told = ""
        self.process: subprocess.Popen[str] | None = None

    def up(self, *options: str, **variables: str) -> str:
        """Start, and return what was printed until the address was known."""
        # A newcomer has no key; the tests have one.
        environment = {n: v for n, v in os.environ.items() if n != "INSPECTOR_SECRET_KEY"}
        program = (sys.executable, "manage.py")
        own = ("--data-dir", str(self.data_dir), *options)
        return self.start(program, environment | variables, *own)

    def start(self, program: tuple[str, ...], environment: dict[str, str], *options: str) -> str:
        """The same of another program, such as an installed one."""
        ports = ("--port", str(self.port), "--proxy-port", str(self.proxy_port))
        self.process = subprocess.Popen(
            [*program, "up", *ports, *options],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if line.startswith("Ctrl-C"):
                return "".join(lines)
        raise AssertionError(f"up ended: {''.join(lines)}")

    def doctor(self) -> str:
        command = (sys.executable, "manage.py", "doctor", "--data-dir", str(self.data_dir))
        return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout

    def signal(self, number: signal.Signals) -> int:
        assert self.process is not None
        self.process.send_signal(number)
        code = self.process.wait(BOUND_SECONDS)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    def running(self, role: str | None = None) -> list[int]:
        """Every process that was started for this data directory, or those in one role."""
        marks = {f"INSPECTOR_DATA_DIR={self.data_dir}".encode()}
        marks |= {f"INSPECTOR_ROLE={role}".encode()} if role else set()
        environments = {
            int(path.parent.name): environment_of(path)
            for path in Path("/proc").glob("[0-9]*/environ")
        }
        return [process for process, found in environments.items() if marks <= found]

    def get(self, path: str, key: str = "") -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request("GET", path, headers={"Authorization": f"Bearer {key}"} if key else {})
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response.status, body


def environment_of(path: Path) -> set[bytes]:
    """Nothing for a process that has ended meanwhile."""
    try:
        return set(path.read_bytes().split(b"\0"))
    except OSError:
        return set()


def kill(processes: list[int]) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + BOUND_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.1)
