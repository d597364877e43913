"""Load over HTTP/1.1 for servers on this machine: kept connections, each with one call at a time.

Requests are bytes that were made beforehand, so that little of the processor goes into sending.
"""

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count

HOST = "127.0.0.1"
ANSWER_WITHIN_SECONDS = 60.0
REFUSED = (429, 503)
REFUSED_REST_SECONDS = 0.2
MAX_REFUSALS = 100
"""In a row, over all connections: then the server has had enough chances."""


@dataclass(frozen=True, slots=True)
class Call:
    """``seconds`` counts from when the call was due; ``status`` is 0 where no answer came."""

    status: int
    seconds: float
    answered_at: float

    @property
    def accepted(self) -> bool:
        return 200 <= self.status < 300


def request(path: str, content_type: str, body: bytes, key: str = "") -> bytes:
    authorization = f"Authorization: Bearer {key}\r\n" if key else ""
    return (
        f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: {content_type}\r\n"
        f"{authorization}Content-Length: {len(body)}\r\n\r\n"
    ).encode() + body


class Connection(asyncio.Protocol):
    """Opened when it is first needed, and again after it was lost."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._transport: asyncio.Transport | None = None
        self._answer: asyncio.Future[int] | None = None
        self._read = bytearray()

    async def call(self, request: bytes, due: float | None = None) -> Call:
        due = time.monotonic() if due is None else due
        try:
            status = await asyncio.wait_for(self._call(request), ANSWER_WITHIN_SECONDS)
        except (OSError, TimeoutError):
            self.close()
            status = 0
        now = time.monotonic()
        return Call(status, now - due, now)

    async def _call(self, request: bytes) -> int:
        loop = asyncio.get_running_loop()
        if self._transport is None:
            self._transport, _ = await loop.create_connection(lambda: self, HOST, self._port)
        self._read.clear()
        self._answer = loop.create_future()
        self._transport.write(request)
        return await self._answer

    def data_received(self, data: bytes) -> None:
        self._read += data
        if self._answer and not self._answer.done() and is_whole(self._read):
            self._answer.set_result(int(self._read[9:12]))

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        if self._answer and not self._answer.done():
            self._answer.set_exception(error or ConnectionResetError())

    def close(self) -> None:
        if self._transport:
            self._transport.abort()
            self._transport = None


def is_whole(answer: bytearray) -> bool:
    """By its length, or by the last chunk where the answer comes in chunks."""
    end = answer.find(b"\r\n\r\n")
    if end < 0:
        return False
    head = bytes(answer[:end]).lower()
    at = head.find(b"\r\ncontent-length:")
    if at < 0:
        return answer.endswith(b"0\r\n\r\n")
    length = int(head[at + 17 :].split(b"\r\n", 1)[0])
    return len(answer) >= end + 4 + length


async def burst(port: int, requests: Sequence[bytes], clients: int) -> list[Call]:
    """Everything as fast as it is accepted; what was refused for now is sent again."""
    waiting, calls = list(reversed(requests)), []
    refused_in_a_row = 0

    async def client() -> None:
        nonlocal refused_in_a_row
        connection = Connection(port)
        while waiting and refused_in_a_row < MAX_REFUSALS:
            call = await connection.call(sent := waiting.pop())
            calls.append(call)
            refused_in_a_row = refused_in_a_row + 1 if call.status in REFUSED else 0
            if call.status in REFUSED:
                waiting.append(sent)
                await asyncio.sleep(REFUSED_REST_SECONDS)
        connection.close()

    await asyncio.gather(*(client() for _ in range(clients)))
    return calls


async def steady(
    port: int, requests: Iterable[bytes], rate: float, clients: int, calls: list[Call]
) -> None:
    """One call every ``1 / rate`` seconds, due whether or not the server keeps up."""
    started, numbers, requests = time.monotonic(), count(), iter(requests)

    async def client() -> None:
        connection = Connection(port)
        for sent in requests:
            due = started + next(numbers) / rate
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            calls.append(await connection.call(sent, due))
        connection.close()

    await asyncio.gather(*(client() for _ in range(clients)))
