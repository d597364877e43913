"""An upstream that gives canned answers and keeps account of what it was sent and what it sent.

The first segment of a path is the case: a client's name and a situation, joined by ``-``.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from callers.answers import CannedAnswer, answer_to

HOST = "127.0.0.1"
BETWEEN_PIECES_SECONDS = 0.002
"""So that pieces are reads of their own."""


@dataclass(slots=True)
class ServedCall:
    case: str
    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    sent: bytearray = field(default_factory=bytearray)
    is_left: asyncio.Event = field(default_factory=asyncio.Event)
    """The other side closed before the answer was whole."""


@dataclass(slots=True)
class CannedUpstream:
    port: int = 0
    calls: dict[str, list[ServedCall]] = field(default_factory=dict)
    _open: dict[asyncio.Task[None], asyncio.StreamWriter] = field(default_factory=dict)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open[task] = writer
        task.add_done_callback(self._open.pop)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                call = await read_call(head.decode("latin-1"), reader)
                self.calls.setdefault(call.case, []).append(call)
                situation = call.case.rpartition("-")[2]
                await give(call, answer_to(call.path, situation), reader, writer)
        writer.close()

    async def close(self) -> None:
        """Ends what a client or the proxy keeps open for later calls."""
        for writer in self._open.values():
            writer.transport.abort()
        await asyncio.gather(*self._open)


async def read_call(head: str, reader: asyncio.StreamReader) -> ServedCall:
    request_line, *lines = head.strip().split("\r\n")
    method, path, _ = request_line.split(" ")
    headers = dict(_pair(line) for line in lines)
    body = await _body(headers, reader)
    return ServedCall(path.split("/")[1], method, path, headers, body)


def _pair(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.lower(), value.strip()


async def _body(headers: dict[str, str], reader: asyncio.StreamReader) -> bytes:
    if headers.get("transfer-encoding") != "chunked":
        return await reader.readexactly(int(headers.get("content-length", "0")))
    body = b""
    while size := int(await reader.readline(), 16):
        body += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return body


async def give(
    call: ServedCall,
    answer: CannedAnswer,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    writer.write(
        f"HTTP/1.1 {answer.status}\r\nContent-Type: {answer.content_type}\r\n"
        f"X-Request-Id: {call.case}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    )
    for piece in answer.pieces:
        call.sent += piece
        writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        try:
            await writer.drain()
        except ConnectionError:
            call.is_left.set()
            raise
        await asyncio.sleep(BETWEEN_PIECES_SECONDS)
    if answer.is_held:
        with suppress(ConnectionError):
            await reader.read(1)
        call.is_left.set()
        raise ConnectionResetError
    if answer.is_cut:
        raise ConnectionResetError
    writer.write(b"0\r\n\r\n")
    await writer.drain()


@asynccontextmanager
async def canned_upstream() -> AsyncIterator[CannedUpstream]:
    upstream = CannedUpstream()
    server = await asyncio.start_server(upstream.serve, HOST, 0)
    upstream.port = server.sockets[0].getsockname()[1]
    try:
        yield upstream
    finally:
        server.close()
        await upstream.close()
