"""``tee``: the pipe goes on whatever becomes of the copy, which has the times that were noted."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from inspector.archive.intake.envelope import parse_envelope
from inspector.core.wire.exchange import Read, TransportOutcome
from inspector.operations.remote import tee
from inspector.operations.remote.tee import NotedReads, exchange_of
from tests.api.serving import Server
from tests.operations.remote.installations import absent, talking

ROOT = Path(__file__).parent.parent.parent.parent
FIRST = b'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n'
LAST = b"data: [DONE]\n\n"


@contextmanager
def teeing(*arguments: str, url: str = "", key: str = "k") -> Iterator[subprocess.Popen[bytes]]:
    environment = {**os.environ, "INSPECTOR_URL": url, "INSPECTOR_KEY": key}
    command = [sys.executable, "-m", "inspector", "tee", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, env=environment, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def noted(*pieces: tuple[int, bytes]) -> NotedReads:
    found = NotedReads()
    for at_us, piece in pieces:
        found.note(piece, 5_000_000 + at_us * 1000)
    return found


def test_each_piece_is_passed_on_before_the_next_one_comes(server: Server) -> None:
    before = server.count()
    with teeing("--send", "--tag", "piped", url=server.url, key=server.key) as process:
        assert process.stdin and process.stdout and process.stderr
        for piece in (FIRST, LAST):
            process.stdin.write(piece)
            process.stdin.flush()
            assert process.stdout.read(len(piece)) == piece
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.stderr.read() == b""
        assert process.wait() == 0
    assert server.count() == before + 1


def test_the_copy_has_the_time_of_each_piece() -> None:
    with talking() as installation:
        installation.plan(202)
        with teeing("--send", url=installation.url) as process:
            assert process.stdin and process.stdout
            for piece in (FIRST, LAST):
                process.stdin.write(piece)
                process.stdin.flush()
                assert process.stdout.read(len(piece)) == piece
            process.stdin.close()
            assert process.wait() == 0
    [posted] = installation.asked
    envelope = json.loads(posted.body)
    first, second = envelope["response"]["reads"]
    assert (first["at_us"], first["data"], second["data"]) == (0, FIRST.decode(), LAST.decode())
    assert second["at_us"] > 0
    assert envelope["response"]["headers"] == [["content-type", "text/event-stream"]]
    assert posted.headers["Idempotency-Key"]
    assert parse_envelope(posted.body).exchange.body == FIRST + LAST


@pytest.mark.parametrize("key", ["k", ""])
def test_a_server_that_is_down_leaves_the_pipe_unharmed_with_one_warning(key: str) -> None:
    with absent() as url, teeing("--send", "--patience", "0", url=url, key=key) as process:
        out, err = process.communicate(FIRST + LAST)
    assert (out, process.returncode) == (FIRST + LAST, 0)
    [warning] = err.decode().splitlines()
    assert warning.startswith("tee: not kept: ")


def test_a_recording_of_reads_is_written_without_a_server(tmp_path: Path) -> None:
    file = tmp_path / "a.reads.jsonl"
    with teeing("--reads", str(file)) as process:
        out, _ = process.communicate(FIRST)
    assert out == FIRST
    assert json.loads(file.read_text()) == {"at_us": 0, "data": FIRST.decode()}


def test_without_anything_to_do_it_says_so_before_it_reads() -> None:
    with teeing() as process:
        _, err = process.communicate(b"")
    assert process.returncode == 2
    assert b"tee needs --send, --reads FILE, or both" in err


def test_where_the_reader_leaves_what_came_until_then_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "a.reads.jsonl"
    with teeing("--reads", str(file)) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdout.close()
        process.stdin.write(FIRST)
        process.stdin.close()
        assert process.wait() == 0
        assert process.stderr.read() == b""
    assert json.loads(file.read_text())["data"] == FIRST.decode()


def test_times_count_from_the_first_piece() -> None:
    found = noted((100, b"a"), (350, b"b"))
    assert found.reads == [Read(0, b"a"), Read(250, b"b")]


def test_of_more_than_is_kept_the_beginning_is_kept_and_said_to_be_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tee, "MOST_KEPT_BYTES", 3)
    found = noted((0, b"ab"), (1, b"cd"), (2, b"e"))
    assert (found.reads, found.outcome) == ([Read(0, b"ab")], TransportOutcome.CAPPED)


@pytest.mark.parametrize(
    ("body", "content_type"),
    [(FIRST, "text/event-stream"), (b' {"a":1}', "application/json"), (b"hello", None)],
)
def test_the_content_type_is_that_of_the_bytes(body: bytes, content_type: str | None) -> None:
    assert exchange_of(noted((0, body))).content_type == content_type


def test_heads_that_curl_wrote_in_front_are_status_and_headers() -> None:
    heads = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/2 429 \r\ncontent-type: text/event-stream\r\nretry-after: 3\r\n\r\n"
    exchange = exchange_of(noted((0, heads[:30]), (5, heads[30:] + FIRST), (9, LAST)))
    assert exchange.reads == (Read(5, FIRST), Read(9, LAST))
    assert (exchange.status_code, exchange.content_type) == (429, "text/event-stream")
    assert exchange.headers == (("content-type", "text/event-stream"), ("retry-after", "3"))


def test_a_head_without_its_end_is_part_of_the_body() -> None:
    exchange = exchange_of(noted((0, b"HTTP/1.1 200 OK\r\na: b")))
    assert (exchange.status_code, exchange.body) == (None, b"HTTP/1.1 200 OK\r\na: b")
