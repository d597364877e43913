"""Streams of which every chunk says when it was sent: the provider that sends them, and clients.

    python3 bench/timestamped_streams.py PORT [--chunks 200] [--every 0.005]

Both ends run on one machine, so the monotonic clock is the same and the way of each chunk is known
exactly. They are bare protocols of asyncio on uvloop: what lies between them is to be the slower
one. Run as a program this is the provider: it answers any POST with a stream, any GET with nothing.
"""

import argparse
import asyncio
import gc
import re
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

import uvloop
from load import HOST, is_whole

CHUNKS, EVERY_SECONDS = 200, 0.005
HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n"
)
BEGIN = (
    b'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,'
    b'"model":"stamped","choices":[{"index":0,"delta":{"role":"assistant","content":"@'
)
END = b'@"},"finish_reason":null}]}\n\n'
STAMP_DIGITS = 17
STAMP = re.compile(rb"@(\d{%d})@" % STAMP_DIGITS)
LONGEST_STAMP = STAMP_DIGITS + 2
FRAME = b"%x\r\n%s%%0%dd%s\r\n" % (len(BEGIN) + STAMP_DIGITS + len(END), BEGIN, STAMP_DIGITS, END)
LAST_EVENTS = (
    b'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,'
    b'"model":"stamped","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
    b"data: [DONE]\n\n"
)
LAST = b"%x\r\n%s\r\n0\r\n\r\n" % (len(LAST_EVENTS), LAST_EVENTS)
BODY_END = b"0\r\n\r\n"
BODY = (
    b'{"model":"stamped","stream":true,'
    b'"messages":[{"role":"user","content":"Count, and say when you counted."}]}'
)
STREAM_WITHIN_SECONDS = 120.0


# -- the provider ---------------------------------------------------------------------------------


class StampedProvider(asyncio.Protocol):
    """Answers each request with chunks at a constant pace, each with its time of sending."""

    def __init__(self, chunks: int, every_seconds: float) -> None:
        self._chunks, self._every_seconds = chunks, every_seconds
        self._loop = asyncio.get_running_loop()
        self._request = bytearray()
        self._sent, self._began_at = 0, 0.0
        self._next: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Those of uvloop are none by their class.
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        if data.startswith(b"GET "):
            self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            return
        self._request += data
        if is_whole(self._request):
            self._request.clear()
            self._sent, self._began_at = 0, self._loop.time()
            self._transport.write(HEAD)
            self._send()

    def _send(self) -> None:
        self._transport.write(FRAME % time.monotonic_ns())
        self._sent += 1
        if self._sent < self._chunks:
            due = self._began_at + self._sent * self._every_seconds
            self._next = self._loop.call_at(due, self._send)
        else:
            self._transport.write(LAST)

    def connection_lost(self, error: Exception | None) -> None:
        if self._next:
            self._next.cancel()


async def provide(port: int, chunks: int, every_seconds: float) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: StampedProvider(chunks, every_seconds), HOST, port, backlog=1024
    )
    ended = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, ended.set)
    async with server:
        await ended.wait()


# -- clients --------------------------------------------------------------------------------------


@dataclass(slots=True)
class Streams:
    """Times that clients saw of the streams that came whole."""

    first_seconds: list[float] = field(default_factory=list)
    """From the request until the first chunk."""
    seconds: list[float] = field(default_factory=list)
    delays_ns: list[int] = field(default_factory=list)
    """Delay of each chunk, from its sending."""
    lost: int = 0
    why_lost: str = ""


class StampedClient(asyncio.Protocol):
    """One kept connection, with one stream at a time."""

    def __init__(self, request: bytes, chunks: int, into: Streams) -> None:
        self._request, self._chunks, self._into = request, chunks, into
        self._transport: asyncio.Transport | None = None
        self._ended: asyncio.Future[None] | None = None

    async def stream(self, port: int) -> None:
        """Anything but a whole stream counts as lost."""
        loop = asyncio.get_running_loop()
        try:
            if self._transport is None:
                self._transport, _ = await loop.create_connection(lambda: self, HOST, port)
            await asyncio.wait_for(self._stream(loop), STREAM_WITHIN_SECONDS)
        except (OSError, TimeoutError) as error:
            self._into.lost += 1
            self._into.why_lost = str(error) or type(error).__name__
            self.close()

    async def _stream(self, loop: asyncio.AbstractEventLoop) -> None:
        assert self._transport
        self._rest, self._seen, self._delays = b"", 0, list[int]()
        self._ended = loop.create_future()
        self._sent_ns = time.monotonic_ns()
        self._transport.write(self._request)
        await self._ended
        self._into.delays_ns += self._delays

    def data_received(self, data: bytes) -> None:
        now = time.monotonic_ns()
        found = self._rest + data
        after = 0
        for stamp in STAMP.finditer(found):
            self._delays.append(now - int(stamp[1]))
            after = stamp.end()
        if after and not self._seen:
            self._into.first_seconds.append((now - self._sent_ns) / 1e9)
        self._seen = len(self._delays)
        if found.endswith(BODY_END):
            self._end(found, now)
        self._rest = found[max(after, len(found) - LONGEST_STAMP) :]

    def _end(self, found: bytes, now: int) -> None:
        if self._ended is None or self._ended.done():
            return
        if self._seen == self._chunks:
            self._into.seconds.append((now - self._sent_ns) / 1e9)
            self._ended.set_result(None)
        else:
            self._ended.set_exception(OSError(f"{self._seen} chunks, then {found[-300:]!r}"))

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        if self._ended and not self._ended.done():
            self._ended.set_exception(error or ConnectionResetError("the connection was closed"))

    def close(self) -> None:
        if self._transport:
            self._transport.abort()
            self._transport = None


def post(path: str, key: str = "") -> bytes:
    authorization = f"Authorization: Bearer {key}\r\n" if key else ""
    return (
        f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\n"
        f"{authorization}Content-Length: {len(BODY)}\r\n\r\n"
    ).encode() + BODY


async def streams(port: int, requests: Sequence[bytes], each: int, chunks: int = CHUNKS) -> Streams:
    """Return a client for each request, with so many streams one after the other.

    They begin one after the other over the time of one stream, so that they are as far apart as
    clients are who know nothing of each other.
    """
    into = Streams()
    apart_seconds = CHUNKS * EVERY_SECONDS / len(requests)

    async def client(number: int, request: bytes) -> None:
        await asyncio.sleep(number * apart_seconds)
        connection = StampedClient(request, chunks, into)
        for _ in range(each):
            await connection.stream(port)
        connection.close()

    gc.collect()
    gc.disable()
    try:
        await asyncio.gather(*(client(*each) for each in enumerate(requests)))
    finally:
        gc.enable()
    return into


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("port", type=int)
    parser.add_argument("--chunks", type=int, default=CHUNKS)
    parser.add_argument("--every", type=float, default=EVERY_SECONDS, help="seconds")
    asked = parser.parse_args()
    gc.disable()
    uvloop.run(provide(asked.port, asked.chunks, asked.every))


if __name__ == "__main__":
    main()
