"""Length-prefixed messages over a socket between web and its reader processes."""

from __future__ import annotations

import socket
import struct
import time

_LENGTH = struct.Struct("!Q")


def send(to: socket.socket, message: bytes, seconds: float | None = None) -> None:
    """Raises ``OSError`` where the other end is closed, ``TimeoutError`` after ``seconds``."""
    to.settimeout(seconds)
    to.sendall(_LENGTH.pack(len(message)))
    to.sendall(message)


def receive(source: socket.socket, seconds: float | None = None) -> bytes:
    """Raises ``EOFError`` where the other end is closed, ``TimeoutError`` after the time limit."""
    end = None if seconds is None else time.monotonic() + seconds
    (length,) = _LENGTH.unpack(_exactly(source, _LENGTH.size, end))
    return _exactly(source, length, end)


def _exactly(source: socket.socket, length: int, end: float | None) -> bytes:
    message = bytearray(length)
    view, have = memoryview(message), 0
    while have < length:
        source.settimeout(_left(end))
        got = source.recv_into(view[have:])
        if not got:
            raise EOFError
        have += got
    return bytes(message)


def _left(end: float | None) -> float | None:
    if end is None:
        return None
    # A socket with a time-out of 0 does not block at all.
    return max(0.001, end - time.monotonic())
