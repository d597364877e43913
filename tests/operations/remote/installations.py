"""An installation that answers as a test tells it, and one that does not answer."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

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
def served(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """The address at which the handler answers."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as listening:
        listening.daemon_threads = True
        Thread(target=listening.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{listening.server_port}"
        finally:
            listening.shutdown()


@contextmanager
def talking() -> Iterator[TalkingInstallation]:
    state = TalkingInstallation()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer("GET", b"")

        def do_POST(self) -> None:
            self._answer("POST", self.rfile.read(int(self.headers["Content-Length"])))

        def _answer(self, method: str, body: bytes) -> None:
            asked = Asked(method, self.path, dict(self.headers.items()), body)
            state.asked.append(asked)
            status, headers, answer = state.answer(asked)
            if not status:
                self.close_connection = True
                return
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(answer))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *args: Any) -> None:
            return

    with served(Handler) as state.url:
        yield state


@contextmanager
def absent() -> Iterator[str]:
    """The address of a port at which nobody listens, and nobody can meanwhile."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"
