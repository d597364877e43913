"""How calls pass the shipped nginx on their way to the capturing proxy and back.

The proxy is a socket of the test here: what it was sent is read, what it answers is written.
"""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from development import servers
from tests import wire
from tests.production.door import nginx_before
from tests.production.installation import wait_until

pytestmark = pytest.mark.thorough

KEY = "ri_a_key_that_captures"
PLACE = f"/proxy/{KEY}/openai/v1/chat/completions"
HEAD = f"POST {PLACE}?page=1 HTTP/1.1\r\nHost: inspector.example\r\n"
BOUND_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class ProxyDoor:
    port: int
    log: Path
    listening: socket.socket

    @contextmanager
    def call(self, request: bytes) -> Iterator[tuple[socket.socket, socket.socket]]:
        """A client that sent this, and the proxy's end of the call."""
        with wire.connected(self.port) as client:
            client.sendall(request)
            proxied, _ = self.listening.accept()
            with proxied:
                proxied.settimeout(BOUND_SECONDS)
                yield client, proxied


@pytest.fixture
def door() -> Iterator[ProxyDoor]:
    nginx = servers.find_nginx()
    if nginx is None:
        pytest.skip("there is no nginx: apt-get install nginx-light")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(BOUND_SECONDS)
        proxies = [listening.getsockname()[1]]
        with nginx_before([servers.NOBODYS_PORT], proxies, nginx=nginx) as (port, log):
            yield ProxyDoor(port, log, listening)


def read_until(end: socket.socket, mark: bytes) -> bytes:
    found = b""
    while mark not in found:
        piece = end.recv(65_536)
        assert piece, found
        found += piece
    return found


def answered(door: ProxyDoor, headers: bytes) -> bytes:
    """Return the bytes that a client gets of an answer with these headers."""
    with door.call(HEAD.encode() + b"Content-Length: 2\r\n\r\n{}") as (client, proxied):
        read_until(proxied, b"{}")
        proxied.sendall(b"HTTP/1.1 200 OK\r\n" + headers + b"Content-Length: 2\r\n\r\nok")
        return read_until(client, b"\r\n\r\nok")


def test_a_request_is_passed_on_before_it_is_whole(door: ProxyDoor) -> None:
    begun = HEAD.encode() + b"Transfer-Encoding: chunked\r\n\r\n5\r\nbegin\r\n"
    with door.call(begun) as (client, proxied):
        assert b"begin" in read_until(proxied, b"begin")
        client.sendall(b"3\r\nend\r\n0\r\n\r\n")
        read_until(proxied, b"end")


def test_a_body_may_be_longer_than_any_that_web_takes(door: ProxyDoor) -> None:
    length = 400 * 1024 * 1024
    begun = HEAD.encode() + b"Content-Length: %d\r\n\r\nbegin" % length
    with door.call(begun) as (_, proxied):
        assert b"Content-Length: %d\r\n" % length in read_until(proxied, b"begin")


def test_each_read_of_an_answer_is_passed_on_at_once(door: ProxyDoor) -> None:
    with door.call(HEAD.encode() + b"Content-Length: 2\r\n\r\n{}") as (client, proxied):
        read_until(proxied, b"{}")
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
        proxied.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n7\r\ndata: 1\r\n")
        read_until(client, b"data: 1")
        proxied.sendall(b"7\r\ndata: 2\r\n0\r\n\r\n")
        read_until(client, b"data: 2")


def test_a_client_that_goes_is_gone_for_the_proxy_too(door: ProxyDoor) -> None:
    with door.call(HEAD.encode() + b"Content-Length: 2\r\n\r\n{}") as (client, proxied):
        read_until(proxied, b"{}")
        client.close()
        assert proxied.recv(1) == b""


def test_path_query_and_credentials_come_through_and_nothing_of_the_way_is_added(
    door: ProxyDoor,
) -> None:
    odd = f"/proxy/{KEY}/openai/v1/%2e%2e/a%20b//c?q=%0a&q".encode()
    request = (
        b"POST " + odd + b" HTTP/1.1\r\nHost: inspector.example\r\nAuthorization: Bearer sk-1\r\n"
        b"X-Forwarded-For: 192.0.2.1\r\nForwarded: for=192.0.2.1\r\nX-Real-IP: 192.0.2.1\r\n"
        b"Accept-Encoding: br\r\nContent-Length: 2\r\n\r\n{}"
    )
    with door.call(request) as (_, proxied):
        found = read_until(proxied, b"{}")
    assert found.startswith(b"POST " + odd + b" HTTP/1.1\r\n")
    assert b"Authorization: Bearer sk-1\r\n" in found and b"Accept-Encoding: br\r\n" in found
    for name in (b"forwarded", b"x-real-ip", b"192.0.2.1", b"127.0.0.1"):
        assert name not in found.lower()


def test_an_upgrade_is_the_proxys_to_refuse(door: ProxyDoor) -> None:
    upgrade = b"Connection: Upgrade\r\nUpgrade: WebSocket\r\n\r\n"
    with door.call(HEAD.replace("POST", "GET").encode() + upgrade) as (_, proxied):
        found = read_until(proxied, b"\r\n\r\n").lower()
    assert b"upgrade: websocket\r\n" in found and b"connection: upgrade\r\n" in found


def test_an_offer_of_http_2_is_not_passed_on(door: ProxyDoor) -> None:
    offer = b"Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\n{}"
    with door.call(HEAD.encode() + offer) as (_, proxied):
        assert b"upgrade" not in read_until(proxied, b"{}").lower()


def test_the_providers_own_headers_come_back(door: ProxyDoor) -> None:
    found = answered(door, b"Server: cloud\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n")
    assert b"Server: cloud\r\n" in found and b"Date: Thu, 01 Jan 1970" in found
    assert found.count(b"Server: ") == found.count(b"Date: ") == 1


def test_many_headers_of_a_provider_fit(door: ProxyDoor) -> None:
    long = b"".join(b"X-Limit-%d: %s\r\n" % (n, b"v" * 1000) for n in range(40))
    assert answered(door, long).count(b"X-Limit-") == 40


def test_a_provider_cannot_send_nginx_elsewhere(door: ProxyDoor) -> None:
    found = answered(door, b"X-Accel-Redirect: /door/admission\r\nX-Accel-Limit-Rate: 1\r\n")
    assert found.startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("wanted", ["document", "iframe", "script", "serviceworker"])
def test_an_answer_of_a_provider_is_never_loaded_as_a_page_of_ours(
    door: ProxyDoor, wanted: str
) -> None:
    asked = f"GET {PLACE} HTTP/1.1\r\nHost: inspector.example\r\nSec-Fetch-Dest: {wanted}\r\n\r\n"
    with wire.connected(door.port) as client:
        client.sendall(asked.encode())
        found = read_until(client, b"}}")
    assert found.startswith(b"HTTP/1.1 403 ")
    assert b"X-Inspector-Error: not_to_be_loaded\r\n" in found


def test_a_browser_that_does_not_say_what_it_wants_runs_nothing_of_it(door: ProxyDoor) -> None:
    found = answered(door, b"Content-Type: text/html\r\n")
    assert b"Content-Security-Policy: sandbox; default-src 'none'\r\n" in found
    assert b"X-Content-Type-Options: nosniff\r\n" in found


def test_a_script_of_a_page_may_call(door: ProxyDoor) -> None:
    asked = HEAD.encode() + b"Sec-Fetch-Dest: empty\r\nContent-Length: 2\r\n\r\n{}"
    with door.call(asked) as (_, proxied):
        read_until(proxied, b"{}")


def test_without_a_proxy_the_answer_says_so_in_its_words(door: ProxyDoor) -> None:
    door.listening.close()
    with wire.connected(door.port) as client:
        client.sendall(HEAD.encode() + b"Content-Length: 2\r\n\r\n{}")
        found = read_until(client, b"}}")
    assert found.startswith(b"HTTP/1.1 503 ") and b"Retry-After: 1\r\n" in found
    assert b"X-Inspector-Error: unavailable\r\n" in found and b'"code":"unavailable"' in found


def test_neither_key_nor_address_is_in_any_log(door: ProxyDoor) -> None:
    answered(door, b"")
    door.listening.close()
    with wire.connected(door.port) as client:
        client.sendall(HEAD.encode() + b"Connection: close\r\nContent-Length: 2\r\n\r\n{}")
        wire.told(client)
    wait_until(lambda: door.log.read_text().count(' /proxy/*" ') == 2)
    written = door.log.read_text()
    assert KEY not in written and "completions" not in written
