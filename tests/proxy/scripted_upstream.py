"""An upstream that does on the wire exactly what a script says.

    with ScriptedUpstream(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n", gate, b"ok") as upstream:
        ...                          # upstream.url is its address
        request = upstream.request() # the next request that came, whole
        gate.reached()               # waits until the script is there
        gate.open()                  # and lets it go on

A script is a sequence of steps, played anew for each request: ``bytes`` are sent as they are, a
``Gate`` waits for the test, ``RESET`` ends the connection with an RST, ``CLOSE`` with a FIN.
Without one of these the connection stays open for a next request. ``answer`` sets another script
for the requests that come from then on. ``READ_NO_BODY`` as the first step answers as soon as the
request's head is there, and takes nothing of its body.

With ``certificate`` and ``key`` it speaks TLS.

``ended()`` waits for the next end of a connection that the other side brought about, and returns
how it ended: "closed" or "reset". It is a server of asyncio in a thread of its own, so that scripts
can be as many and as slow as a test wants.
"""

import asyncio
import socket
import ssl
import struct
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from queue import Queue
from typing import Self

WAIT_SECONDS = 60.0
"""Far more than anything waited for takes; a test that waits so long has failed."""
MAX_HEAD_BYTES = 1 << 20


class Then(Enum):
    CLOSE = "close"
    RESET = "reset"
    READ_NO_BODY = "read no body"


CLOSE, RESET, READ_NO_BODY = Then.CLOSE, Then.RESET, Then.READ_NO_BODY


class Gate:
    """Holds a script until the test opens it; open for good then."""

    def __init__(self) -> None:
        self._reached = threading.Event()
        self._opened = threading.Event()
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
        self._lock = threading.Lock()

    def open(self) -> None:
        with self._lock:
            self._opened.set()
            for loop, event in self._waiting:
                loop.call_soon_threadsafe(event.set)

    def reached(self) -> None:
        assert self._reached.wait(WAIT_SECONDS), "the script did not come so far"

    async def passed(self) -> None:
        event = asyncio.Event()
        with self._lock:
            if self._opened.is_set():
                event.set()
            self._waiting.append((asyncio.get_running_loop(), event))
        self._reached.set()
        await event.wait()


Step = bytes | Gate | Then
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A request as it came: ``head`` are its bytes up to the empty line."""

    head: bytes
    body: bytes

    @property
    def target(self) -> str:
        return self.head.split(b" ", 2)[1].decode()

    @property
    def headers(self) -> list[tuple[str, str]]:
        lines = self.head.decode("latin-1").split("\r\n")[1:]
        return [
            (name.lower(), value.strip()) for name, _, value in (x.partition(":") for x in lines)
        ]

    def header(self, name: str) -> list[str]:
        return [value for each, value in self.headers if each == name]


class ScriptedUpstream:
    def __init__(
        self, *script: Step, certificate: Path | None = None, key: Path | None = None
    ) -> None:
        self._script: Sequence[Step] = script
        self._tls: ssl.SSLContext | None = None
        if certificate is not None:
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._tls.load_cert_chain(certificate, key)
        self._requests: Queue[ReceivedRequest] = Queue()
        self._ended: Queue[str] = Queue()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._tasks: set[asyncio.Task[None]] = set()
        self.connections = 0
        """How many were ever made."""
        self.open_connections = 0
        self.port = 0

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    def answer(self, *script: Step) -> None:
        self._script = script

    def request(self) -> ReceivedRequest:
        return self._requests.get(timeout=WAIT_SECONDS)

    def ended(self) -> str:
        return self._ended.get(timeout=WAIT_SECONDS)

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(WAIT_SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(WAIT_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(WAIT_SECONDS)
        self._loop.close()

    async def _start(self) -> None:
        self._server = await self._loop.create_server(
            lambda: _Connection(self._serve), "127.0.0.1", 0, backlog=1024, ssl=self._tls
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def _stop(self) -> None:
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        self.open_connections += 1
        try:
            while not await self._converse(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            self._ended.put("reset" if isinstance(error, ConnectionError) else "closed")
        except asyncio.CancelledError:
            pass
        finally:
            self._tasks.discard(task)
            self.open_connections -= 1
            writer.transport.abort()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and what is answered. True if the script then ended the connection."""
        head = await _head(reader)
        script = self._script
        if READ_NO_BODY in script:
            # Or else the reader would take a good part of it.
            writer.transport.pause_reading()
            request = ReceivedRequest(head, b"")
        else:
            request = await _with_body(head, reader)
        self._requests.put(request)
        return await _play(script, writer)


class _Connection(asyncio.StreamReaderProtocol):
    """A connection that says when the other side has ended it, while nobody reads."""

    def __init__(self, serve: Serve) -> None:
        super().__init__(asyncio.StreamReader(limit=MAX_HEAD_BYTES), serve)
        self.end: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def eof_received(self) -> bool:
        self._end(asyncio.IncompleteReadError(b"", None))
        return bool(super().eof_received())

    def connection_lost(self, error: Exception | None) -> None:
        self._end(error or asyncio.IncompleteReadError(b"", None))
        super().connection_lost(error)

    def _end(self, error: Exception) -> None:
        if not self.end.done():
            self.end.set_exception(error)
            # Asked for only while a script waits.
            self.end.exception()


async def _head(reader: asyncio.StreamReader) -> bytes:
    return (await reader.readuntil(b"\r\n\r\n")).removesuffix(b"\r\n\r\n")


async def _with_body(head: bytes, reader: asyncio.StreamReader) -> ReceivedRequest:
    request = ReceivedRequest(head, b"")
    if request.header("transfer-encoding"):
        return ReceivedRequest(head, await _chunks(reader))
    length = request.header("content-length") or ["0"]
    return ReceivedRequest(head, await reader.readexactly(int(length[0])))


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    pieces = []
    while True:
        size = int((await reader.readuntil(b"\r\n")).split(b";")[0], 16)
        pieces.append(await reader.readexactly(size))
        await reader.readexactly(2)
        if not size:
            return b"".join(pieces)


async def _play(script: Sequence[Step], writer: asyncio.StreamWriter) -> bool:
    """True if the script ended the connection. Raises if the other side did."""
    connection = writer.transport.get_protocol()
    assert isinstance(connection, _Connection)
    for step in script:
        match step:
            case bytes():
                writer.write(step)
                await writer.drain()
            case Gate():
                await _pass(step, connection)
            case Then.RESET:
                _reset(writer)
                return True
            case Then.CLOSE:
                writer.close()
                with suppress(ConnectionError):
                    await writer.wait_closed()
                return True
    return False


async def _pass(gate: Gate, connection: _Connection) -> None:
    passing = asyncio.ensure_future(gate.passed())
    try:
        await asyncio.wait([passing, connection.end], return_when=asyncio.FIRST_COMPLETED)
        if not passing.done():
            connection.end.result()
    finally:
        passing.cancel()


def _reset(writer: asyncio.StreamWriter) -> None:
    wire = writer.get_extra_info("socket")
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
