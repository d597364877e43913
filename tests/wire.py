"""Bytes to a server and what it says to them, where a client would not send such a request."""

import re
import socket
from contextlib import suppress

MAX_BYTES = 1 << 16


def ask(port: int, *request: bytes) -> list[tuple[int, str]]:
    """Status and error code of everything that is answered until the connection ends."""
    with connected(port) as wire:
        # An answer may come, and the connection end, while the request is still being sent.
        with suppress(OSError):
            for part in request:
                wire.sendall(part)
        return told(wire)


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=120)


def told(wire: socket.socket) -> list[tuple[int, str]]:
    answers = b""
    with suppress(ConnectionError):
        while len(answers) < MAX_BYTES and (piece := wire.recv(MAX_BYTES)):
            answers += piece
    each = [one for one in re.split(rb"(?=HTTP/1\.1 \d{3} )", answers) if one]
    codes = [re.search(rb'"code":"(\w+)"', one) for one in each]
    return [
        (int(one[9:12]), code[1].decode() if code else "")
        for one, code in zip(each, codes, strict=True)
    ]
