"""Callers that leave, lag, cheat or speak older and newer HTTP."""

import os
import socket
import struct

import pytest

from inspector.core.wire.exchange import TransportFault, TransportOutcome
from inspector.proxy.messages import RequestSent, ResponseBegun
from tests.proxy.conftest import OK, open_way
from tests.proxy.played_recorder import PlayedRecorder
from tests.proxy.scripted_upstream import RESET, Gate
from tests.proxy.started_proxy import StartedProxy

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
PIECE = b"2\r\nok\r\n"


def request(target: str, *lines: str, body: bytes = b"{}", method: str = "POST") -> bytes:
    lines = lines or (f"Content-Length: {len(body)}",)
    return "\r\n".join([f"{method} {target} HTTP/1.1", "Host: x", *lines, "", ""]).encode() + body


def until(wire: socket.socket, end: bytes) -> bytes:
    """Return the bytes that come up to these, and these."""
    came = b""
    while end not in came:
        piece = wire.recv(1 << 16)
        assert piece, came
        came += piece
    return came


def framed(body: bytes) -> bytes:
    """As the one chunk into which the proxy puts what came in one read."""
    return b"%x\r\n%b\r\n" % (len(body), body) if body else b""


def rest_of(wire: socket.socket) -> bytes:
    came = b""
    while piece := wire.recv(1 << 16):
        came += piece
    return came


def leave(wire: socket.socket, is_abrupt: bool) -> None:
    if is_abrupt:
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    wire.close()


@pytest.mark.parametrize("is_abrupt", [True, False], ids=["rst", "fin"])
@pytest.mark.parametrize("pieces", [None, 0, 1, 2])
def test_a_caller_that_leaves_ends_the_upstreams_connection(
    proxy, upstream, way, pieces, is_abrupt
):
    gate = Gate()
    upstream.answer(*([] if pieces is None else [CHUNKED + PIECE * pieces]), gate)
    wire = proxy.wire()
    wire.sendall(request(way.chat))
    gate.reached()
    if pieces is not None:
        until(wire, b"\r\n\r\n" + framed(b"ok" * pieces))
    leave(wire, is_abrupt)

    assert upstream.ended()
    [ended] = way.ended()
    assert (ended.outcome, ended.fault) == (TransportOutcome.CLIENT_CANCELLED, None)
    assert way.body() == b"ok" * (pieces or 0)


@pytest.mark.parametrize(
    ("framing", "part"),
    [("Content-Length: 10", b"12345"), ("Transfer-Encoding: chunked", b"5\r\n12345\r\n")],
)
def test_a_request_that_breaks_off_is_never_made_whole(proxy, upstream, way, framing, part):
    wire = proxy.wire()
    wire.sendall(request(way.chat, framing, "Expect: 100-continue", body=b""))
    until(wire, b"HTTP/1.1 100 Continue\r\n\r\n")
    wire.sendall(part)
    wire.close()

    # A request that had come to its end would have been answered.
    assert upstream.ended()
    [ended] = way.ended()
    assert (ended.outcome, ended.fault) == (
        TransportOutcome.CLIENT_CANCELLED,
        TransportFault.REQUEST_ABORTED,
    )
    assert way.of(RequestSent)[0].data == b"12345"


def test_a_caller_that_asks_first_is_answered_before_it_sends_its_body(proxy, upstream, way):
    with proxy.wire() as wire:
        wire.sendall(request(way.chat, "Content-Length: 2", "Expect: 100-continue", body=b""))
        assert until(wire, b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        wire.sendall(b"{}")
        assert until(wire, b"{}").startswith(b"HTTP/1.1 200 OK\r\n")

    assert upstream.request().header("expect") == []


def test_a_caller_that_asks_first_with_an_unknown_key_is_spared_its_body(proxy):
    with proxy.wire() as wire:
        wire.sendall(
            request("/proxy/ri_no/up/x", "Content-Length: 2", "Expect: 100-continue", body=b"")
        )
        assert until(wire, b"\r\n\r\n").startswith(b"HTTP/1.1 401 ")


def test_a_websocket_is_answered_426(proxy, upstream, way):
    with proxy.wire() as wire:
        wire.sendall(
            request(
                way.to("/realtime"),
                "Connection: Upgrade",
                "Upgrade: websocket",
                "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                body=b"",
                method="GET",
            )
        )
        answer = rest_of(wire)

    assert answer.startswith(b"HTTP/1.1 426 ")
    assert b"x-inspector-error: upgrade_not_supported\r\n" in answer
    assert upstream.connections == 0


def test_an_offer_of_http_2_is_passed_over(proxy, upstream, way):
    offer = (
        "Connection: Upgrade, HTTP2-Settings",
        "Upgrade: h2c",
        "HTTP2-Settings: AAMAAABkAAQAAP__",
        "Content-Length: 2",
    )
    with proxy.wire() as wire:
        for _ in range(2):
            wire.sendall(request(way.chat, *offer))
            assert until(wire, b"{}").startswith(b"HTTP/1.1 200 OK\r\n")

    assert upstream.request().body == b"{}"
    assert upstream.request().header("upgrade") == []


@pytest.mark.parametrize(
    "nonsense",
    [
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST /proxy/ri_x/up HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"CONNECT example:443 HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
)
def test_what_is_no_http_is_answered_400(proxy, nonsense):
    with proxy.wire() as wire:
        wire.sendall(nonsense)
        answer = rest_of(wire)

    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"x-inspector-error: bad_request\r\n" in answer


def test_a_body_in_an_unknown_coding_is_answered_501(proxy, upstream, way):
    with proxy.wire() as wire:
        wire.sendall(request(way.chat, "Transfer-Encoding: gzip, chunked", body=b"0\r\n\r\n"))
        assert until(wire, b"\r\n\r\n").startswith(b"HTTP/1.1 501 ")

    assert upstream.connections == 0


@pytest.mark.parametrize("value", ["naïve", "日本"])
def test_letters_of_all_languages_pass_in_headers(proxy, upstream, way, value):
    with proxy.wire() as wire:
        head = request(way.chat, "X-Odd: ODD", "Content-Length: 2")
        wire.sendall(head.replace(b"ODD", value.encode()))
        until(wire, b"{}")

    assert b"x-odd: " + value.encode() in upstream.request().head


def test_a_header_that_could_only_be_forwarded_altered_is_answered_400(proxy, upstream, way):
    with proxy.wire() as wire:
        head = request(way.chat, "X-Odd: ODD", "Content-Length: 2")
        wire.sendall(head.replace(b"ODD", b"na\xefve"))
        answer = until(wire, b"\r\n\r\n")

    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"x-inspector-error: header_not_utf8\r\n" in answer
    assert upstream.connections == 0


def test_a_caller_of_http_1_0_gets_the_bytes_as_they_are(proxy, upstream, way):
    upstream.answer(CHUNKED + PIECE * 2 + b"0\r\n\r\n")
    with proxy.wire() as wire:
        wire.sendall(request(way.chat).replace(b"HTTP/1.1", b"HTTP/1.0"))
        head, _, body = rest_of(wire).partition(b"\r\n\r\n")

    assert body == b"okok"
    assert b"connection: close" in head
    assert b"transfer-encoding" not in head


def test_a_caller_of_http_1_0_can_tell_that_a_body_was_cut(proxy, upstream, way):
    gate = Gate()
    upstream.answer(CHUNKED + PIECE, gate, RESET)
    with proxy.wire() as wire:
        wire.sendall(request(way.chat).replace(b"HTTP/1.1", b"HTTP/1.0"))
        until(wire, b"ok")
        gate.open()
        with pytest.raises(ConnectionResetError):
            rest_of(wire)


def test_requests_sent_in_one_go_are_answered_in_their_order(proxy, upstream, way):
    with proxy.wire() as wire:
        wire.sendall(b"".join(request(way.to(f"/{n}")) for n in range(5)))
        came = b""
        while came.count(b"HTTP/1.1 200 OK") < 5 or not came.endswith(b"{}"):
            came += wire.recv(1 << 16)

    assert [upstream.request().target for _ in range(5)] == [f"/v1/{n}" for n in range(5)]


def test_nonsense_after_a_request_does_not_come_into_its_response(proxy, upstream, way):
    gate = Gate()
    upstream.answer(b"HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\nok", gate)
    with proxy.wire() as wire:
        wire.sendall(request(way.chat))
        until(wire, b"ok")
        wire.sendall(b"\x00\x01 nonsense\r\n\r\n")
        assert rest_of(wire) == b""

    assert upstream.ended()
    assert way.ended()[0].outcome is TransportOutcome.CLIENT_CANCELLED


def test_a_caller_that_leaves_with_a_second_request_waiting_ends_the_first(proxy, upstream, way):
    gate = Gate()
    upstream.answer(CHUNKED + PIECE, gate, PIECE, PIECE, Gate())
    wire = proxy.wire()
    wire.sendall(request(way.chat) * 2)
    until(wire, b"ok")
    leave(wire, is_abrupt=True)
    # The second waits unread, so that the first learns of the end when it sends.
    gate.open()

    assert upstream.ended()
    assert way.ended()[0].outcome is TransportOutcome.CLIENT_CANCELLED


def test_a_head_that_is_too_large_is_answered_431(proxy):
    with proxy.wire() as wire:
        wire.sendall(b"GET / HTTP/1.1\r\nA: " + b"a" * 70_000)
        assert b"x-inspector-error: request_head_too_large" in until(wire, b"\r\n\r\n")


def test_headers_that_are_too_large_together_are_answered_431(proxy):
    lines = b"".join(b"A%d: %b\r\n" % (n, b"a" * 1000) for n in range(70))
    with proxy.wire() as wire:
        wire.sendall(b"GET / HTTP/1.1\r\n" + lines + b"\r\n")
        assert b"x-inspector-error: request_head_too_large" in until(wire, b"\r\n\r\n")


@pytest.fixture(scope="module")
def hasty_recorder():
    with PlayedRecorder() as recorder:
        yield recorder


@pytest.fixture(scope="module")
def hasty_proxy(hasty_recorder):
    flags = (
        # The upstream may be slow for as long, and a busy machine makes it slow.
        *("--idle-seconds", "3"),
        *("--request-head-seconds", "0.2"),
        *("--request-body-seconds", "0.2"),
    )
    with StartedProxy(hasty_recorder, *flags) as proxy:
        yield proxy


@pytest.mark.parametrize("part", [b"", b"POST / HTTP/1.1\r\nHost"])
def test_a_head_that_does_not_come_is_answered_408(hasty_proxy, part):
    with hasty_proxy.wire() as wire:
        wire.sendall(part)
        assert rest_of(wire).startswith(b"HTTP/1.1 408 ")


def test_a_body_that_does_not_come_is_answered_408(hasty_proxy, hasty_recorder, upstream):
    way = open_way(hasty_recorder, upstream.url)
    with hasty_proxy.wire() as wire:
        wire.sendall(request(way.chat, "Content-Length: 100", body=b"1"))
        assert rest_of(wire).startswith(b"HTTP/1.1 408 ")

    assert upstream.ended()
    assert way.ended()[0].fault is TransportFault.REQUEST_ABORTED


def test_a_caller_that_takes_nothing_is_let_go(hasty_proxy, hasty_recorder, upstream):
    size = 64 << 20
    upstream.answer(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size, b"x" * size)
    way = open_way(hasty_recorder, upstream.url)
    with hasty_proxy.wire() as wire:
        wire.sendall(request(way.chat))
        assert way.ended()[0].outcome is TransportOutcome.CLIENT_CANCELLED
    assert upstream.ended()


def test_callers_that_leave_leave_nothing_behind(proxy, upstream, way):
    upstream.answer(CHUNKED + PIECE, Gate())
    proxy.ask("GET", "/livez")
    before = descriptors(proxy)
    for number in range(100):
        wire = proxy.wire()
        wire.sendall(request(way.chat))
        if number % 2:
            until(wire, b"ok")
        leave(wire, is_abrupt=number % 3 == 0)
    ended = way.ended(100)
    proxy.ask("GET", "/livez")

    assert {each.outcome for each in ended} == {TransportOutcome.CLIENT_CANCELLED}
    # The connections of those who asked beside them may be closing still; one a call would be 100.
    assert descriptors(proxy) < before + 10


def descriptors(proxy: StartedProxy) -> int:
    return len(os.listdir(f"/proc/{proxy.process.pid}/fd"))


def peak_bytes(proxy: StartedProxy) -> int:
    """The most memory that the process has had so far."""
    with open(f"/proc/{proxy.process.pid}/status") as status:
        [line] = [line for line in status if line.startswith("VmHWM:")]
    return int(line.split()[1]) * 1024


MANY_BYTES = 100 << 20
FEW_BYTES = 40 << 20


def test_a_slow_caller_slows_its_upstream_and_fills_no_memory(recorder, proxy, upstream, way):
    upstream.answer(
        b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % MANY_BYTES, b"x" * MANY_BYTES
    )
    proxy.ask("GET", way.to("/warm"))
    before = peak_bytes(proxy)
    with proxy.wire() as wire:
        wire.sendall(request(way.to("/files"), body=b"", method="GET"))
        _, _, begin = until(wire, b"\r\n\r\n").partition(b"\r\n\r\n")
        came = len(begin)
        while came < MANY_BYTES:
            came += len(wire.recv(8192))

    assert peak_bytes(proxy) - before < FEW_BYTES


def test_a_large_upload_streams_through_and_its_beginning_is_kept(proxy, upstream, way):
    proxy.ask("POST", way.chat, b"{}")
    before = peak_bytes(proxy)
    reply = proxy.ask("POST", way.chat, (b"x" * (1 << 16) for _ in range(MANY_BYTES >> 16)))

    assert reply.body == b"{}"
    upstream.request()
    assert len(upstream.request().body) == MANY_BYTES
    sent = way.of(RequestSent) if way.ended(2) else []
    assert (len(sent[1].data), sent[1].byte_length) == (4 << 20, MANY_BYTES)
    assert peak_bytes(proxy) - before < FEW_BYTES


def test_pages_of_listed_sites_may_call(proxy, recorder, upstream):
    upstream.answer(OK.replace(b"\r\n\r\n", b"\r\nAccess-Control-Allow-Origin: https://u\r\n\r\n"))
    way = open_way(recorder, upstream.url, sites=("https://app.example",))
    preflight = proxy.ask(
        "OPTIONS",
        way.chat,
        headers={
            "Origin": "https://app.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type",
        },
    )
    assert upstream.connections == 0
    reply = proxy.ask("POST", way.chat, b"{}", {"Origin": "https://app.example"})

    assert (preflight.status, preflight.body) == (204, b"")
    assert dict(preflight.headers) == {
        "access-control-allow-origin": "https://app.example",
        "access-control-allow-methods": "POST",
        "access-control-allow-headers": "authorization,content-type",
        "access-control-max-age": "600",
        "vary": "Origin",
    }
    assert reply.headers.get_all("access-control-allow-origin") == ["https://app.example"]
    assert reply.headers["access-control-expose-headers"] == "*"
    assert reply.headers["vary"] == "Origin"


def test_what_pages_of_other_sites_are_answered_is_for_the_upstream_to_say(
    proxy, recorder, upstream
):
    upstream.answer(OK.replace(b"\r\n\r\n", b"\r\nAccess-Control-Allow-Origin: https://u\r\n\r\n"))
    way = open_way(recorder, upstream.url, sites=("https://app.example",))
    reply = proxy.ask(
        "OPTIONS",
        way.chat,
        headers={"Origin": "https://other.example", "Access-Control-Request-Method": "POST"},
    )

    assert upstream.request().head.startswith(b"OPTIONS ")
    assert reply.headers.get_all("access-control-allow-origin") == ["https://u"]


def test_trailers_of_a_request_are_no_headers_of_it(proxy, upstream, way):
    with proxy.wire() as wire:
        body = b"2\r\n{}\r\n0\r\nX-Late: no header\r\n\r\n"
        wire.sendall(request(way.chat, "Transfer-Encoding: chunked", body=body))
        until(wire, b"{}")

    asked = upstream.request()
    assert (asked.body, asked.header("x-late")) == (b"{}", [])


@pytest.mark.parametrize("trailers", [b"X-Late: 1\r\n" * 10_000, b"X-Late: " + b"1" * 100_000])
def test_trailers_without_end_end_the_connection(proxy, trailers):
    with proxy.wire() as wire:
        wire.sendall(
            request("/proxy/ri_no/up/x", "Transfer-Encoding: chunked", body=b"2\r\n{}\r\n0\r\n")
        )
        until(wire, b"unknown_key")
        wire.sendall(trailers)
        assert b"request_head_too_large" in until(wire, b"too large")


@pytest.mark.parametrize("wanted", ["document", "iframe", "script", "serviceworker", "audio"])
def test_a_browser_loads_nothing_through_the_proxy(proxy, recorder, upstream, way, wanted):
    reply = proxy.ask("GET", way.to("/models"), headers={"Sec-Fetch-Dest": wanted})

    assert (reply.status, reply.error) == (403, "no_pages")
    assert reply.headers["content-security-policy"] == "sandbox; default-src 'none'"
    assert reply.headers["x-content-type-options"] == "nosniff"


def test_what_a_script_of_a_page_is_answered_is_no_page(proxy, recorder, upstream, way):
    upstream.answer(OK.replace(b"\r\n\r\n", b"\r\nX-Content-Type-Options: any\r\n\r\n"))

    reply = proxy.ask("POST", way.chat, b"{}", {"Sec-Fetch-Dest": "empty"})
    assert (reply.status, reply.body) == (200, b"{}")
    assert reply.headers["content-security-policy"] == "sandbox; default-src 'none'"
    assert reply.headers["x-content-type-options"] == "nosniff"

    way.ended()
    [begun] = way.of(ResponseBegun)
    assert ("X-Content-Type-Options", "any") in begun.headers


def test_a_browser_that_names_no_purpose_gets_no_page_either(proxy, recorder, upstream, way):
    reply = proxy.ask("GET", way.to("/models"), headers={"Sec-Fetch-Mode": "navigate"})

    assert reply.headers["content-security-policy"] == "sandbox; default-src 'none'"


def test_what_other_programs_are_answered_stays_as_it_came(proxy, recorder, upstream, way):
    upstream.answer(OK.replace(b"\r\n\r\n", b"\r\nX-Content-Type-Options: any\r\n\r\n"))

    reply = proxy.ask("POST", way.chat, b"{}")
    assert reply.headers["x-content-type-options"] == "any"
    assert "content-security-policy" not in reply.headers
