"""Web, worker and sweep as their supervisor would start them, on the database of the test."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection

from development.servers import free_port
from tests.archive.samples import WHOLE
from tests.people import Answer, bearer

BOUND_SECONDS = 60.0


class Installation:
    def __init__(self, key: str, logs: Path) -> None:
        self.redis_url = settings.REDIS_URL
        self.key = key
        self._logs = logs
        self.port = free_port()
        self._started: list[subprocess.Popen[bytes]] = []

    def web(self) -> None:
        self.start("web", "--port", str(self.port), "--processes", "1")
        wait_until(self._is_ready)

    def worker(self) -> subprocess.Popen[bytes]:
        return self.start("worker", "--processes", "1")

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        return self.run([sys.executable, "manage.py", *command], command[0])

    def run(self, command: Sequence[str], name: str = "output") -> subprocess.Popen[bytes]:
        variables = {"DATABASE_URL": database_url(), "REDIS_URL": self.redis_url}
        with (self._logs / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                command,
                cwd=settings.BASE_DIR,
                env=os.environ | variables,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._started.append(process)
        return process

    def log(self, name: str) -> str:
        return (self._logs / f"{name}.log").read_text()

    def end(self) -> None:
        for process in self._started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def post(self, body: bytes = WHOLE) -> Answer:
        return self._ask("POST", "/api/v1/captures/", body)

    def get(self, path: str) -> Answer:
        return self._ask("GET", path)

    def _ask(self, method: str, path: str, body: bytes | None = None) -> Answer:
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            headers = {"Content-Type": "application/json", **bearer(self.key)}
            client.request(method, path, body, headers)
            response = client.getresponse()
            named = {name.title(): value for name, value in response.headers.items()}
            return Answer(response.status, named, response.read())
        finally:
            client.close()

    def _is_ready(self) -> bool:
        try:
            return self.get("/readyz").status == 200
        except (OSError, http.client.HTTPException, json.JSONDecodeError):
            return False


def database_url() -> str:
    parts = urlsplit(settings.DATABASE_URL)
    return parts._replace(path=f"/{connection.settings_dict['NAME']}").geturl()


def wait_until(condition: Callable[[], bool], seconds: float = BOUND_SECONDS) -> float:
    """How long it took."""
    started = time.monotonic()
    while not condition():
        assert time.monotonic() - started < seconds, f"not within {seconds:g} s"
        time.sleep(0.05)
    return time.monotonic() - started
