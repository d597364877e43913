"""An installation as ``manage.py up`` starts it, whose proxy calls one upstream on the loopback."""

from __future__ import annotations

import http.client
import os
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from databases import Database
from systems import ROOT, Process, command, every_process

from development.servers import free_port
from inspector.operations.up.supervisor import Program, Supervisor

HOST = "127.0.0.1"
UPSTREAM = "scripted"
METRICS_KEY = "of a measurement, and of nothing else"
READY_WITHIN_SECONDS = 300.0
SETTLED_WITHIN_SECONDS = 300.0
WAITING = "SELECT count(*) FROM archive_capture WHERE state NOT IN ('inspected', 'quarantined')"
COUNT = re.compile(r"inspector_proxy_calls_(\w+?)(?:_total)?")


@dataclass(frozen=True, slots=True)
class Installation:
    folder: Path
    port: int
    """The proxy's."""
    path: str
    """What every call's path begins with: the key, and the upstream's name."""
    web_port: int

    @property
    def base(self) -> str:
        return f"http://{HOST}:{self.port}{self.path}"

    def metrics(self) -> dict[str, float]:
        """Each line of the proxy's metrics, by its name and labels."""
        connection = http.client.HTTPConnection(HOST, self.port, timeout=30)
        with closing(connection):
            connection.request("GET", "/metrics", None, {"Authorization": f"Bearer {METRICS_KEY}"})
            lines = connection.getresponse().read().decode().splitlines()
        told = (line.rpartition(" ") for line in lines if not line.startswith("#"))
        return {name: float(value) for name, _, value in told}

    def balance(self) -> dict[str, int]:
        found = ((COUNT.fullmatch(name), value) for name, value in self.metrics().items())
        return {name[1]: int(value) for name, value in found if name}

    def wait_until_settled(self) -> None:
        """No call is open or waits in the spool, and everything recorded is inspected."""
        deadline = time.monotonic() + SETTLED_WITHIN_SECONDS
        while not self._is_settled():
            if time.monotonic() > deadline:
                raise SystemExit(f"not settled: {self.balance()}")
            time.sleep(0.2)

    def _is_settled(self) -> bool:
        counts = self.balance()
        if counts["open"] or counts["spooled"]:
            return False
        waiting = (
            "SELECT count(*) FROM archive_capture WHERE state NOT IN ('inspected', 'quarantined')"
        )
        return Database(str(self.sqlite)).number(waiting) == 0

    @property
    def sqlite(self) -> Path:
        return self.folder / "inspector.sqlite3"

    def ask(self, sql: str) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(self.sqlite, timeout=30)) as file:
            return file.execute(sql).fetchall()

    def process(self) -> Process:
        """The proxy's own."""
        mark = f"inspector.proxy\0--host\0{HOST}\0--port\0{self.port}\0".encode()
        named = (each for each in every_process() if mark in command(each.id))
        return next(each for each in named if b"guard.py" not in command(each.id))

    def sockets(self) -> int:
        folder = Path(f"/proc/{self.process().id}/fd")
        return sum(_link(each).startswith("socket:") for each in folder.iterdir())

    def spool_files(self) -> list[Path]:
        found = (self.folder / "proxy-spool").rglob("*")
        return [path for path in found if path.is_file() and "lock" not in path.name]


def _link(path: Path) -> str:
    with suppress(OSError):
        return os.readlink(path)
    return ""


@contextmanager
def installed(folder: Path, upstream: str, **settings: str) -> Iterator[Installation]:
    """``folder`` is the data directory; it ends with the block, however that ends."""
    web, proxy = free_port(), free_port()
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
        "INSPECTOR_BOOTSTRAP": "0",
        "INSPECTOR_DATA_DIR": str(folder),
        "INSPECTOR_METRICS_KEY": METRICS_KEY,
        **settings,
    }
    up = (sys.executable, "manage.py", "up", "--port", str(web), "--proxy-port", str(proxy))
    supervisor = Supervisor([Program("ours", up, environment, ROOT, folder / "up.log")], print)
    try:
        supervisor.start()
        _wait_until_ready(proxy, folder / "up.log")
        add = ("add_upstream", "--team", "default", "--name", UPSTREAM, "--url", upstream)
        manage(environment, *add)
        made = ("create_api_key", "--team", "default", "--name", "app", "--scope", "capture")
        key = manage(environment, *made)
        yield Installation(folder, proxy, f"/proxy/{key}/{UPSTREAM}", web)
    finally:
        supervisor.end()


def manage(environment: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout.strip()


def _wait_until_ready(port: int, log: Path) -> None:
    deadline = time.monotonic() + READY_WITHIN_SECONDS
    while not _is_ready(port):
        if time.monotonic() > deadline:
            raise SystemExit(f"not ready: {log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.2)


def _is_ready(port: int) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    with closing(connection), suppress(OSError, http.client.HTTPException):
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    return False
