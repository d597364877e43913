"""A site of somebody else, at an origin of its own on loopback, with a strict policy of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass
class Site:
    """``body`` is what its one page shows. Nothing but ``inspector`` may be asked from there."""

    origin: str
    inspector: str
    body: str = ""
    asked: list[str] = field(default_factory=list)

    @property
    def policy(self) -> str:
        names = ("script-src", "connect-src", "form-action")
        return "; ".join(["default-src 'none'", *(f"{name} {self.inspector}" for name in names)])


@contextmanager
def foreign_site(inspector: str) -> Iterator[Site]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    site = Site(f"http://127.0.0.1:{server.server_port}", inspector)

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append(self.path)
            page = f'<!doctype html><html lang="en"><title>Answers</title><main><h1>Answers</h1>{site.body}</main>'.encode()
            self.send_response(200 if self.path == "/" else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Security-Policy", site.policy)
            self.end_headers()
            self.wfile.write(page if self.path == "/" else b"")

        def log_message(self, *_: Any) -> None:
            """Tests say what they saw themselves."""

    server.RequestHandlerClass = Answer
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
