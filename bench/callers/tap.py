"""A pipe between a client and the proxy that keeps what each of them sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import httptools

HOST = "127.0.0.1"
PIECE_BYTES = 65_536


@dataclass(slots=True)
class TappedAnswer:
    """What a client's socket brought it for one request, as far as it came."""

    path: str
    status: int
    body: bytes


@dataclass(slots=True)
class Connection:
    asked: bytearray = field(default_factory=bytearray)
    told: bytearray = field(default_factory=bytearray)

    def answers(self) -> Iterator[TappedAnswer]:
        yield from (
            TappedAnswer(path, status, bytes(body))
            for path, (status, body) in zip(
                _Requests.paths(self.asked), _Responses.read(self.told), strict=False
            )
        )


class _Requests:
    def __init__(self) -> None:
        self.found: list[str] = []

    def on_url(self, url: bytes) -> None:
        self.found.append(url.decode("latin-1"))

    @classmethod
    def paths(cls, data: bytearray) -> list[str]:
        reader = cls()
        httptools.HttpRequestParser(reader).feed_data(bytes(data))
        return reader.found


class _Responses:
    def __init__(self) -> None:
        self.found: list[tuple[int, bytearray]] = []
        self.parser = httptools.HttpResponseParser(self)

    def on_headers_complete(self) -> None:
        self.found.append((self.parser.get_status_code(), bytearray()))

    def on_body(self, data: bytes) -> None:
        self.found[-1][1].extend(data)

    @classmethod
    def read(cls, data: bytearray) -> list[tuple[int, bytearray]]:
        reader = cls()
        reader.parser.feed_data(bytes(data))
        return reader.found


@dataclass(slots=True)
class Tap:
    towards: int
    port: int = 0
    connections: list[Connection] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        kept = Connection()
        self.connections.append(kept)
        there, onwards = await asyncio.open_connection(HOST, self.towards)
        pipes = {
            asyncio.create_task(pump(reader, onwards, kept.asked)),
            asyncio.create_task(pump(there, writer, kept.told)),
        }
        # Whoever ends first: a caller that goes is to be seen on the other side at once.
        await asyncio.wait(pipes, return_when=asyncio.FIRST_COMPLETED)
        for end in (writer, onwards):
            end.close()
        await asyncio.wait(pipes)

    def answers(self) -> Iterator[TappedAnswer]:
        for connection in self.connections:
            yield from connection.answers()


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kept: bytearray) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(PIECE_BYTES):
            kept += data
            writer.write(data)
            await writer.drain()


@asynccontextmanager
async def tapped(towards: int) -> AsyncIterator[Tap]:
    tap = Tap(towards)
    server = await asyncio.start_server(tap.serve, HOST, 0)
    tap.port = server.sockets[0].getsockname()[1]
    try:
        yield tap
    finally:
        server.close()
