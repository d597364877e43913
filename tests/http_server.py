"""Small HTTP servers on this machine, in place of somebody else's."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


class Handler(BaseHTTPRequestHandler):
    """One request, to be answered by the ``do_`` methods of a class below it."""

    def read_body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def answer(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def begin_stream(self, **headers: str) -> None:
        """Send the head of a stream, in chunks where the connection is kept."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        if self.protocol_version == "HTTP/1.1":
            self.send_header("Transfer-Encoding", "chunked")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def send_chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.wfile.flush()

    def end_stream(self) -> None:
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: Any) -> None:
        """Tests say what they saw themselves."""


@contextmanager
def served(handler: type[Handler], port: int = 0) -> Iterator[str]:
    """Yield the address at which the handler answers."""
    with ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        # What a client left open is not waited for.
        server.daemon_threads = True
        server.block_on_close = False
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def provider_of(stream: bytes) -> Iterator[str]:
    """Yield the address of a provider that answers each call with one stream."""

    class Provider(Handler):
        def do_POST(self) -> None:
            self.read_body()
            self.begin_stream()
            self.wfile.write(stream)

    with served(Provider) as url:
        yield url
