"""A site of somebody else, and the provider that its page calls: a stream, piece by piece."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PIECES = (
    b'data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m-1","choices":[{"index":0,"delta":{"role":"assistant","content":"H\xc3\xa9"},"finish_reason":null}]}\n\n',
    b'data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m-1","choices":[{"index":0,"delta":{"content":"llo"},"finish_reason":"stop"}]}\n\n',
    b"data: [DONE]\n\n",
)


@dataclass
class StreamingSite:
    """``go`` lets the next piece pass; what is sent with a call stands in ``authorizations``."""

    origin: str = ""
    page: str = "<!doctype html><title>Shop</title>"
    go: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(len(PIECES)))
    authorizations: list[str] = field(default_factory=list)


@contextmanager
def streaming_site() -> Iterator[StreamingSite]:
    site = StreamingSite()
    answer = type("Answer", (SiteAnswer,), {"site": site})
    with ThreadingHTTPServer(("127.0.0.1", 0), answer) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        site.origin = f"http://127.0.0.1:{server.server_port}"
        yield site
        server.shutdown()
        thread.join()


class SiteAnswer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    site: StreamingSite

    def do_GET(self) -> None:
        if self.path == "/":
            self.whole("text/html; charset=utf-8", self.site.page.encode())
        elif self.path == "/events":
            self.stream()
        else:
            self.whole("text/plain", b"")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.site.authorizations.append(self.headers.get("Authorization", ""))
        self.stream()

    def stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in PIECES:
            self.site.go.acquire()
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def whole(self, content_type: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass
