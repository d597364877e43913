"""An installation that answers as a test tells it, and one that does not answer."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.http_server import Handler, served

LIMITS = {"body_bytes": 1000, "batch_bytes": 5000, "batch_lines": 3}


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class TalkingInstallation:
    """Takes every line of a batch, but for the answers that are planned before."""

    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    planned: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)
    lines: list[dict[str, Any]] = field(default_factory=list)

    def plan(self, status: int, body: bytes = b"{}", **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.planned.append((status, named, body))

    def answer(self, asked: Asked) -> tuple[int, dict[str, str], bytes]:
        if asked.method == "GET":
            return 200, {}, json.dumps({"limits": LIMITS}).encode()
        if self.planned:
            return self.planned.pop(0)
        lines = [json.loads(line) for line in asked.body.splitlines()]
        known = {line["idempotency_key"] for line in self.lines}
        told = [
            {"line": number, "status": 200 if line["idempotency_key"] in known else 202}
            for number, line in enumerate(lines, start=1)
        ]
        self.lines += lines
        return 200, {}, b"".join(json.dumps(each).encode() + b"\n" for each in told)


@contextmanager
def talking() -> Iterator[TalkingInstallation]:
    state = TalkingInstallation()

    class Installation(Handler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer("GET", b"")

        def do_POST(self) -> None:
            self._answer("POST", self.read_body())

        def _answer(self, method: str, body: bytes) -> None:
            asked = Asked(method, self.path, dict(self.headers.items()), body)
            state.asked.append(asked)
            status, headers, answer = state.answer(asked)
            if not status:
                self.close_connection = True
                return
            self.answer(status, answer, headers)

    with served(Installation) as state.url:
        yield state


@contextmanager
def absent() -> Iterator[str]:
    """The address of a port at which nobody listens, and nobody can meanwhile."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"
