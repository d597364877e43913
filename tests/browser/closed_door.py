"""A server before an Inspector that nobody runs just now: it says so to all, and knows no sites."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.http_server import Handler, served

TOLD = b'{"error":{"code":"unavailable","message":"nobody is there","request_id":"r"}}'


class Refuse(Handler):
    def do_GET(self) -> None:
        self.read_body()
        self.answer(503, TOLD, {"Content-Type": "application/json"})

    do_POST = do_OPTIONS = do_GET


@contextmanager
def closed_door() -> Iterator[str]:
    """Yield its address."""
    with served(Refuse) as address:
        yield address
