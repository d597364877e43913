"""Plays one recorded response to whoever asks, on the loopback address: at its times, at another
speed, or with a fault that clients meet.
"""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from inspector.core.formats.dialect import names
from inspector.core.reading import read
from inspector.core.wire.content_encoding import decompressed
from inspector.core.wire.exchange import Clock, Exchange, Headers, TransportOutcome, clock_of
from inspector.core.wire.framing import Framing, Sniffer

SECOND_US = 1_000_000
ERROR_BODY = b'{"type":"error","error":{"type":"api_error","message":"This error is replayed."}}'
JSON_TYPE = (("content-type", "application/json"),)
GARBAGE = b'{"choices":[{"delta":{"cont'
WITHOUT_BODY = (204, 304)
"""RFC 9110, section 6.4.1: nothing is read behind these."""
LEFT_OUT = names(
    """
    alt-svc clear-site-data connection content-encoding content-length keep-alive
    proxy-authenticate proxy-connection refresh set-cookie strict-transport-security te trailer
    transfer-encoding upgrade
    """
)
"""Headers of the connection, of a content coding that is undone here, and of the whole site."""
# As in "content-type".
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+").fullmatch


class FaultKind(StrEnum):
    """A change to an answer. ``number`` of its ``Fault`` counts events, or is the status."""

    CUT = "cut-after"
    """The connection breaks after so many events."""
    STALL = "stall-after"
    """Nothing comes after so many events until the caller leaves."""
    GARBAGE = "garbage-after"
    """An event that is no JSON comes after so many events."""
    STATUS = "status"
    """An error with this status comes in place of the answer."""


@dataclass(frozen=True, slots=True)
class Fault:
    kind: FaultKind
    number: int


@dataclass(frozen=True, slots=True)
class Step:
    """One send, in microseconds since the whole request had come."""

    at_us: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Replay:
    """The answer to each request. ``stalls``: nothing comes behind the last step;
    ``breaks``: the connection ends there without an end of the body.
    """

    status: int
    headers: Headers
    steps: tuple[Step, ...]
    stalls: bool = False
    breaks: bool = False


FORBIDDEN = Replay(403, (), ())


class ReplayRefused(Exception):
    """There is no such replay; the message is a sentence for people."""


def plan_replay(
    exchange: Exchange, speed: float = 1.0, slow_start_us: int = 0, fault: Fault | None = None
) -> Replay:
    """``speed``: how many times as fast as recorded, 0 for all at once. Without times all comes at
    once. ``slow_start_us``: how long nothing comes at first. Raises ``ReplayRefused``.
    """
    if fault and fault.kind is FaultKind.STATUS:
        return Replay(fault.number, JSON_TYPE, (Step(slow_start_us, ERROR_BODY),))
    plain = decompressed(exchange)
    steps = tuple(_steps(plain, speed, slow_start_us))
    status, headers = exchange.status_code or 200, tuple(_headers(exchange))
    if not 200 <= status < 600 or (exchange.fault and not exchange.body):
        raise ReplayRefused("There is no answer in it that could be sent again.")
    if fault is None:
        breaks = exchange.outcome is not TransportOutcome.ENDED
        return Replay(status, headers, steps, breaks=breaks)
    before, behind = _parted(steps, _byte_after(plain, fault.number))
    if fault.kind is FaultKind.GARBAGE:
        at_us = before[-1].at_us if before else slow_start_us
        return Replay(status, headers, (*before, Step(at_us, _garbage(plain.body)), *behind))
    stalls = fault.kind is FaultKind.STALL
    return Replay(status, headers, before, stalls=stalls, breaks=not stalls)


def _steps(plain: Exchange, speed: float, slow_start_us: int) -> Iterator[Step]:
    is_timed = speed > 0 and clock_of(plain.reads) is not Clock.NONE
    latest_us = 0
    for each in plain.reads:
        # Nobody waits for a time that goes back.
        latest_us = max(latest_us, each.at_us or 0)
        if each.data:
            yield Step(slow_start_us + (round(latest_us / speed) if is_timed else 0), each.data)


def _headers(exchange: Exchange) -> Iterator[tuple[str, str]]:
    known = {name.lower() for name, _ in exchange.headers or ()}
    if exchange.content_type and "content-type" not in known:
        yield "content-type", exchange.content_type
    for name, value in exchange.headers or ():
        is_kept = name.lower() not in LEFT_OUT and not name.lower().startswith("access-control-")
        if is_kept and _NAME(name) and value.isascii() and value.isprintable():
            yield name, value


def _byte_after(plain: Exchange, number: int) -> int:
    """Return the byte behind so many events, numbered as on the capture's page."""
    starts = read(plain).tape().events.byte_start
    if not 0 <= number <= len(starts):
        raise ReplayRefused(f"The answer has {len(starts)} events, not {number}.")
    return starts[number] if number < len(starts) else len(plain.body)


def _parted(steps: Sequence[Step], byte: int) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """Those before the byte and those from it on; a step that it stands in becomes two."""
    before, behind, start = list[Step](), list[Step](), 0
    for step in steps:
        at = max(0, byte - start)
        before += [Step(step.at_us, step.data[:at])] if at else []
        behind += [Step(step.at_us, step.data[at:])] if step.data[at:] else []
        start += len(step.data)
    return tuple(before), tuple(behind)


def _garbage(body: bytes) -> bytes:
    lead = b"data: " if Sniffer().feed(body) is Framing.EVENT_STREAM else b""
    return lead + GARBAGE + b"\n\n"


# -- the server -----------------------------------------------------------------------------------


class ReplayServer(ThreadingHTTPServer):
    """Answers each request alike. ``wait`` sleeps so many seconds."""

    daemon_threads = True

    def __init__(self, replay: Replay, port: int = 0, wait: Callable[[float], None] = time.sleep):
        super().__init__(("127.0.0.1", port), _ReplayHandler)
        self.replay = replay
        self.wait = wait

    @property
    def base_url(self) -> str:
        """As SDKs take it."""
        return f"http://127.0.0.1:{self.server_port}/v1"


class _ReplayHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ReplayServer

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        # What stays unread would reset the connection, and the answer with it.
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self._answer()

    def _answer(self) -> None:
        self.close_connection = True
        # A page of a browser may neither call this nor show what it sends.
        is_of_page = "origin" in self.headers or "sec-fetch-site" in self.headers
        try:
            self._play(FORBIDDEN if is_of_page else self.server.replay)
        except OSError:
            # The caller has left.
            return

    def _play(self, replay: Replay) -> None:
        began_at = time.monotonic()
        first_us = replay.steps[0].at_us if replay.steps else 0
        self._wait_until(began_at, first_us)
        self._send_head(replay)
        if replay.status in WITHOUT_BODY:
            return
        for step in replay.steps:
            self._wait_until(began_at, step.at_us)
            self._send(step.data)
        if replay.stalls:
            self.rfile.read(1)
        elif not replay.breaks:
            self._send(b"")

    def _send_head(self, replay: Replay) -> None:
        self.send_response_only(replay.status)
        for name, value in replay.headers:
            self.send_header(name, value)
        if replay.status not in WITHOUT_BODY:
            self.send_header("transfer-encoding", "chunked")
        self.send_header("connection", "close")
        self.end_headers()

    def _send(self, data: bytes) -> None:
        """One chunk; an empty one ends the body."""
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))

    def _wait_until(self, began_at: float, at_us: int) -> None:
        # By the absolute time: errors of single waits would add up.
        left = began_at + at_us / SECOND_US - time.monotonic()
        if left > 0:
            self.server.wait(left)
