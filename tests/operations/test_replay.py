"""``manage.py replay``: a server of its own process, asked over its socket."""

from __future__ import annotations

import http.client
import io
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError, call_command

from inspector.core.prompt_digest import prompt_sha256
from inspector.core.wire.exchange import Clock, Request
from inspector.operations.replaying.answer_files import load_answers
from inspector.operations.reports.input_files import InputFileError
from inspector.replay.matching import Match, MatchKind, RequestFacts, choose
from tests.replay.answers import DONE, FIRST, LAST

ROOT = Path(__file__).parent.parent.parent
ALL = FIRST + LAST + DONE
WAIT_SECONDS = 30


@dataclass(frozen=True)
class Reply:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def error(self) -> tuple[str, str]:
        told = json.loads(self.body)["error"]
        return told["code"], told["message"]


@dataclass
class Replaying:
    process: subprocess.Popen[str]
    base: str

    @property
    def port(self) -> int:
        return urlsplit(self.base).port or 0

    def ask(self, path: str, body: object = None, **headers: str) -> Reply:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_SECONDS)
        connection.request("POST", path, json.dumps(body or {}), headers)
        response = connection.getresponse()
        try:
            told = response.read()
        except http.client.IncompleteRead as short:
            return Reply(response.status, response.headers, short.partial)
        finally:
            connection.close()
        return Reply(response.status, response.headers, told)


@contextmanager
def replaying(*arguments: object) -> Iterator[Replaying]:
    started = subprocess.Popen(
        [sys.executable, "manage.py", "replay", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "INSPECTOR_BOOTSTRAP": "0", "DJANGO_SETTINGS_MODULE": "tests.settings"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with started as process:
        assert process.stdout is not None
        try:
            yield Replaying(process, process.stdout.readline().strip())
        finally:
            process.kill()


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replaying]:
    path = tmp_path_factory.mktemp("replayed") / "chat.reads.jsonl"
    path.write_text(lines((2_000, FIRST), (4_000, LAST), (6_000, DONE)))
    with replaying(path) as found:
        yield found


def lines(*reads: tuple[int, bytes]) -> str:
    return "".join(json.dumps({"at_us": at, "data": data.decode()}) + "\n" for at, data in reads)


def envelope(text: str, model: str, path: str, prompt: str) -> str:
    answered = {"model": model, "messages": [{"role": "user", "content": prompt}]}
    return json.dumps(
        {
            "request": {"method": "POST", "url": f"https://api.x.example{path}", "body": json.dumps(answered)},
            "response": {"status": 200, "headers": {"content-type": "text/plain"}, "body": text},
        }
    )  # fmt: skip


# -- one file -------------------------------------------------------------------------------------


def test_the_first_line_is_the_base_address(one: Replaying) -> None:
    assert one.base == f"http://127.0.0.1:{one.port}/v1"


@pytest.mark.parametrize(
    "path", ["/v1/chat/completions", "/v1/messages", "/", "/any?key=k&alt=sse"]
)
def test_one_file_answers_anything(one: Replaying, path: str) -> None:
    reply = one.ask(path)
    assert (reply.status, reply.body) == (200, ALL)
    assert reply.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert reply.headers["x-inspector-replay"] == "chat.reads.jsonl"
    assert reply.headers["x-inspector-replay-clock"] == "recorded"
    assert reply.headers["x-inspector-replay-assumed"] == "status, content-type"


def test_options_stand_in_the_query_in_the_path_and_in_headers(one: Replaying) -> None:
    assert one.ask("/v1/x?cut-event=1").body == FIRST
    assert one.ask("/;cut-event=2;speed=0/v1/x").body == FIRST + LAST
    # Google's SDK takes them off the base and puts them behind the whole.
    google = "/v1/models/m:generateContent"
    assert one.ask(f"{google};cut-event=2;speed=0").body == FIRST + LAST
    assert one.ask(f"{google}?alt=sse;cut-event=2;speed=0").body == FIRST + LAST
    assert one.ask("/v1/x", **{"X-Inspector-Replay-End-Mark": "drop"}).body == FIRST + LAST


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("speed=0.0001", "it may be 0, or from 0.25 to 16"),
        ("explode=1", "there are speed, jitter"),
        ("cut-byte=99999", f"from 0 to {len(ALL)}, the length of the body"),
        ("cut-byte=1&cut-event=1", "it excludes cut-event"),
    ],
)
def test_an_option_that_cannot_be_met_is_422_with_the_bounds(
    one: Replaying, query: str, message: str
) -> None:
    reply = one.ask(f"/v1/x?{query}")
    assert (reply.status, reply.headers["x-inspector-error"]) == (422, "invalid_option")
    code, told = reply.error
    assert code == "invalid_option"
    assert message in told


def test_a_cut_breaks_the_connection(one: Replaying) -> None:
    with socket.create_connection(("127.0.0.1", one.port), WAIT_SECONDS) as wire:
        wire.sendall(b"POST /v1?cut-byte=5 HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
        told = b""
        while piece := wire.recv(65_536):
            told += piece
    assert told.endswith(b"\r\n\r\n5\r\ndata:\r\n")


def test_the_first_requests_get_an_error(one: Replaying) -> None:
    query = "/v1?status=529&status-times=2&retry-after=0&seed=77"
    assert [one.ask(query).status for _ in range(4)] == [529, 529, 200, 200]
    assert [one.ask(query.replace("77", "78")).status for _ in range(3)] == [529, 529, 200]


def test_a_stall_lasts_until_the_caller_leaves_and_hinders_nobody(one: Replaying) -> None:
    with socket.create_connection(("127.0.0.1", one.port), WAIT_SECONDS) as wire:
        wire.sendall(b"POST /v1?stall-byte=5 HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
        told = b""
        while not told.endswith(b"5\r\ndata:\r\n"):
            told += wire.recv(65_536)
        assert one.ask("/v1").body == ALL


def test_every_byte_is_a_chunk_of_its_own(one: Replaying) -> None:
    with socket.create_connection(("127.0.0.1", one.port), WAIT_SECONDS) as wire:
        wire.sendall(b"POST /v1?split=bytes HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
        told = b""
        while not told.endswith(b"0\r\n\r\n"):
            told += wire.recv(65_536)
    _, _, body = told.partition(b"\r\n\r\n")
    assert body == b"".join(b"1\r\n%c\r\n" % byte for byte in ALL) + b"0\r\n\r\n"


# -- several files --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replaying]:
    folder = tmp_path_factory.mktemp("set")
    chat = "/v1/chat/completions"
    (folder / "a.json").write_text(envelope("tea", "m", chat, "Tea?"))
    (folder / "b.json").write_text(envelope("coffee", "m", chat, "Coffee?"))
    (folder / "c.json").write_text(envelope("coffee again", "m", chat, "Coffee?"))
    with replaying(folder, "--option", "speed=0") as found:
        yield found


def asked(prompt: str, model: str = "m") -> dict[str, object]:
    return {"model": model, "messages": [{"role": "user", "content": prompt}], "temperature": 1}


def test_the_same_prompt_gets_its_answer(several: Replaying) -> None:
    reply = several.ask("/v1/chat/completions", asked("Tea?"))
    assert (reply.body, reply.headers["x-inspector-replay-matched"]) == (b"tea", "prompt")


def test_several_answers_to_one_prompt_come_in_turn(several: Replaying) -> None:
    told = [several.ask("/v1/chat/completions", asked("Coffee?")).body for _ in range(3)]
    assert told == [b"coffee", b"coffee again", b"coffee"]


def test_another_prompt_gets_an_answer_of_the_same_model_and_path(several: Replaying) -> None:
    reply = several.ask("/chat/completions", asked("Milk?"))
    assert (reply.body, reply.headers["x-inspector-replay-matched"]) == (b"tea", "model")


def test_a_miss_is_404_and_names_the_nearest(several: Replaying) -> None:
    reply = several.ask("/v1/chat/completions", asked("Milk?", model="n"))
    assert (reply.status, reply.headers["x-inspector-error"]) == (404, "no_match")
    assert (
        reply.error[1]
        == "No answer fits this request. The nearest is a.json: it has another model."
    )


def test_each_readable_entry_of_a_har_is_an_answer(tmp_path: Path) -> None:
    entries = [
        {
            "request": {"method": "POST", "url": "https://x.example/v1/chat/completions", "postData": {"text": json.dumps(asked(prompt))}},
            "response": {"status": 200, "headers": [], "content": {"mimeType": kind, "text": text}},
        }
        for prompt, kind, text in (
            ("Tea?", "application/json", '"tea"'),
            ("Cup?", "image/png", "picture"),
            ("Coffee?", "application/json", '"coffee"'),
        )
    ]  # fmt: skip
    path = tmp_path / "session.har"
    path.write_text(json.dumps({"log": {"entries": entries}}))
    tea, coffee = load_answers([str(path)], prompt_sha256)
    assert [each.answer.name for each in (tea, coffee)] == ["session.har 1", "session.har 3"]
    assert [read.data for read in coffee.answer.reads] == [b'"coffee"']
    assert coffee.answer.clock is Clock.NONE
    assert coffee.facts.prompt_sha256 == prompt_sha256(
        Request(body=json.dumps(asked("Coffee?")).encode())
    )
    assert (coffee.facts.path, coffee.facts.model) == ("/v1/chat/completions", "m")


def test_a_har_without_a_response_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.har"
    path.write_text('{"log": {"entries": []}, "response": 1}')
    with pytest.raises(InputFileError, match="no response in it"):
        load_answers([str(path)], prompt_sha256)


def test_a_body_that_only_looks_like_a_har_is_sent_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "body.json"
    path.write_text('{"response": {"text": "hello"}}')
    (one,) = load_answers([str(path)], prompt_sha256)
    assert one.answer.reads[0].data == b'{"response": {"text": "hello"}}'


def test_a_key_that_the_response_repeats_stays_as_it_was(tmp_path: Path) -> None:
    """Nothing is stored, and bytes that were masked would not be those of the recording."""
    key = "Bearer sk-proj-abcdefghijklmnopqrstuvwx0123456789ABCDEFGH"
    body = json.dumps({"echo": key})
    told = {
        "request": {"headers": {"authorization": key}},
        "response": {"status": 200, "body": body},
    }
    path = tmp_path / "kept.json"
    path.write_text(json.dumps(told))
    (one,) = load_answers([str(path)], prompt_sha256)
    assert one.answer.reads[0].data == body.encode()


def test_files_without_requests_answer_in_order(tmp_path: Path) -> None:
    (tmp_path / "1.json").write_text('{"a":1}')
    (tmp_path / "2.json").write_text('{"a":2}')
    loaded = load_answers([str(tmp_path)], prompt_sha256)
    assert [each.answer.name for each in loaded] == ["1.json", "2.json"]
    assert choose(RequestFacts(path="/v1"), [each.facts for each in loaded]) == Match(
        MatchKind.ORDER, (0, 1)
    )


# -- its life -------------------------------------------------------------------------------------


def test_sigterm_ends_it_with_0_and_a_stream_that_runs_with_it(tmp_path: Path) -> None:
    path = tmp_path / "a.sse"
    path.write_bytes(ALL)
    with (
        replaying(path) as found,
        socket.create_connection(("127.0.0.1", found.port), WAIT_SECONDS) as wire,
    ):
        wire.sendall(b"POST /v1?stall-byte=5 HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
        assert wire.recv(4)
        found.process.send_signal(signal.SIGTERM)
        assert found.process.wait(WAIT_SECONDS) == 0


def test_it_ends_when_its_input_does(tmp_path: Path) -> None:
    path = tmp_path / "a.sse"
    path.write_bytes(ALL)
    with replaying(path, "--until-input-ends") as found:
        assert found.ask("/v1").body == ALL
        assert found.process.stdin is not None
        found.process.stdin.close()
        assert found.process.wait(WAIT_SECONDS) == 0


def refusal(*arguments: object) -> str:
    with pytest.raises(CommandError) as refused:
        call_command("replay", *map(str, arguments), stdout=io.StringIO())
    assert refused.value.returncode == 2
    return str(refused.value)


def test_what_cannot_be_read_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "bad.reads.jsonl").write_text("{}\n")
    assert "no-such.sse: No such file" in refusal(tmp_path / "no-such.sse")
    assert "line 1" in refusal(tmp_path / "bad.reads.jsonl")


def test_options_of_the_command_line_are_checked_at_the_start(tmp_path: Path) -> None:
    path = tmp_path / "a.sse"
    path.write_bytes(ALL)
    assert "it may be 0, or from 0.25 to 16" in refusal(path, "--option", "speed=99")


def test_a_port_that_is_taken_is_told_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.sse"
    path.write_bytes(ALL)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"cannot listen on 127.0.0.1, port {port}" in refusal(path, "--port", port)
