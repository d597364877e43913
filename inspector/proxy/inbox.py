"""Messages of the proxy to a child, as the child's process receives them."""

import socket
from collections.abc import Iterator

from inspector.proxy.frames import PayloadSplitter

RECEIVE_BYTES = 1 << 20
"""Two frames (`recorder_link.FRAME_BYTES`) in one system call."""


def payloads(connection: socket.socket) -> Iterator[bytes]:
    """Yield payloads until the proxy is gone. Raises ``ValueError`` for what is no frame."""
    splitter = PayloadSplitter()
    while data := _received(connection):
        yield from splitter.feed(data)


def _received(connection: socket.socket) -> bytes:
    """Empty where the proxy is gone."""
    try:
        return connection.recv(RECEIVE_BYTES)
    except OSError:
        return b""
