"""One call: the request on its way up, the response on its way down, and what ends them.

The caller's own task carries the call. It is cancelled when the caller goes away and when the proxy
stops, and the upstream's connection is then cut at once.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import aiohttp
from aiohttp.client_proto import ResponseHandler
from yarl import URL

from inspector.core.wire.exchange import TransportFault, TransportOutcome
from inspector.proxy.asgi import CallerGone, Receive, Send
from inspector.proxy.cross_origin import replaced
from inspector.proxy.headers import RawHeader, are_clean, as_text, has_unknown_coding, to_caller
from inspector.proxy.labels import with_capture
from inspector.proxy.limits import ProxyLimits
from inspector.proxy.tee import CallTee
from inspector.proxy.upstream_connector import AddressRefused, observer

STATUSES = range(200, 1000)
"""Statuses of final responses. Others are no HTTP that a caller could be given."""

_FAULTS: tuple[tuple[type[Exception] | tuple[type[Exception], ...], TransportFault], ...] = (
    ((AddressRefused, aiohttp.InvalidURL), TransportFault.ADDRESS_REFUSED),
    (aiohttp.ConnectionTimeoutError, TransportFault.CONNECT_TIMEOUT),
    (TimeoutError, TransportFault.RESPONSE_TIMEOUT),
    ((aiohttp.ClientSSLError, aiohttp.ClientConnectorCertificateError), TransportFault.TLS),
    (aiohttp.ClientConnectorError, TransportFault.UNREACHABLE),
    ((aiohttp.ClientError, OSError), TransportFault.BROKEN_RESPONSE),
)
MAX_UNSENT_BODY_SECONDS = 2.0
"""So long a caller whose call has failed may still send what is only recorded."""
EXPECTED = (AddressRefused, aiohttp.ClientError, TimeoutError, OSError)


@dataclass(frozen=True, slots=True)
class CallOutcome:
    outcome: TransportOutcome
    fault: TransportFault | None = None
    status: int | None = None
    """Status of the response that the caller was sent; None where nothing was."""


@dataclass(frozen=True, slots=True)
class UpstreamRequest:
    session: aiohttp.ClientSession
    method: str
    url: URL
    headers: Sequence[RawHeader]
    has_body: bool


class ForwardedCall:
    """Carries one request to its upstream and the response back. Used once."""

    def __init__(
        self,
        request: UpstreamRequest,
        receive: Receive,
        send: Send,
        tee: CallTee | None,
        limits: ProxyLimits,
        origin: str | None = None,
        capture_url: str | None = None,
    ) -> None:
        self._request = request
        self._receive = receive
        self._send = send
        self._tee = tee
        self._limits = limits
        self._origin = origin
        self._capture_url = capture_url
        self._task: asyncio.Task[None] | None = None
        self._deadline: asyncio.Timeout | None = None
        self._upstream: ResponseHandler | None = None
        self._response: aiohttp.ClientResponse | None = None
        self._transport: asyncio.Transport | None = None
        self._status: int | None = None
        self._ending: CallOutcome | None = None
        self._is_body_begun = False
        self._body_read = asyncio.Event()
        self._sent_us = _now_us()
        self.first_byte_seconds: float | None = None
        """From the end of the request to the head of the answer; None where none came."""
        self.request_bytes = 0
        self.response_bytes = 0

    async def run(self) -> CallOutcome:
        """Return how the call ended. If it was not by the end of the response, then the caller was
        sent a part of it, or nothing.
        """
        self._task = asyncio.current_task()
        watching = asyncio.create_task(self._watch_caller())
        try:
            ending = await self._carry()
        except CallerGone:
            gone = CallOutcome(TransportOutcome.CLIENT_CANCELLED, status=self._status)
            self._ending = ending = self._ending or gone
        except asyncio.CancelledError:
            if self._ending is None or self._task is None:
                raise
            self._task.uncancel()
            ending = self._ending
        finally:
            self._end(watching)
        return ending

    def stop(self, outcome: TransportOutcome, fault: TransportFault | None = None) -> None:
        """End the call now. Where the response has come to its end, that remains how it ended, but
        nobody waits any more until the caller has taken it.
        """
        if self._task is None or self._task.cancelling():
            return
        if self._ending is None:
            self._ending = CallOutcome(outcome, fault, self._status)
            self._cut_upstream()
        self._task.cancel()

    # -- what aiohttp says of the request -----------------------------------------------------

    def connected(self, connection: ResponseHandler) -> None:
        self._upstream = connection
        # aiohttp forgets it when it closes the connection, which may not be the end of it.
        self._transport = connection.transport

    def head_sent(self) -> None:
        self._sent_us = _now_us()
        if self._request.has_body:
            self._allow(self._limits.idle_seconds)
        else:
            self._end_request()

    # -- the way up ---------------------------------------------------------------------------

    async def _carry(self) -> CallOutcome:
        response = await self._ask()
        if isinstance(response, TransportFault):
            ending = self._ended_by(response)
            await self._record_unsent_body()
            return ending
        self._response = response
        if not _is_understood(response):
            return self._ended_by(TransportFault.BROKEN_RESPONSE)
        return await self._pass_down(response)

    async def _ask(self) -> aiohttp.ClientResponse | TransportFault:
        request = self._request
        observer.set(self)
        try:
            # Moved as the request gets on: see _allow.
            async with asyncio.timeout(None) as self._deadline:
                return await request.session.request(
                    request.method,
                    request.url,
                    headers=_for_aiohttp(request.headers),
                    data=self._body() if request.has_body else None,
                    allow_redirects=False,
                )
        except EXPECTED as error:
            return fault_of(error)
        finally:
            self._deadline = None

    async def _body(self) -> AsyncIterator[bytes]:
        """Yield the request's body as it comes from the caller, who waits while the
        upstream does.
        """
        self._is_body_begun = True
        while True:
            # How slow the caller may be is for its own connection to say.
            self._allow(None)
            message = await self._receive()
            if message["type"] == "http.disconnect":
                self._lose_caller(TransportFault.REQUEST_ABORTED)
                # An end here would make a whole request of a part of one.
                raise CallerGone
            self._allow(self._limits.idle_seconds)
            if message["body"]:
                self.request_bytes += len(message["body"])
                if self._tee is not None:
                    self._tee.send(message["body"])
                yield message["body"]
            if not message["more_body"]:
                break
        self._end_request()

    async def _record_unsent_body(self) -> None:
        """Read a body that no upstream was there for: it says what was asked."""
        if self._tee is None or self._is_body_begun:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(MAX_UNSENT_BODY_SECONDS):
                await self._pass_unsent_body(self._tee)

    async def _pass_unsent_body(self, tee: CallTee) -> None:
        room, is_whole = self._limits.request_bytes, not self._request.has_body
        while room > 0 and not is_whole:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                return
            tee.send(message["body"])
            room -= len(message["body"])
            is_whole = not message["more_body"]
        if is_whole:
            tee.end_request()

    def _end_request(self) -> None:
        if self._status is None:
            self._sent_us = _now_us()
        if self._tee is not None:
            self._tee.end_request()
        self._allow(self._limits.first_byte_seconds)
        self._body_read.set()

    def _allow(self, seconds: float | None) -> None:
        """How long from now until something must have come of the request."""
        if self._deadline is not None and not self._deadline.expired():
            loop = asyncio.get_running_loop()
            self._deadline.reschedule(None if seconds is None else loop.time() + seconds)

    async def _watch_caller(self) -> None:
        if self._request.has_body:
            # Until then whoever reads the body learns of it.
            await self._body_read.wait()
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._lose_caller()

    def _lose_caller(self, fault: TransportFault | None = None) -> None:
        if self._ending is None:
            self.stop(TransportOutcome.CLIENT_CANCELLED, fault)

    # -- the way down -------------------------------------------------------------------------

    async def _pass_down(self, response: aiohttp.ClientResponse) -> CallOutcome:
        await self._begin_response(response)
        content = response.content
        try:
            with _told_of_loss(content, self._upstream):
                await self._pass_reads(content)
        except EXPECTED as error:
            await self._pass_rest(content)
            return self._ended_by(fault_of(error))
        if _broke_off(response, self._upstream):
            return self._ended_by(TransportFault.BROKEN_RESPONSE)
        # Whatever the caller does from here on: the response has come to its end.
        self._ending = CallOutcome(TransportOutcome.ENDED, status=self._status)
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})
        return self._ending

    async def _begin_response(self, response: aiohttp.ClientResponse) -> None:
        headers = to_caller(response.raw_headers)
        if self._origin is not None:
            headers = replaced(headers, self._origin)
        if self._capture_url is not None:
            headers = with_capture(headers, self._capture_url)
        at_us = self._since_sent_us()
        self.first_byte_seconds = at_us / 1_000_000
        if self._tee is not None:
            self._tee.begin_response(at_us, response.status, as_text(response.raw_headers))
        self._status = response.status
        if response.connection is not None and response.connection.protocol is not None:
            response.connection.protocol.read_timeout = self._limits.idle_seconds
            response.connection.protocol.start_timeout()
        await self._send(
            {
                "type": "http.response.start",
                "status": response.status,
                "reason": _reason_of(response),
                "headers": headers,
            }
        )

    async def _pass_reads(self, content: aiohttp.StreamReader) -> None:
        """Run the loop that all bytes go through; here a read gets its time."""
        send, read, tee = self._send, content.readany, self._tee
        while data := await read():
            self.response_bytes += len(data)
            if tee is not None:
                tee.read(self._since_sent_us(), data)
            await send({"type": "http.response.body", "body": data, "more_body": True})

    async def _pass_rest(self, content: aiohttp.StreamReader) -> None:
        """Pass bytes that came with the end of the connection, which readany() withholds then."""
        rest = content._read_nowait(-1)
        if rest:
            self.response_bytes += len(rest)
            if self._tee is not None:
                self._tee.read(self._since_sent_us(), rest)
            await self._send({"type": "http.response.body", "body": rest, "more_body": True})

    # -- the end ------------------------------------------------------------------------------

    def _ended_by(self, fault: TransportFault) -> CallOutcome:
        is_late = fault in (TransportFault.CONNECT_TIMEOUT, TransportFault.RESPONSE_TIMEOUT)
        outcome = TransportOutcome.UPSTREAM_TIMEOUT if is_late else TransportOutcome.UPSTREAM_ERROR
        # What the caller did in the same moment was first.
        self._ending = self._ending or CallOutcome(outcome, fault, self._status)
        return self._ending

    def _end(self, watching: asyncio.Task[None]) -> None:
        watching.cancel()
        stopped = CallOutcome(TransportOutcome.RECORDER_STOPPED, status=self._status)
        self._ending = ending = self._ending or stopped
        if ending.outcome is not TransportOutcome.ENDED or not self._body_read.is_set():
            self._cut_upstream()
        if self._response is not None:
            self._response.close()
        if self._tee is not None:
            self._tee.end(self._since_sent_us(), ending.outcome, ending.fault)

    def _cut_upstream(self) -> None:
        """Abort the connection: closing it would wait for what the upstream has not taken."""
        if self._transport is not None and not self._is_given_back():
            self._transport.abort()

    def _is_given_back(self) -> bool:
        """Return True once all of the response has come, even if the caller has not taken it yet:
        aiohttp may carry another call over the connection from then on.
        """
        is_whole = self._response is not None and self._response.connection is None
        # What aiohttp closes is in nobody's hands.
        return is_whole and self._transport is not None and not self._transport.is_closing()

    def _since_sent_us(self) -> int:
        # At 0 there would be no clock: see inspector.core.wire.exchange.clock_of.
        return max(1, _now_us() - self._sent_us)


def fault_of(error: Exception) -> TransportFault:
    return next(fault for kinds, fault in _FAULTS if isinstance(error, kinds))


def _is_understood(response: aiohttp.ClientResponse) -> bool:
    headers, line = response.raw_headers, (b"reason", _reason_of(response))
    is_clean = are_clean(headers) and are_clean([line])
    return response.status in STATUSES and is_clean and not has_unknown_coding(headers)


def _reason_of(response: aiohttp.ClientResponse) -> bytes:
    """Return the phrase behind the status, as it came."""
    return (response.reason or "").encode("utf-8", "surrogateescape")


def _broke_off(response: aiohttp.ClientResponse, upstream: ResponseHandler | None) -> bool:
    """Return True if the body was to end with its connection, and that ended with an error."""
    has_own_end = "content-length" in response.headers or "transfer-encoding" in response.headers
    if has_own_end or upstream is None:
        # The connection may carry another call by now.
        return False
    return isinstance(upstream.exception(), OSError)


@contextmanager
def _told_of_loss(
    content: aiohttp.StreamReader, upstream: ResponseHandler | None
) -> Iterator[None]:
    """Tell the reader that its connection was lost: of a body with broken framing aiohttp closes
    the connection and never tells the reader, which would wait for ever.
    """
    closed = upstream.closed if upstream is not None else None

    def lose(closed: asyncio.Future[None]) -> None:
        closed.exception()
        if not content.is_eof() and content.exception() is None:
            content.set_exception(aiohttp.ClientPayloadError("the connection is lost"))

    if closed is not None:
        closed.add_done_callback(lose)
    try:
        yield
    finally:
        if closed is not None:
            closed.remove_done_callback(lose)


def _for_aiohttp(headers: Sequence[RawHeader]) -> list[tuple[str, str]]:
    return [
        (name.decode("latin-1"), value.decode("utf-8", "surrogateescape"))
        for name, value in headers
    ]


def _now_us() -> int:
    return time.monotonic_ns() // 1000
