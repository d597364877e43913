"""Requests that reach web through the shipped nginx, or do not: framing, and clients that stop."""

import select
import shutil
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from development import servers
from inspector.archive.models import Capture, Evidence
from tests import wire
from tests.production.door import Door, door_of, small_place
from tests.production.installation import BOUND_SECONDS, Installation, wait_until

pytestmark = [pytest.mark.production, pytest.mark.thorough]

CHUNKED = b"Transfer-Encoding: chunked\r\n"
CLOSE = b"Connection: close\r\n"
WHOLE = CLOSE + b"Content-Length: 2\r\n\r\n{}"
END = b"0\r\n\r\n"
MALFORMED = (400, "bad_request")


@pytest.fixture
def door(installation: Installation) -> Iterator[Door]:
    nginx = servers.find_nginx()
    if nginx is None:
        pytest.skip("there is no nginx: apt-get install nginx-light")
    installation.web()
    with door_of(installation, nginx) as door:
        yield door


@pytest.fixture
def small_door(installation: Installation, tmp_path: Path) -> Iterator[Door]:
    """All that it buffers lies where 20 MB have room."""
    nginx = servers.find_nginx()
    if nginx is None:
        pytest.skip("there is no nginx: apt-get install nginx-light")
    installation.web()
    # Not below pytest's own folders: nginx gives its work to a user who must get in.
    with TemporaryDirectory(prefix="inspector-small-") as name:
        Path(name).chmod(0o755)
        with small_place(Path(name) / "small", "20m") as place:
            if place is None:
                pytest.skip("no small file system can be mounted by this user")
            with door_of(installation, nginx, place) as door:
                yield door


def test_a_capture_comes_through_whole_or_in_chunks(door: Door) -> None:
    assert door.ask(door.head + WHOLE) == [(202, "")]
    chunks = b"1\r\n{\r\n1\r\n}\r\n" + END
    assert door.ask(door.head + CLOSE + CHUNKED + b"\r\n" + chunks) == [(202, "")]
    assert list(Capture.objects.values_list("byte_length", flat=True)) == [2, 2]


OF_TWO_READINGS = [
    b"Content-Length: 5\r\n" + CHUNKED,
    b"Content-Length: 5\r\nContent-Length: 6\r\n",
    b"Transfer-Encoding: chunked, identity\r\n",
    b"Transfer-Encoding: xchunked\r\n",
    b"Transfer-Encoding: chunked, chunked\r\n",
    b"Transfer-Encoding: identity\r\n",
    b"Transfer-Encoding: \x0bchunked\r\n",
    b"Transfer-Encoding\t: chunked\r\n",
    CHUNKED + CHUNKED,
]
NO_SIZES = [b"F" * 16, b"-1", b"0x2", b" 2", b""]


def test_a_body_that_two_could_read_otherwise_is_refused_and_the_connection_ends(
    door: Door, subtests: pytest.Subtests
) -> None:
    smuggled = door.head + WHOLE
    no_chunks = [CHUNKED + b"\r\n" + size + b"\r\n{}\r\n" + END for size in NO_SIZES]
    for rest in [framing + b"\r\n" + END for framing in OF_TWO_READINGS] + no_chunks:
        with subtests.test(rest=rest):
            assert door.ask(door.head + rest + smuggled) == [MALFORMED]
    assert not Capture.objects.exists()


@pytest.mark.parametrize(
    "chunks", [b"2\n{}\n0\n\n", b"2;" + b"x" * (1 << 20) + b"\r\n{}\r\n" + END], ids=["LF", "long"]
)
def test_odd_chunks_that_nginx_takes_reach_web_as_a_body_of_their_bytes_alone(
    door: Door, chunks: bytes
) -> None:
    # What follows is a request to both: nginx sends each on with a length of its own.
    answers = door.ask(door.head + CHUNKED + b"\r\n" + chunks + door.head + WHOLE)
    assert answers == [(202, ""), (202, "")]
    assert list(Capture.objects.values_list("byte_length", flat=True)) == [2, 2]
    wait_until(lambda: door.log.read_text().count('"POST ') == 2)


ASKED_MEANWHILE = 20


def test_headers_without_end_are_refused(door: Door) -> None:
    for headers in (b"X-A: 1\r\n" * 20_000, b"X-A: " + b"a" * (1 << 20) + b"\r\n"):
        assert door.ask(door.head + headers + WHOLE) == [MALFORMED]


def test_who_stops_in_the_middle_is_ended_and_nobody_waits_for_them(door: Door) -> None:
    with ExitStack() as open_:
        slow = [open_.enter_context(wire.connected(door.port)) for _ in range(200)]
        for number, each in enumerate(slow):
            # Half of them in the middle of the head, half in the middle of the body.
            each.sendall(door.head if number % 2 else door.head + b"Content-Length: 99\r\n\r\n{}")
        for _ in range(ASKED_MEANWHILE):
            assert door.ask(door.head + WHOLE) == [(202, "")]
        answers = [wire.told(each) for each in slow]
    # nginx ends them with 408 in its log and without a word to whoever does not listen.
    assert {status for answer in answers for status, _ in answer} <= {408}
    assert Capture.objects.count() == Evidence.objects.count() == ASKED_MEANWHILE


def buffered_bytes(door: Door) -> int:
    """In the files where nginx keeps what does not fit into its memory."""
    return sum(path.stat().st_size for path in door.log.parent.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    "framing", [b"Content-Length: 50000000\r\n\r\n", CHUNKED + b"\r\n800000\r\n"], ids=str
)
def test_a_large_body_of_a_stranger_is_refused_before_it_comes(door: Door, framing: bytes) -> None:
    head = door.head.replace(b"Authorization", b"X-Nothing")
    before = buffered_bytes(door)
    with wire.connected(door.port) as open_:
        open_.sendall(head + framing)
        open_.sendall(b"a" * 4_000_000)
        assert open_.recv(wire.MAX_BYTES).startswith(b"HTTP/1.1 401 ")
        assert buffered_bytes(door) < before + 1_000_000


STRANGERS = [
    b"POST /api/v1/captures/batch/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 290000000\r\n\r\n",
    b"POST /api/v1/captures/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 60000000\r\n\r\n",
    b"POST /v1/feedback HTTP/1.1\r\nHost: 127.0.0.1\r\n" + CHUNKED + b"\r\n4000000\r\n",
    b"POST /sign-in/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999\r\n\r\n",
    b"POST /api/v1/captures/batch/ HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    b"Authorization: Bearer ri_nobodys\r\nContent-Length: 290000000\r\n\r\n",
]


def test_trickling_strangers_leave_room_for_large_bodies_of_whoever_has_a_key(
    small_door: Door,
) -> None:
    body = b'{"a":"' + b"a" * 3_000_000 + b'"}'
    large = small_door.head + CLOSE + b"Content-Length: %d\r\n\r\n" % len(body) + body
    with ExitStack() as open_:
        held = [open_.enter_context(wire.connected(small_door.port)) for _ in range(50)]
        for number, each in enumerate(held):
            each.settimeout(2)
            with suppress(OSError):
                each.sendall(STRANGERS[number % len(STRANGERS)] + b"a" * 90_000)
                each.sendall(b"a" * 9_000_000)
        for _ in range(5):
            trickle(held)
            assert free_bytes(small_door) > 16_000_000
            assert small_door.ask(large) == [(202, "")]
    assert Capture.objects.count() == 5


def trickle(held: list[socket.socket]) -> None:
    for each in held:
        with suppress(OSError):
            each.sendall(b"a")


def free_bytes(door: Door) -> int:
    return shutil.disk_usage(door.log.parent).free


def test_a_large_body_of_whoever_has_a_key_is_taken(door: Door) -> None:
    body = b'{"a":"' + b"a" * 3_000_000 + b'"}'
    assert door.ask(door.head + CLOSE + b"Content-Length: %d\r\n\r\n" % len(body) + body) == [
        (202, "")
    ]


def test_one_address_has_so_many_large_bodies_at_once(door: Door) -> None:
    with ExitStack() as open_:
        large = [open_.enter_context(wire.connected(door.port)) for _ in range(17)]
        for each in large:
            each.sendall(door.head + b"Content-Length: 9000000\r\n\r\na")
        # Whichever nginx comes to last: its processes take turns as they like.
        [refused], _, _ = select.select(large, [], [], BOUND_SECONDS)
        assert refused.recv(wire.MAX_BYTES).startswith(b"HTTP/1.1 429 ")
        assert door.ask(door.head + WHOLE) == [(202, "")]


def test_what_nobody_asks_for_by_this_path_stays_inside(door: Door) -> None:
    inside = b"GET /door/admission HTTP/1.1\r\nHost: 127.0.0.1\r\n" + CLOSE + b"\r\n"
    assert door.ask(inside) == [(404, "")]
