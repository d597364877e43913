"""A server before an Inspector that nobody runs just now: it says so to all, and knows no sites."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

TOLD = b'{"error":{"code":"unavailable","message":"nobody is there","request_id":"r"}}'


class Refuse(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(503)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(TOLD)))
        self.end_headers()
        self.wfile.write(TOLD)

    do_POST = do_OPTIONS = do_GET

    def log_message(self, *_: Any) -> None:
        """Tests say what they saw themselves."""


@contextmanager
def closed_door() -> Iterator[str]:
    """Its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Refuse)
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
