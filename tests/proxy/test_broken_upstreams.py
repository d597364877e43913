"""Upstreams that die, stall or speak nonsense: the caller gets what came, and never an end of it."""

import http.client
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from inspector.core.wire.exchange import TransportFault, TransportOutcome
from inspector.proxy.messages import CallBegun, RequestSent, ResponseBegun
from tests.proxy.conftest import OK, Way, open_way
from tests.proxy.played_recorder import PlayedRecorder
from tests.proxy.scripted_upstream import CLOSE, READ_NO_BODY, RESET, Gate, ScriptedUpstream
from tests.proxy.started_proxy import StartedProxy

EVENT = 'data: {"content":"né"}\r\n\r\n'.encode()
BODY = EVENT * 3
CHUNKS = b"".join(b"%x\r\n%b\r\n" % (len(EVENT), EVENT) for _ in range(3)) + b"0\r\n\r\n"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
MEASURED = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(BODY)


def raw(proxy: StartedProxy, way: Way) -> bytes:
    """Everything that comes until the connection ends."""
    with proxy.wire() as wire:
        wire.sendall(
            f"POST {way.chat} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{{}}".encode()
        )
        pieces = []
        try:
            while piece := wire.recv(1 << 16):
                pieces.append(piece)
        except ConnectionResetError:
            pass
        return b"".join(pieces)


@pytest.mark.parametrize("end", [CLOSE, RESET], ids=["fin", "rst"])
@pytest.mark.parametrize("cut", range(0, len(BODY), 5))
def test_a_measured_body_that_breaks_off_is_cut_there(proxy, upstream, way, cut, end):
    gate = Gate()
    upstream.answer(MEASURED + BODY[:cut], gate, end)
    if end is CLOSE:
        gate.open()
    with proxy.wire() as wire:
        wire.sendall(
            f"POST {way.chat} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{{}}".encode()
        )
        response = http.client.HTTPResponse(wire, method="POST")
        response.begin()
        got = response.read(cut)
        gate.open()
        with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
            raise_or_read(response)

    assert got == BODY[:cut]
    [ended] = way.ended()
    assert (ended.outcome, ended.fault) == (
        TransportOutcome.UPSTREAM_ERROR,
        TransportFault.BROKEN_RESPONSE,
    )
    assert (way.body(), ended.byte_length) == (BODY[:cut], cut)
    assert way.of(ResponseBegun)[0].status == 200


def raise_or_read(response: http.client.HTTPResponse) -> None:
    rest = response.read()
    assert rest == b""


@pytest.mark.parametrize("cut", range(0, len(CHUNKS) - 1, 4))
def test_a_chunked_body_that_breaks_off_has_no_last_chunk(proxy, upstream, way, cut):
    upstream.answer(CHUNKED + CHUNKS[:cut], CLOSE)
    head, _, body = raw(proxy, way).partition(b"\r\n\r\n")

    assert b"transfer-encoding: chunked" in head
    assert not body.endswith(b"0\r\n\r\n")
    [ended] = way.ended()
    assert (ended.outcome, ended.fault) == (
        TransportOutcome.UPSTREAM_ERROR,
        TransportFault.BROKEN_RESPONSE,
    )
    assert unchunked(body) == way.body() == arrived(cut)
    assert ended.byte_length == len(way.body())


def unchunked(body: bytes) -> bytes:
    pieces = []
    while body:
        size, _, rest = body.partition(b"\r\n")
        piece = rest[: int(size, 16)]
        assert rest[len(piece) : len(piece) + 2] == b"\r\n"
        pieces.append(piece)
        body = rest[len(piece) + 2 :]
    return b"".join(pieces)


def arrived(cut: int) -> bytes:
    """Return the part of the body that is in the first ``cut`` bytes of the chunks."""
    came, frame = b"", len(EVENT) + 6
    for start in range(0, 3 * frame, frame):
        came += EVENT[: max(0, min(cut - start - 4, len(EVENT)))]
    return came


def test_a_body_that_was_to_end_with_its_connection_is_cut_when_that_is_reset(proxy, upstream, way):
    gate = Gate()
    upstream.answer(b"HTTP/1.1 200 OK\r\n\r\n" + EVENT, gate, RESET)
    with proxy.connect() as connection:
        connection.request("POST", way.chat, b"{}")
        response = connection.getresponse()
        assert response.read1(100) == EVENT
        gate.open()
        with pytest.raises(http.client.IncompleteRead):
            response.read()

    [ended] = way.ended()
    assert (ended.outcome, ended.fault) == (
        TransportOutcome.UPSTREAM_ERROR,
        TransportFault.BROKEN_RESPONSE,
    )


def test_a_nonsensical_chunk_cuts_the_body(proxy, upstream, way):
    gate = Gate()
    upstream.answer(CHUNKED + b"2\r\nok\r\n", gate, b"no size\r\n")
    with proxy.connect() as connection:
        connection.request("POST", way.chat, b"{}")
        response = connection.getresponse()
        assert response.read1(100) == b"ok"
        gate.open()
        with pytest.raises(http.client.IncompleteRead):
            response.read()

    assert way.ended()[0].fault is TransportFault.BROKEN_RESPONSE
    assert way.body() == b"ok"


@pytest.mark.parametrize(
    "script",
    [
        [CLOSE],
        [RESET],
        [b"HTTP/1.1 200", CLOSE],
        [b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", RESET],
        [b"SSH-2.0-OpenSSH\r\n"],
        [b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"],
        [b"HTTP/1.1 200 OK\r\nA: b\rSet-Cookie: c\r\nContent-Length: 0\r\n\r\n"],
        [b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc"],
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"],
        [b"HTTP/1.1 200 OK\r\nX: " + b"a" * 200_000 + b"\r\n\r\n"],
    ],
    ids=[
        "fin",
        "rst",
        "half a line",
        "half a head",
        "ssh",
        "101",
        "bare cr",
        "lengths",
        "coding",
        "large",
    ],
)
def test_what_is_no_response_is_answered_502_and_recorded(proxy, upstream, way, script):
    upstream.answer(*script)
    reply = proxy.ask("POST", way.chat, b'{"a":1}')

    assert (reply.status, reply.error) == (502, "upstream_broken")
    [ended] = way.ended()
    assert (ended.outcome, ended.fault, ended.byte_length) == (
        TransportOutcome.UPSTREAM_ERROR,
        TransportFault.BROKEN_RESPONSE,
        0,
    )
    assert way.of(ResponseBegun) == []
    assert len(way.of(CallBegun)) == 1


def test_a_post_that_a_closing_connection_lost_is_not_sent_again(proxy, upstream, way):
    """Nobody knows whether it was carried out: RFC 9110, 9.2.2."""
    assert proxy.ask("POST", way.chat, b"{}").status == 200
    upstream.answer(CLOSE)
    reply = proxy.ask("POST", way.chat, b"{}")

    assert (reply.status, reply.error) == (502, "upstream_broken")
    assert way.ended(2)[-1].fault is TransportFault.BROKEN_RESPONSE
    assert upstream.connections == 1


def test_what_may_be_asked_twice_is_sent_again_once(proxy, upstream, way):
    assert proxy.ask("GET", way.to("/models")).status == 200
    upstream.answer(CLOSE)

    assert proxy.ask("GET", way.to("/models")).error == "upstream_broken"
    assert upstream.connections == 2


def test_an_upstream_that_takes_no_connection_is_answered_502(proxy, recorder):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    way = open_way(recorder, f"http://127.0.0.1:{port}")
    reply = proxy.ask("POST", way.chat, b"{}")

    assert (reply.status, reply.error) == (502, "upstream_unreachable")
    assert way.ended()[0].fault is TransportFault.UNREACHABLE


@pytest.fixture
def nowhere(recorder: PlayedRecorder) -> Way:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    return open_way(recorder, f"http://127.0.0.1:{port}")


@pytest.mark.parametrize(
    ("body", "sent"),
    [(b'{"model":"m"}', b'{"model":"m"}'), ((b"ab", b"cd"), b"abcd"), (None, b"")],
    ids=["length", "chunked", "none"],
)
def test_what_was_asked_of_an_upstream_that_is_not_there_is_recorded(proxy, nowhere, body, sent):
    assert proxy.ask("POST", nowhere.chat, body).error == "upstream_unreachable"

    [ended] = nowhere.ended()
    assert nowhere.of(RequestSent) == [RequestSent(ended.call, sent, len(sent))]


def test_a_caller_that_leaves_meanwhile_has_asked_in_part(proxy, nowhere):
    with proxy.wire() as wire:
        head = f"POST {nowhere.chat} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n"
        wire.sendall(f"{head}Expect: 100-continue\r\n\r\n".encode())
        assert wire.recv(1 << 16).startswith(b"HTTP/1.1 100 ")
        wire.sendall(b"12345")

    [ended] = nowhere.ended()
    assert ended.fault is TransportFault.UNREACHABLE
    assert nowhere.of(RequestSent) == [RequestSent(ended.call, b"12345", 9)]


def test_of_a_long_body_for_nobody_only_the_beginning_is_read(proxy, nowhere):
    with proxy.wire() as wire:
        size = 64 << 20
        wire.sendall(
            f"POST {nowhere.chat} HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n\r\n".encode()
        )
        wire.sendall(bytes(5 << 20))
        assert wire.recv(1 << 16).startswith(b"HTTP/1.1 502 ")

    nowhere.ended()
    [sent] = nowhere.of(RequestSent)
    assert (len(sent.data), sent.byte_length) == (4 << 20, size)


def test_a_name_that_nobody_has_is_answered_502(proxy, recorder):
    way = open_way(recorder, "http://nobody.invalid")

    assert proxy.ask("POST", way.chat, b"{}").error == "upstream_unreachable"
    assert way.ended()[0].fault is TransportFault.UNREACHABLE


def test_a_certificate_that_nobody_vouches_for_is_answered_502(proxy, recorder, tls_port):
    way = open_way(recorder, f"https://127.0.0.1:{tls_port}")

    assert proxy.ask("POST", way.chat, b"{}").error == "upstream_tls"
    assert way.ended()[0].fault is TransportFault.TLS


def test_an_upstream_without_tls_is_never_called_in_clear_instead(proxy, recorder):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        way = open_way(recorder, f"https://127.0.0.1:{listener.getsockname()[1]}")
        with proxy.connect() as connection:
            connection.request("POST", way.chat, b"{}")
            wire, _ = listener.accept()
            with wire:
                hello = wire.recv(1 << 16)
                wire.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            reply = connection.getresponse()
            assert reply.headers["X-Inspector-Error"] == "upstream_tls"
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()

    assert hello[:1] == b"\x16"
    assert way.ended()[0].fault is TransportFault.TLS


@pytest.fixture
def tls_port(tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"),
            *("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"),
            *("-keyout", key, "-out", certificate),
        ],
        check=True,
        capture_output=True,
    )
    with ScriptedUpstream(OK, certificate=certificate, key=key) as upstream:
        yield upstream.port


@pytest.fixture(scope="module")
def hasty_recorder():
    with PlayedRecorder() as recorder:
        yield recorder


@pytest.fixture(scope="module")
def hasty_proxy(hasty_recorder):
    flags = ("--idle-seconds", "0.2", "--first-byte-seconds", "0.2")
    with StartedProxy(hasty_recorder, *flags) as proxy:
        yield proxy


def test_an_upstream_that_answers_nothing_is_answered_504(hasty_proxy, hasty_recorder, upstream):
    upstream.answer(Gate())
    way = open_way(hasty_recorder, upstream.url)
    reply = hasty_proxy.ask("POST", way.chat, b"{}")

    assert (reply.status, reply.error) == (504, "upstream_timeout")
    [ended] = way.ended()
    assert (ended.outcome, ended.fault) == (
        TransportOutcome.UPSTREAM_TIMEOUT,
        TransportFault.RESPONSE_TIMEOUT,
    )
    assert upstream.ended()


def test_a_stream_that_stalls_is_cut(hasty_proxy, hasty_recorder, upstream):
    upstream.answer(CHUNKED + b"2\r\nok\r\n", Gate())
    way = open_way(hasty_recorder, upstream.url)
    _, _, body = raw(hasty_proxy, way).partition(b"\r\n\r\n")

    assert body == b"2\r\nok\r\n"
    [ended] = way.ended()
    assert (ended.outcome, ended.fault) == (
        TransportOutcome.UPSTREAM_TIMEOUT,
        TransportFault.RESPONSE_TIMEOUT,
    )
    assert upstream.ended()


def test_an_upstream_that_takes_no_body_is_answered_504(hasty_proxy, hasty_recorder, upstream):
    upstream.answer(READ_NO_BODY, Gate())
    way = open_way(hasty_recorder, upstream.url)
    length = 64 << 20
    with hasty_proxy.wire() as wire:
        wire.sendall(
            f"POST {way.chat} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n".encode()
        )
        with pouring(wire, length):
            assert wire.recv(100).startswith(b"HTTP/1.1 504 ")

    assert way.ended()[0].outcome is TransportOutcome.UPSTREAM_TIMEOUT


@contextmanager
def pouring(wire: socket.socket, length: int) -> Iterator[None]:
    """Sends a body as fast as it is taken, while the test does something else."""

    def pour() -> None:
        with suppress(OSError):
            for _ in range(length >> 16):
                wire.sendall(b"x" * (1 << 16))

    thread = threading.Thread(target=pour)
    thread.start()
    try:
        yield
    finally:
        wire.shutdown(socket.SHUT_RDWR)
        thread.join()
