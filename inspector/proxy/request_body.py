"""Reads the body of a request that the proxy itself answers, within bounds of size, time and
memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from enum import Enum

from inspector.proxy.asgi import CallerGone, Receive


class BodyRefusal(Enum):
    """Why a body was not read to its end."""

    TOO_LARGE = "too-large"
    TOO_SLOW = "too-slow"
    NO_ROOM = "no-room"
    """Bodies of other requests fill the memory that is for them."""


class BodyShare:
    """The memory that one request's body takes."""

    def __init__(self, room: BodyRoom) -> None:
        self._room = room
        self.taken_bytes = 0

    def take(self, size: int) -> bool:
        is_taken = size <= self._room.left_bytes
        if is_taken:
            self._room.left_bytes -= size
            self.taken_bytes += size
        return is_taken

    def release(self) -> None:
        """The body is needed no more."""
        self._room.left_bytes += self.taken_bytes
        self.taken_bytes = 0


class BodyRoom:
    """The memory that bodies may take together until they are answered."""

    def __init__(self, left_bytes: int) -> None:
        self.left_bytes = left_bytes

    @contextmanager
    def share(self) -> Iterator[BodyShare]:
        share = BodyShare(self)
        try:
            yield share
        finally:
            share.release()


async def read_body(
    receive: Receive, share: BodyShare, most_bytes: int, seconds: float
) -> bytes | BodyRefusal:
    """Raises ``CallerGone``."""
    pieces: list[bytes] = []
    try:
        async with asyncio.timeout(seconds):
            async for piece in _pieces(receive):
                if share.taken_bytes + len(piece) > most_bytes:
                    return BodyRefusal.TOO_LARGE
                if not share.take(len(piece)):
                    return BodyRefusal.NO_ROOM
                pieces.append(piece)
    except TimeoutError:
        return BodyRefusal.TOO_SLOW
    return b"".join(pieces)


async def pass_over_body(receive: Receive, most_bytes: int, seconds: float) -> BodyRefusal | None:
    """Reads it to its end and keeps nothing. Raises ``CallerGone``."""
    size = 0
    try:
        async with asyncio.timeout(seconds):
            async for piece in _pieces(receive):
                size += len(piece)
                if size > most_bytes:
                    return BodyRefusal.TOO_LARGE
    except TimeoutError:
        return BodyRefusal.TOO_SLOW
    return None


async def _pieces(receive: Receive) -> AsyncIterator[bytes]:
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise CallerGone
        yield message["body"]
        if not message["more_body"]:
            return
