"""A caller's connection: uvicorn's, with what a proxy must be strict about.

Whatever cannot be completed is cut and never ended; a caller that sends its request or takes its
response too slowly is let go; nothing of ours comes into a response that is on its way.
"""

import asyncio
import logging
import socket
import struct
from enum import Enum
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from inspector.proxy.asgi import CallerGone, Message, ResponseCut
from inspector.proxy.headers import is_websocket
from inspector.proxy.limits import KIB, ProxyLimits
from inspector.proxy.own_answers import OwnError, error_body

_LOGGER = logging.getLogger(__name__)

_RESET = struct.pack("ii", 1, 0)
MIN_BODY_BYTES = KIB
"""Bytes of a request in ``request_body_seconds``: who sends less is let go."""

HEAD_TOO_LARGE = OwnError(431, "request_head_too_large", "The request's headers are too large.")
TOO_SLOW = OwnError(408, "request_timeout", "The request came too slowly.")
NO_HTTP = OwnError(400, "bad_request", "What came is no HTTP/1.1.")


class HeadTooLarge(Exception):
    """The request's headers are larger than the limit."""


class ResponseFraming(Enum):
    """How the caller learns where the body ends."""

    NONE = "none"
    LENGTH = "length"
    CHUNKED = "chunked"
    CONNECTION = "connection"


class CallerCycle(RequestResponseCycle):
    """One request and its response."""

    _framing = ResponseFraming.NONE
    _left_bytes = 0

    async def run_asgi(self, app: Any) -> None:
        try:
            await app(self.scope, self.receive, self.send)
        except CallerGone:
            pass
        except ResponseCut:
            self.cut()
        except BaseException as error:
            _LOGGER.error("a call failed", exc_info=error)
            self.cut()
        finally:
            self.on_response = lambda: None

    def cut(self) -> None:
        if self._framing is ResponseFraming.CONNECTION:
            # An orderly close is how such a body ends.
            wire = self.transport.get_extra_info("socket")
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            self.transport.abort()
        else:
            self.transport.close()

    async def send(self, message: Message) -> None:
        if self.flow.write_paused and not self.disconnected:
            await self.flow.drain()
        if self.disconnected:
            raise CallerGone
        if self.response_started:
            self._send_body(message["body"], message["more_body"])
        else:
            self._send_head(message["status"], message.get("reason"), message["headers"])

    def _send_head(
        self, status: int, reason: bytes | None, headers: list[tuple[bytes, bytes]]
    ) -> None:
        """``reason`` is the upstream's phrase; None for what the proxy answers itself."""
        self.response_started = True
        self.waiting_for_100_continue = False
        self._frame(status, {name.lower(): value for name, value in headers})
        if reason is None:
            lines = [STATUS_LINE.get(status) or b"HTTP/1.1 %d \r\n" % status]
        else:
            lines = [b"HTTP/1.1 %d %b\r\n" % (status, reason)]
        lines += [b"%b: %b\r\n" % header for header in headers if header[0] != b"connection"]
        if self._framing is ResponseFraming.CHUNKED:
            lines.append(b"transfer-encoding: chunked\r\n")
        if not self.keep_alive:
            lines.append(b"connection: close\r\n")
        lines.append(b"\r\n")
        self.transport.write(b"".join(lines))

    def _frame(self, status: int, headers: dict[bytes, bytes]) -> None:
        if self.scope["method"] == "HEAD" or status in (204, 304):
            self._framing = ResponseFraming.NONE
        elif b"content-length" in headers:
            self._framing = ResponseFraming.LENGTH
            self._left_bytes = int(headers[b"content-length"])
        elif self.scope["http_version"] == "1.0":
            self._framing = ResponseFraming.CONNECTION
            self.keep_alive = False
        else:
            self._framing = ResponseFraming.CHUNKED
        self.keep_alive = self.keep_alive and headers.get(b"connection") != b"close"

    def _send_body(self, body: bytes, more_body: bool) -> None:
        if body and self._framing is ResponseFraming.CHUNKED:
            self.transport.write(b"%x\r\n%b\r\n" % (len(body), body))
        elif body and self._framing is not ResponseFraming.NONE:
            self._left_bytes -= len(body)
            self.transport.write(body)
        if not more_body:
            self._complete()

    def _complete(self) -> None:
        if self._framing is ResponseFraming.LENGTH and self._left_bytes:
            raise ResponseCut
        if self._framing is ResponseFraming.CHUNKED:
            self.transport.write(b"0\r\n\r\n")
        self.response_complete = True
        self.message_event.set()
        if not self.keep_alive:
            self.transport.close()
        self.on_response()

    def lose_caller(self) -> None:
        self.disconnected = not self.response_complete
        self.message_event.set()


class CallerConnection(HttpToolsProtocol):
    limits = ProxyLimits()

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._active: CallerCycle | None = None
        self._head_timer: asyncio.TimerHandle | None = None
        self._body_timer: asyncio.TimerHandle | None = None
        self._taking_timer: asyncio.TimerHandle | None = None
        self._head_bytes = 0
        self._body_bytes = 0
        self._trailer_bytes = 0
        self._has_body_come = False
        self._is_in_head = False
        self._is_in_body = False

    # -- the connection -----------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._head_timer, self._body_timer, self._taking_timer):
            if timer is not None:
                timer.cancel()
        self.pipeline.clear()
        # uvicorn's speaks only to the request that came last.
        if self._active is not None:
            self._active.lose_caller()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        self._has_body_come = False
        try:
            self._parse(data)
        except httptools.HttpParserError as error:
            is_large = isinstance(error.__context__, HeadTooLarge)
            self._refuse(HEAD_TOO_LARGE if is_large else NO_HTTP)
            return
        self._look_after(len(data))

    def _parse(self, data: bytes) -> None:
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as end_of_head:
            # A WebSocket is refused by the application, and no more is read.
            if self._is_offer():
                offset: int = end_of_head.args[0]
                offerless = self._head_without_offer()
                self.parser = httptools.HttpRequestParser(self)
                self.parser.feed_data(offerless + data[offset:])

    def _is_offer(self) -> bool:
        """Return True for an upgrade that a server may pass over. The parser would pass over its
        body.
        """
        is_upgrade = self.parser.should_upgrade() and self.parser.get_method() != b"CONNECT"
        return is_upgrade and not is_websocket(self.headers)

    def _head_without_offer(self) -> bytes:
        version = self.parser.get_http_version().encode()
        lines = [b"%b %b HTTP/%b" % (self.parser.get_method(), self.url, version)]
        lines += [b"%b: %b" % header for header in self.headers if header[0] != b"upgrade"]
        return b"\r\n".join([*lines, b"", b""])

    def shutdown(self) -> None:
        if self._active is None or self._active.response_complete:
            self.transport.close()
        else:
            self._active.keep_alive = False

    def pause_writing(self) -> None:
        super().pause_writing()
        # A caller that takes nothing for so long holds the upstream's stream, too.
        self._taking_timer = self.loop.call_later(self.limits.idle_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        if self._taking_timer is not None:
            self._taking_timer.cancel()
        super().resume_writing()

    # -- the parser ---------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._is_in_head = True
        self._head_bytes = 0
        self._expect_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        # Those after a body are none of the request's: RFC 9110, 6.5.1.
        if self._is_in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        self._is_in_body = True
        self._body_bytes = self._trailer_bytes = 0
        if self._head_timer is not None:
            self._head_timer.cancel()
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if size > self.limits.request_head_bytes:
            raise HeadTooLarge
        if not self._is_offer():
            self._begin_cycle()

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        self._has_body_come = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._is_in_body = False
        if self._body_timer is not None:
            self._body_timer.cancel()
            self._body_timer = None
        if not self._is_offer():
            super().on_message_complete()

    def _begin_cycle(self) -> None:
        self._complete_scope()
        cycle = CallerCycle(
            scope=self.scope,
            transport=self.transport,
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=False,
            default_headers=[],
            message_event=asyncio.Event(),
            expect_100_continue=self.expect_100_continue,
            keep_alive=self.scope["http_version"] == "1.1" and self.parser.should_keep_alive(),
            on_response=self.on_response_complete,
        )
        self.cycle = cycle
        if self._active is None or self._active.response_complete:
            self._start_asgi_task(cycle, self.app)
        else:
            # One at a time; the next waits unread, or else a caller could send any number.
            self.flow.pause_reading()
            self.pipeline.appendleft((cycle, self.app))

    def _complete_scope(self) -> None:
        url = httptools.parse_url(self.url)
        self.scope["method"] = self.parser.get_method().decode("ascii")
        self.scope["http_version"] = self.parser.get_http_version()
        self.scope["raw_path"] = url.path
        self.scope["path"] = url.path.decode("ascii")
        self.scope["query_string"] = url.query or b""

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        assert isinstance(cycle, CallerCycle)
        self._active = cycle
        super()._start_asgi_task(cycle, app)

    # -- patience -----------------------------------------------------------------------------

    def _expect_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
        self._head_timer = self.loop.call_later(
            self.limits.request_head_seconds, self._refuse_slow_head
        )

    def _refuse_slow_head(self) -> None:
        if self._is_answering():
            # Whoever sends a next request early may take its time until it could be answered.
            self._expect_head()
        else:
            self._refuse(TOO_SLOW)

    def _look_after(self, size: int) -> None:
        """After each read: a head or trailers without end, and the time that a body takes."""
        if self._is_in_head:
            self._head_bytes += size
        elif self._is_in_body:
            self._trailer_bytes = 0 if self._has_body_come else self._trailer_bytes + size
            if self._body_timer is None:
                self._expect_body()
        if max(self._head_bytes, self._trailer_bytes) > self.limits.request_head_bytes:
            self._refuse(HEAD_TOO_LARGE)

    def _expect_body(self) -> None:
        came, self._body_bytes = self._body_bytes, 0
        if self._body_timer is not None and not self.flow.read_paused and came < MIN_BODY_BYTES:
            self._refuse(TOO_SLOW)
            return
        seconds = self.limits.request_body_seconds
        self._body_timer = self.loop.call_later(seconds, self._expect_body)

    def _is_answering(self) -> bool:
        return self._active is not None and not self._active.response_complete

    def _refuse(self, error: OwnError) -> None:
        """End the connection, with an answer where it cannot be taken for that of a call."""
        active = self._active
        if active is None or active.response_complete:
            self.transport.write(_raw(error))
        else:
            if self._is_in_body and self.cycle is active and not active.response_started:
                self.transport.write(_raw(error))
            active.lose_caller()
        self.transport.close()


def _raw(error: OwnError) -> bytes:
    body = error_body(error, None)
    return (
        STATUS_LINE[error.status]
        + b"content-type: application/json\r\nconnection: close\r\n"
        + b"x-inspector-error: %b\r\n" % error.code.encode()
        + b"content-length: %d\r\n\r\n" % len(body)
        + body
    )
