"""The real server, by raw sockets: what no test client can send."""

import json
import socket
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from urllib.request import Request, urlopen

import pytest

from tests import wire
from tests.api.serving import HEADERS, Server


def test_a_whole_body_is_taken_however_slowly_it_comes(server: Server) -> None:
    before = server.count()
    assert server.post(b"Content-Length: 2\r\n\r\n{}") == (202, "")
    assert server.count() == before + 1


def test_an_upload_that_is_cut_is_not_stored(server: Server) -> None:
    before = server.count()
    answer = server.post(b'Content-Length: 1000\r\n\r\n{"a":1}', then_end=True)
    assert answer == (400, "body_incomplete")
    assert server.count() == before


def test_a_chunked_body_is_asked_for_its_length(server: Server) -> None:
    body = b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    assert server.post(body) == (411, "length_required")


@pytest.mark.parametrize("length", ["-1", "+2", "2,2", "0x2", "9" * 30])
def test_a_length_that_is_none_is_refused(server: Server, length: str) -> None:
    assert server.post(f"Content-Length: {length}\r\n\r\n{{}}".encode())[0] == 400


def test_body_over_limit_gets_its_answer_although_it_is_still_being_sent(server: Server) -> None:
    body = b"a" * 5_000_000
    answer = server.post(b"Content-Length: 5000000\r\n\r\n" + body)
    assert answer == (413, "body_too_large")


def test_the_rest_of_an_understated_body_is_no_request(server: Server) -> None:
    before = server.count()
    smuggled = HEADERS.format(key=server.key).encode() + b"Content-Length: 2\r\n\r\n{}"
    assert server.post(b"Content-Length: 2\r\nConnection: close\r\n\r\n{}" + smuggled)[0] == 202
    assert server.count() == before + 1


@pytest.mark.parametrize(
    ("framing", "answer"),
    [
        (b"Transfer-Encoding: chunked\r\n\r\n", (411, "length_required")),
        (b"Connection: close\r\nContent-Length: 10\r\n\r\n", (202, "")),
    ],
    ids=["no length", "an understated length"],
)
def test_fifty_megabytes_that_nobody_announced_are_neither_read_nor_held(
    server: Server, framing: bytes, answer: tuple[int, str]
) -> None:
    head = HEADERS.format(key=server.key).encode()
    before = server.memory_bytes()
    parts = [b"100000\r\n" + b"a" * (1 << 20) + b"\r\n"] * 50
    assert wire.ask(server.port, head + framing, *parts) == [answer]
    assert server.memory_bytes() < before + (10 << 20)


@pytest.mark.parametrize(
    "headers",
    [
        b"X-A: 1\r\n" * 20_000,
        b"X-A: " + b"a" * (1 << 20) + b"\r\n",
        b"".join(b"X-%d: 1\r\n" % number for number in range(10_000)),
    ],
    ids=["copies of one", "one that is long", "names"],
)
def test_headers_without_end_are_refused(server: Server, headers: bytes) -> None:
    head = HEADERS.format(key=server.key).encode()
    assert wire.ask(server.port, head + headers + b"Content-Length: 2\r\n\r\n{}") == [(431, "")]


def batch(server: Server, more: bytes, *, then_end: bool = False) -> list[tuple[int, int]]:
    """Line and status of each result."""
    head = HEADERS.format(key=server.key).replace("/captures/ ", "/captures/batch/ ")
    with socket.create_connection(("127.0.0.1", server.port), timeout=120) as open_:
        open_.sendall(head.encode() + b"Connection: close\r\n" + more)
        if then_end:
            open_.shutdown(socket.SHUT_WR)
        with open_.makefile("rb") as answer:
            found = answer.read().partition(b"\r\n\r\n")[2]
    results = [json.loads(line) for line in found.splitlines() if line.startswith(b"{")]
    return [(result["line"], result["status"]) for result in results]


LINE = b'{"response":{"body":"{}"}}\n'
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def test_a_batch_may_come_in_chunks_that_end_anywhere(server: Server) -> None:
    before = server.count()
    body = LINE * 3
    chunks = b"".join(chunk(body[n : n + 7]) for n in range(0, len(body), 7))
    assert batch(server, CHUNKED + chunks + b"0\r\n\r\n") == [(1, 202), (2, 202), (3, 202)]
    assert server.count() == before + 3


def test_a_batch_that_is_cut_keeps_its_whole_lines_and_tells_of_the_last(server: Server) -> None:
    before = server.count()
    sent = CHUNKED + chunk(LINE + LINE[:10])
    assert batch(server, sent, then_end=True) == [(1, 202), (2, 400)]
    assert server.count() == before + 1


def test_who_waits_is_answered_with_the_analysis_by_the_real_server(server: Server) -> None:
    with urlopen(asking(server, "/api/v1/captures/?wait=10", b'{"choices":[]}')) as answer:
        found = json.load(answer)
    assert (answer.status, found["state"]) == (200, "inspected")
    assert found["analysis"]["findings"]


def asking(server: Server, path: str, body: bytes | None = None) -> Request:
    headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
    return Request(server.url + path, body, headers)


@contextmanager
def locked(server: Server) -> Iterator[None]:
    """Somebody else writes and does not end; the key's last use is to be noted again, too."""
    other = sqlite3.connect(server.folder / "inspector.sqlite3", isolation_level=None)
    other.execute("UPDATE teams_apikey SET last_used_at = NULL")
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


@pytest.mark.thorough
@pytest.mark.embedded
def test_all_who_ask_at_once_get_an_answer_while_the_database_is_locked(server: Server) -> None:
    before = server.count()
    with locked(server), ThreadPoolExecutor(12) as pool:
        answers = [pool.submit(server.post, b"Content-Length: 2\r\n\r\n{}") for _ in range(12)]
        assert {answer.result() for answer in answers} == {(503, "unavailable")}
    assert server.post(b"Content-Length: 2\r\n\r\n{}") == (202, "")
    assert server.count() == before + 1
