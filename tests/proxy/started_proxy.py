"""The proxy as a process of its own, with a recorder that the test plays."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Self

from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from tests.proxy.played_recorder import PlayedRecorder
from tests.proxy.scripted_upstream import WAIT_SECONDS

NO_HEADERS: Mapping[str, str] = {}
ENDING_SECONDS = 60
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def error(self) -> str | None:
        """The code of the proxy's own error."""
        return self.headers["X-Inspector-Error"]


class StartedProxy:
    """``flags`` are those of the command line: ``StartedProxy(recorder, "--idle-seconds", "0.2")``."""

    def __init__(self, recorder: PlayedRecorder, *flags: str, **environment: str) -> None:
        self._command = [
            *(sys.executable, "-m", "inspector.proxy", "--port", "0"),
            *("--recorder-command", recorder.command),
            *flags,
        ]
        self._environment = {**os.environ, **environment}
        self.port = 0

    def __enter__(self) -> Self:
        # A pipe that nobody reads is full after some hundred requests, each of which is logged.
        self._log = TemporaryFile("w+")  # noqa: SIM115
        self.process = subprocess.Popen(
            self._command,
            cwd=ROOT,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        if not said:
            self.process.communicate()
            raise AssertionError(self._logged())
        self.port = json.loads(said)["port"]
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            # The second signal ends what is open; two of one kind could come as one.
            self.terminate()
            self.process.send_signal(signal.SIGINT)
        try:
            self.process.communicate(timeout=ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
        self._log.close()

    def terminate(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    def until_it_listens_no_more(self) -> None:
        """Waits for the end of a connection on which nothing was asked: it is ended with that."""
        with suppress(ConnectionError), self.wire() as wire:
            while wire.recv(100):
                pass

    def log(self) -> list[dict[str, object]]:
        """What it logged, once it has ended."""
        self.process.wait(WAIT_SECONDS)
        return [json.loads(line) for line in self._logged().splitlines()]

    def _logged(self) -> str:
        self._log.seek(0)
        return self._log.read()

    @contextmanager
    def connect(self) -> Iterator[http.client.HTTPConnection]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_SECONDS)
        try:
            yield connection
        finally:
            connection.close()

    def wire(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=WAIT_SECONDS)

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | Iterable[bytes] | None = None,
        headers: Mapping[str, str] = NO_HEADERS,
    ) -> Reply:
        with self.connect() as connection:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return Reply(response.status, response.headers, response.read())

    def metrics(self, key: str) -> dict[str, int]:
        return {
            sample.name.removeprefix("inspector_proxy_"): int(sample.value)
            for family in self.families(key)
            for sample in family.samples
            if not sample.labels
        }

    def families(self, key: str) -> list[Metric]:
        text = self.ask("GET", "/metrics", headers={"Authorization": f"Bearer {key}"}).body.decode()
        return [*text_string_to_metric_families(text)]
