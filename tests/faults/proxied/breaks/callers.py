"""V1 and V4: what callers do to their own calls."""

import socket
from collections.abc import Callable
from threading import Event

from tests.faults.proxied.caller import OutgoingCall
from tests.faults.proxied.ledger import CANCELLED, CAPPED, Expected
from tests.faults.proxied.rows import proxy_row
from tests.faults.proxied.stack import ProxyStack, resident_bytes
from tests.faults.proxied.upstream import BOUND_SECONDS, EVENTS, UpstreamCall, events
from tests.faults.stacks import EMBEDDED, PRODUCTION

WAYS: tuple[Callable[[OutgoingCall], None], ...] = (OutgoingCall.reset, OutgoingCall.leave)
"""By RST, by FIN."""
PIECE = b": " + b"x" * 65_532 + b"\r\n"
LARGE_PIECES = 1024
PAUSED_AFTER_SECONDS = 2.0
GROWTH_BYTES = 24 * 1024 * 1024
"""Far less than what the caller has not read yet."""


def left(stack: ProxyStack, name: str, expected: Expected, count: int) -> None:
    """The caller has so many events when it goes; the upstream must notice."""
    for leave in WAYS:
        key = stack.calls.enter(name, expected)
        told, said = Event(), events(key)[:count]

        def play(call: UpstreamCall, told: Event = told, said: list[bytes] = said) -> None:
            if said:
                call.head("200 OK", f"Content-Type: {EVENTS}")
            for event in said:
                call.say(event)
            call.wait_until_left()
            told.set()

        call = stack.begin_call(key, play)
        stack.upstream.call(key)
        if said:
            stack.calls.heard[key] = call.read(len(b"".join(said)))
        leave(call)
        assert told.wait(BOUND_SECONDS), "the upstream's connection is closed"


@proxy_row("V1-before", PRODUCTION, EMBEDDED)
def a_caller_goes_before_the_first_byte(stack: ProxyStack) -> None:
    left(stack, "v1-before", Expected((CANCELLED,), ("client-cancelled",), status=None), 0)


@proxy_row("V1-first", PRODUCTION, EMBEDDED)
def a_caller_goes_after_the_first_event(stack: ProxyStack) -> None:
    left(stack, "v1-first", Expected((CANCELLED,), ("client-cancelled",)), 1)


@proxy_row("V1-middle", PRODUCTION, EMBEDDED)
def a_caller_goes_in_the_middle(stack: ProxyStack) -> None:
    left(stack, "v1-middle", Expected((CANCELLED,), ("client-cancelled",)), 3)


@proxy_row("V1-last", PRODUCTION, EMBEDDED)
def a_caller_goes_after_the_last_event(stack: ProxyStack) -> None:
    """It has everything: nothing but the end of the transport is missing."""
    left(stack, "v1-last", Expected((CANCELLED,), ("complete",)), 5)


@proxy_row("V1-request", PRODUCTION, EMBEDDED)
def a_caller_goes_in_the_middle_of_its_request(stack: ProxyStack) -> None:
    expected = Expected(
        (CANCELLED, "upstream-error"),
        ("client-cancelled", "upstream-error"),
        status=None,
        fault="request-aborted",
        # What the upstream says of half a request may find nobody there any more.
        is_exact=False,
        may_be_missed=True,
    )
    key = stack.calls.enter("v1-request", expected)
    half = f"POST {stack.path(key)} HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nhalf"
    with socket.create_connection(("127.0.0.1", stack.ports["proxy"])) as connection:
        connection.sendall(half.encode())
    assert stack.make_call("v1-request-after").is_whole


@proxy_row("V4", PRODUCTION, EMBEDDED)
def a_caller_reads_slowly(stack: ProxyStack) -> None:
    """The upstream is held back; the proxy keeps no more than its buffers."""
    key = stack.calls.enter("v4", Expected((CAPPED,), ("capped",), is_exact=False, at_least=1))
    paused = Event()

    def play(call: UpstreamCall) -> None:
        call.head("200 OK", f"Content-Type: {EVENTS}")
        for _ in range(LARGE_PIECES):
            call.sent += PIECE
            framed = memoryview(b"%x\r\n%b\r\n" % (len(PIECE), PIECE))
            while framed:
                # Nothing is taken for long only where somebody holds it back.
                call.connection.settimeout(PAUSED_AFTER_SECONDS)
                try:
                    framed = framed[call.connection.send(framed) :]
                except TimeoutError:
                    paused.set()
        call.finish()

    process = stack.leader("proxy")
    before = resident_bytes(process)
    call = stack.begin_call(key, play)
    assert call.response.status == 200
    assert paused.wait(BOUND_SECONDS), "the upstream is held back"
    assert len(stack.upstream.call(key).sent) < LARGE_PIECES * len(PIECE) / 2
    assert resident_bytes(process) - before < GROWTH_BYTES
    assert stack.make_call("v4-beside").is_whole
    heard = call.read_all()
    assert heard.is_whole and heard.body == stack.upstream.call(key).sent
