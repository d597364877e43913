"""A site of somebody else, and the provider that its page calls: a stream, piece by piece."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.http_server import Handler, served

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
    with served(type("Answer", (SiteAnswer,), {"site": site})) as site.origin:
        yield site


class SiteAnswer(Handler):
    protocol_version = "HTTP/1.1"
    site: StreamingSite

    def do_GET(self) -> None:
        if self.path == "/":
            headers = {"Content-Type": "text/html; charset=utf-8"}
            self.answer(200, self.site.page.encode(), headers)
        elif self.path == "/events":
            self.stream()
        else:
            self.answer(200, b"", {"Content-Type": "text/plain"})

    def do_POST(self) -> None:
        self.read_body()
        self.site.authorizations.append(self.headers.get("Authorization", ""))
        self.stream()

    def stream(self) -> None:
        self.begin_stream()
        for piece in PIECES:
            self.site.go.acquire()
            self.send_chunk(piece)
        self.end_stream()
