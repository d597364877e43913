"""A line to a server that breaks when a test says so."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread

PIECE_BYTES = 1 << 16
NOTHING = 0
"""In place of a number of bytes: the connection is closed without an answer."""


@dataclass
class UnsteadyLine:
    """``breaks`` are the bytes of an answer after which the line breaks, one for each of the next
    questions; then it is steady.
    """

    port: int
    url: str = ""
    breaks: list[int] = field(default_factory=list)

    def carry(self, client: socket.socket) -> None:
        """One connection, until one of both sides or a break ends it."""
        with socket.create_connection(("127.0.0.1", self.port)) as server:
            while asked := client.recv(PIECE_BYTES):
                end = self.breaks.pop(0) if self.breaks else None
                if end != NOTHING:
                    server.sendall(asked)
                    client.sendall(whole_answer(server)[:end])
                if end is not None:
                    return


def whole_answer(server: socket.socket) -> bytes:
    """One answer of a connection that is kept."""
    found = b""
    while b"\r\n\r\n" not in found:
        found += server.recv(PIECE_BYTES)
    head, _, body = found.partition(b"\r\n\r\n")
    [length] = (
        int(line.partition(b":")[2])
        for line in head.lower().split(b"\r\n")
        if line.startswith(b"content-length:")
    )
    while len(body) < length:
        body += server.recv(PIECE_BYTES)
    return head + b"\r\n\r\n" + body


@contextmanager
def unsteady_line(port: int) -> Iterator[UnsteadyLine]:
    """To a server of this machine."""
    line = UnsteadyLine(port)

    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            line.carry(self.request)

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as listening:
        listening.daemon_threads = True
        Thread(target=listening.serve_forever, args=(0.01,), daemon=True).start()
        line.url = f"http://127.0.0.1:{listening.server_address[1]}"
        try:
            yield line
        finally:
            listening.shutdown()
