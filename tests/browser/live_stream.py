"""A live stream as the proxy serves it, of what a test lets come."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import msgspec

from inspector.core.reading import Reading
from inspector.core.so_far import START
from inspector.core.wire.exchange import Exchange, MeasuredBy, Read, TransportOutcome
from tests.archive.samples import SSE

SECONDS = 30
OPEN = Exchange(
    reads=(), content_type=SSE, outcome=TransportOutcome.OPEN, measured_by=MeasuredBy.PROXY
)


class LiveStream:
    """Everybody who connects gets the whole so far, then what comes."""

    def __init__(self) -> None:
        self.reading = Reading(OPEN)
        self.connections = 0
        self._watchers: list[queue.Queue[bytes | None]] = []
        self._position = START
        self._now_us = 0

    def comes(self, at_us: int, text: str, now_us: int | None = None) -> None:
        """A read arrives, and is told ``now_us`` after the request."""
        self.reading.feed(Read(at_us, text.encode()))
        self._now_us = now_us or at_us
        self._tell(self._append())

    def passes(self, now_us: int) -> None:
        """Time passes, and nothing else comes."""
        self._now_us = now_us
        self._tell(self._append())

    def ends(self) -> None:
        self._tell(b"event: end\ndata: {}\n\n")

    def breaks(self) -> None:
        """The connections of all who watch are closed."""
        self._tell(None)
        self._watchers.clear()

    def watch(self) -> queue.Queue[bytes | None]:
        self.connections += 1
        made: queue.Queue[bytes | None] = queue.Queue()
        self._position = START
        made.put(self._append())
        self._watchers.append(made)
        return made

    def _tell(self, data: bytes | None) -> None:
        for each in self._watchers:
            each.put(data)

    def _append(self) -> bytes:
        columns = msgspec.structs.asdict(self.reading.so_far(self._position))
        self._position = columns.pop("position")
        columns["now_us"] = self._now_us
        return b"event: append\ndata: " + msgspec.json.encode(columns) + b"\n\n"


@contextmanager
def served(stream: LiveStream) -> Iterator[str]:
    """The origin at which it is to be had."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", SSE)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()
            watched = stream.watch()
            while (data := watched.get(timeout=SECONDS)) is not None:
                self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Nothing is written down."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        stream.breaks()
        server.shutdown()
        server.server_close()
        thread.join()
