"""The RSGI entry point of web, for clients that connect directly: no thread waits for a request to
arrive.

A client that announces a body and does not send it costs a coroutine. Small bodies are read whole
before a thread handles the request; larger ones are read by the thread of an admitted request
(``client_timeout``). Behind nginx, which buffers bodies itself, web is served by ``wsgi``.

The server's own WSGI would not do: a read that still waits when its request is answered holds up
the whole process until the client ends it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from io import BytesIO, UnsupportedOperation
from typing import Any, Protocol

from django.conf import settings

from inspector.web.client_timeout import allowed_seconds
from inspector.web.turns import Application, Turns
from inspector.wsgi import django

SMALL_BYTES = 64 * 1024
"""Bytes that may wait in memory for a thread; of a larger body only what a thread reads."""
PIECE_BYTES = 64 * 1024
"""A stream of short lines is sent by few writes, each a step of the event loop."""
# A response made piece by piece is sent at once up to this length.
BUFFERED_BODY_BYTES = 1 << 20
UNREAD_BYTES = 64 << 20
"""Twice the largest body, as in `api.middleware`."""
UNREAD_SECONDS = 2.0
"""Seconds for the rest of a body that nobody reads; then the connection is closed."""
# Seconds for a client to take one piece of a longer response.
TAKEN_SECONDS = 30.0

Headers = list[tuple[str, str]]


class RsgiScope(Protocol):
    """The part of the server's scope used here (RSGI specification)."""

    http_version: str
    server: str
    client: str
    scheme: str
    method: str
    path: str
    query_string: str
    authority: str | None
    headers: Any


class RsgiApplication:
    """Runs a WSGI application behind the RSGI interface."""

    def __init__(self, application: Application, threads: int, turns: int) -> None:
        self._application = Turns(application, turns, threads)
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="web")

    async def __rsgi__(self, scope: RsgiScope, proto: Any) -> None:
        loop = asyncio.get_running_loop()
        environ = environ_of(scope)
        body = StreamedRequestBody(proto, loop)
        length = content_length(environ)
        if length is not None and length <= SMALL_BYTES:
            environ["wsgi.input"] = await body.whole(allowed_seconds(length))
        else:
            environ["wsgi.input"] = body
        answer = RsgiResponse(proto, loop)
        try:
            await loop.run_in_executor(self._threads, self._work, environ, answer)
            # A client that expects ``100 Continue`` sends no body before it is asked for one.
            if length and "HTTP_EXPECT" not in environ:
                await body.pass_over()
            answer.finish()
        finally:
            body.close()

    def _work(self, environ: dict[str, Any], answer: RsgiResponse) -> None:
        found = self._application(environ, answer.start)
        try:
            answer.send(found)
        finally:
            if hasattr(found, "close"):
                found.close()


class RequestInput:
    """Django reads pieces, and looks whether lines could be read."""

    def read(self, size: int = -1) -> bytes:
        raise NotImplementedError

    def readline(self, size: int = -1) -> bytes:
        raise UnsupportedOperation


class StreamedRequestBody(RequestInput):
    """A body read by a thread as it arrives. A waiting read ends with its request."""

    def __init__(self, proto: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._pieces = aiter(proto)
        self._loop = loop
        self._rest = b""
        self._waits: Future[bytes] | None = None
        self._is_at_end = False

    async def whole(self, seconds: float) -> BytesIO | TimedOutRequestBody:
        pieces = []
        try:
            async with asyncio.timeout(seconds):
                while piece := await self._next():
                    pieces.append(piece)
        except TimeoutError:
            self._is_at_end = True
            return TimedOutRequestBody()
        return BytesIO(b"".join(pieces))

    def read(self, size: int = -1) -> bytes:
        """Read ``size`` bytes; fewer only at the end of the body or of the connection."""
        pieces, length = [self._rest], len(self._rest)
        while (size < 0 or length < size) and (piece := self._awaited()):
            pieces.append(piece)
            length += len(piece)
        found = b"".join(pieces)
        end = length if size < 0 else size
        self._rest = found[end:]
        return found[:end]

    async def pass_over(self) -> None:
        """Take in the rest of the body: a client still sending would see a closed connection."""
        # Bounded in bytes and in time: a client that never stops sending is cut off after all.
        left = UNREAD_BYTES
        if self._waits is not None:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(UNREAD_SECONDS):
                while left > 0 and (piece := await self._next()):
                    left -= len(piece)

    def close(self) -> None:
        self._is_at_end = True
        if self._waits is not None:
            self._waits.cancel()

    def _awaited(self) -> bytes:
        # Remembered, so that ``close`` can cancel a read that waits for a client.
        self._waits = asyncio.run_coroutine_threadsafe(self._next(), self._loop)
        try:
            return self._waits.result()
        except CancelledError as error:
            raise ConnectionAbortedError from error
        finally:
            self._waits = None

    async def _next(self) -> bytes:
        """Return the next piece of the body; empty at its end."""
        while not self._is_at_end:
            try:
                if piece := await anext(self._pieces):
                    return bytes(piece)
            except (StopAsyncIteration, OSError, RuntimeError):
                break
        self._is_at_end = True
        return b""


class TimedOutRequestBody(RequestInput):
    """A body that did not come in time."""

    def read(self, size: int = -1) -> bytes:
        raise TimeoutError


class RsgiResponse:
    """A response that a thread produces."""

    def __init__(self, proto: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._proto = proto
        self._loop = loop
        self._status = 500
        self._headers: Headers = []
        self._whole: bytes | None = b""

    def start(self, status: str, headers: Headers, exc_info: Any = None) -> None:
        self._status, self._headers = int(status[:3]), headers

    def send(self, pieces: Iterable[bytes]) -> None:
        if not getattr(pieces, "streaming", False):
            self._whole = b"".join(pieces)
            return
        buffer = bytearray()
        stream: Any = None
        for piece in pieces:
            buffer += piece
            if len(buffer) > (PIECE_BYTES if stream else BUFFERED_BODY_BYTES):
                stream = stream or self._proto.response_stream(self._status, self._headers)
                self._taken(stream, bytes(buffer))
                buffer.clear()
        self._whole = None if stream else bytes(buffer)
        if stream and buffer:
            self._taken(stream, bytes(buffer))

    def finish(self) -> None:
        if self._whole is not None:
            self._proto.response_bytes(self._status, self._headers, self._whole)

    def _taken(self, stream: Any, piece: bytes) -> None:
        async def sent() -> None:
            async with asyncio.timeout(TAKEN_SECONDS):
                await stream.send_bytes(piece)

        # Waits until the client took the piece, so that a slow one does not fill the memory.
        asyncio.run_coroutine_threadsafe(sent(), self._loop).result()


def environ_of(scope: RsgiScope) -> dict[str, Any]:
    """Return the WSGI environ; headers with an underscore, which collide with others, go."""
    name, port = split_address(scope.server)
    environ = {
        "REQUEST_METHOD": scope.method,
        "SCRIPT_NAME": "",
        # WSGI carries bytes as latin-1 text (PEP 3333); Django decodes them back to UTF-8.
        "PATH_INFO": scope.path.encode().decode("latin-1"),
        "QUERY_STRING": scope.query_string,
        "SERVER_NAME": name,
        "SERVER_PORT": port,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "REMOTE_ADDR": split_address(scope.client)[0],
        "wsgi.url_scheme": scope.scheme,
        "wsgi.version": (1, 0),
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        "inspector.passes_over": True,
    }
    if scope.authority is not None:
        environ["HTTP_HOST"] = scope.authority
    for header in [name for name in scope.headers.keys() if "_" not in name]:  # noqa: SIM118
        environ[environ_name(header)] = ",".join(scope.headers.get_all(header))
    return environ


def environ_name(header: str) -> str:
    name = header.upper().replace("-", "_")
    return name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}"


def split_address(address: str) -> tuple[str, str]:
    host, _, port = address.rpartition(":")
    return host.strip("[]"), port


def content_length(environ: dict[str, Any]) -> int | None:
    text: str = environ.get("CONTENT_LENGTH", "")
    # ``int`` also takes signs, spaces and other digits; RFC 9110 allows ASCII digits alone.
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else None


application = RsgiApplication(django, settings.WEB_THREADS, settings.WEB_TURNS)
