"""A server that takes batches as the product does, or does with them what a test says."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.http_server import Handler, served


@dataclass
class Told:
    """One answer: ``statuses`` of the lines, or another status than 200 of the whole."""

    status: int = 200
    statuses: tuple[int, ...] | None = None
    headers: dict[str, str] = field(default_factory=dict)


class TakingServer:
    def __init__(self) -> None:
        self.batches: list[list[dict[str, Any]]] = []
        """The lines of each request, whatever was answered."""
        self.requests: list[dict[str, str]] = []
        """Path and headers of each."""
        self.answers: list[Told] = []
        """The next ones; afterwards everything is stored."""
        self.stored: dict[str, dict[str, Any]] = {}
        self.is_asked = threading.Event()
        self.goes_on = threading.Event()
        """Cleared, answers do not come."""
        self.goes_on.set()
        self.url = ""

    @property
    def lines(self) -> list[dict[str, Any]]:
        return list(self.stored.values())

    def answer(self, path: str, headers: dict[str, str], body: bytes) -> tuple[Told, bytes]:
        lines = [json.loads(line) for line in body.splitlines()]
        self.requests.append({"path": path, **headers})
        self.batches.append(lines)
        self.is_asked.set()
        self.goes_on.wait()
        told = self.answers.pop(0) if self.answers else Told()
        if told.status != 200:
            return told, b'{"error": {"code": "no", "message": "not this time"}}'
        results = []
        for number, line in enumerate(lines, start=1):
            status = told.statuses[number - 1] if told.statuses else self._store(line)
            results.append({"line": number, "status": status})
        return told, b"".join(json.dumps(each).encode() + b"\n" for each in results)

    def _store(self, line: dict[str, Any]) -> int:
        if line["idempotency_key"] in self.stored:
            return 200
        self.stored[line["idempotency_key"]] = line
        return 202


@contextmanager
def taking_server(port: int = 0) -> Iterator[TakingServer]:
    server = TakingServer()

    class Batches(Handler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            told, content = server.answer(self.path, headers, self.read_body())
            self.answer(told.status, content, told.headers)

    with served(Batches, port) as server.url:
        try:
            yield server
        finally:
            server.goes_on.set()
