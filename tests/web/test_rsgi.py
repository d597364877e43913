"""Requests as the server hands them over, and when a thread begins to work for one."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from threading import Thread
from types import SimpleNamespace
from typing import Any

from inspector.web.rsgi import SMALL_BYTES, RsgiApplication, environ_of


class Headers:
    """As the server's: names in small letters, each with all of its values."""

    def __init__(self, *pairs: tuple[str, str]) -> None:
        self._pairs = pairs

    def keys(self) -> list[str]:
        return list(dict.fromkeys(name for name, _ in self._pairs))

    def get_all(self, name: str) -> list[str]:
        return [value for each, value in self._pairs if each == name]


@dataclass
class Client:
    """Sends pieces, then stops without ending where it is told to; keeps what it is answered."""

    pieces: list[bytes]
    stops: bool = False
    answers: list[tuple[int, bytes]] = field(default_factory=list)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while self.pieces:
            yield self.pieces.pop(0)
        if self.stops:
            await asyncio.Event().wait()

    def response_bytes(self, status: int, headers: object, body: bytes) -> None:
        self.answers.append((status, body))


def scope(*headers: tuple[str, str], path: str = "/") -> Any:
    return SimpleNamespace(
        http_version="1.1",
        server="127.0.0.1:8000",
        client="[2001:db8::1]:4711",
        scheme="http",
        method="POST",
        path=path,
        query_string="a=%20b",
        authority=None,
        headers=Headers(*headers),
    )


def says(answer: Callable[[Any], bytes]) -> Any:
    def application(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        start("200 OK", [])
        return [answer(environ["wsgi.input"])]

    return application


def asked(application: Any, client: Client, *headers: tuple[str, str]) -> tuple[int, bytes]:
    front = RsgiApplication(application, threads=1, turns=1)
    asyncio.run(front.__rsgi__(scope(*headers), client))
    (answer,) = client.answers
    return answer


def test_headers_path_and_peer_are_told_as_wsgi_wants_them() -> None:
    environ = environ_of(
        scope(
            ("content-type", "text/plain"),
            ("content-length", "3"),
            ("x-a", "1"),
            ("x-a", "2"),
            ("x_real_ip", "192.0.2.1"),
            path="/é/",
        )
    )
    assert (environ["CONTENT_TYPE"], environ["CONTENT_LENGTH"]) == ("text/plain", "3")
    assert environ["HTTP_X_A"] == "1,2" and "HTTP_X_REAL_IP" not in environ
    assert (environ["REMOTE_ADDR"], environ["SERVER_PORT"]) == ("2001:db8::1", "8000")
    assert environ["PATH_INFO"].encode("latin-1").decode() == "/é/"
    assert environ["QUERY_STRING"] == "a=%20b"


def test_a_small_body_is_there_before_a_thread_works_for_it() -> None:
    client = Client([b"ab", b"", b"c"])
    body = asked(says(lambda sent: sent.getvalue()), client, ("content-length", "3"))
    assert body == (200, b"abc")


def test_a_large_body_is_read_by_whoever_works_for_it_as_it_comes() -> None:
    client = Client([b"a" * SMALL_BYTES, b"b" * 10])
    read: list[int] = []

    def answer(sent: Any) -> bytes:
        while piece := sent.read(SMALL_BYTES - 1):
            read.append(len(piece))
        return b"all"

    length = str(SMALL_BYTES + 10)
    assert asked(says(answer), client, ("content-length", length)) == (200, b"all")
    assert read == [SMALL_BYTES - 1, 11]


def test_what_was_not_read_is_passed_over_before_the_answer() -> None:
    client = Client([b"a" * SMALL_BYTES] * 3)
    length = str(SMALL_BYTES * 3)
    assert asked(says(lambda sent: b"no"), client, ("content-length", length)) == (200, b"no")
    assert client.pieces == []


def test_who_asks_before_they_send_is_answered_without_the_body() -> None:
    client = Client([b"a" * SMALL_BYTES] * 3)
    headers = (("content-length", str(SMALL_BYTES * 3)), ("expect", "100-continue"))
    assert asked(says(lambda sent: b"no"), client, *headers) == (200, b"no")
    assert len(client.pieces) == 3


def test_a_read_that_still_waits_ends_with_its_request() -> None:
    """The reader must not stay where whoever waited for it gave up, as ``patience`` does."""
    readers: list[Thread] = []
    ended: list[str] = []

    def read(sent: Any) -> None:
        try:
            sent.read(SMALL_BYTES * 2)
        except ConnectionAbortedError:
            ended.append("aborted")

    def answer(sent: Any) -> bytes:
        readers.append(Thread(target=read, args=(sent,)))
        readers[0].start()
        while sent._waits is None:
            pass
        return b"too slow"

    client = Client([], stops=True)
    length = str(SMALL_BYTES * 2)
    assert asked(says(answer), client, ("content-length", length)) == (200, b"too slow")
    readers[0].join(120)
    assert ended == ["aborted"]


def test_an_answer_in_pieces_is_handed_over_at_once_where_it_is_short() -> None:
    class Streaming(list[bytes]):
        streaming = True

    def application(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        start("200 OK", [])
        return Streaming([b"a", b"b"])

    assert asked(application, Client([])) == (200, b"ab")
