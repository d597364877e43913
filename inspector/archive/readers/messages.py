"""Messages between web and its reader processes. Both ends are our own code on a private socket."""

import socket
import struct
import time
from collections.abc import Callable
from enum import StrEnum
from typing import Any

import msgspec


class ReadingErrorCause(StrEnum):
    """Why something was not read here and now."""

    TOO_LARGE = "reading_too_large"
    TOO_LONG = "reading_too_long"
    BUSY = "readers_busy"
    TOO_MUCH = "too_much_to_read"
    BROKEN = "reading_failed"
    DELETED = "body_deleted"
    READ_AGAIN = "being_read_again"


class ReaderTask(msgspec.Struct, frozen=True):
    work: Callable[[Any], Any]
    """A pure function of a module, which is pickled as its name."""
    given: Any
    cpu_seconds: float
    memory_bytes: int
    """More than the process has already."""
    result_bytes: int
    """Most memory the result may take."""


class ReaderDone(msgspec.Struct, frozen=True):
    value: bytes
    """Pickled."""
    weight: int
    """Bytes that it takes in memory."""


class ReaderFailed(msgspec.Struct, frozen=True):
    cause: ReadingErrorCause
    words: str
    """May quote the payload: may be kept with the capture, must never be logged."""


ReaderReply = ReaderDone | ReaderFailed


_LENGTH = struct.Struct("!Q")


def send_message(to: socket.socket, message: bytes, seconds: float | None = None) -> None:
    """Raise ``OSError`` where the other end is closed, ``TimeoutError`` after ``seconds``."""
    to.settimeout(seconds)
    to.sendall(_LENGTH.pack(len(message)))
    to.sendall(message)


def receive_message(source: socket.socket, seconds: float | None = None) -> bytes:
    """Raise ``EOFError`` where the other end is closed, ``TimeoutError`` after the time limit."""
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
