"""Every call is sent, spooled or dropped, and counted as that, whatever the server does."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from response_inspector import Counts, capture, counts, deliveries, delivery, flush

from tests.clients.python.played import ASK, Played
from tests.clients.python.taking_server import TakingServer, Told, taking_server

WAIT_SECONDS = 600


def call(url: str, times: int = 1, **options: Any) -> None:
    client = capture(httpx.Client(transport=Played(httpx, b"{}")), url=url, key="ri_key", **options)
    for number in range(times):
        assert client.post(ASK, json={"n": number}).content == b"{}"


def assert_balanced(found: Counts) -> Counts:
    settled = found.sent + found.spooled + found.dropped
    assert found.called == found.open + found.waiting + settled
    assert found.dropped == sum(found.dropped_because.values())
    return found


def fates(found: Counts) -> tuple[int, int, int, int]:
    assert_balanced(found)
    return found.called, found.sent, found.spooled, found.dropped


def free_url() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


def test_calls_are_sent_as_batches_of_lines_with_the_key(server: TakingServer) -> None:
    call(f"{server.url}/below/", times=3)
    assert flush(WAIT_SECONDS)
    assert fates(counts()) == (3, 3, 0, 0)
    asked = server.requests[0]
    assert asked["path"] == "/below/api/v1/captures/batch/"
    assert asked["authorization"] == "Bearer ri_key"
    assert asked["content-type"] == "application/x-ndjson"
    assert len({line["idempotency_key"] for line in server.lines}) == 3


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_what_a_server_cannot_take_now_is_sent_again_with_its_key(
    server: TakingServer, status: int
) -> None:
    server.answers = [Told(status), Told(status)]
    call(server.url)
    assert flush(WAIT_SECONDS)
    assert fates(counts()) == (1, 1, 0, 0)
    keys = [line["idempotency_key"] for batch in server.batches for line in batch]
    assert len(keys) == 3 and len(set(keys)) == 1


def test_that_calls_wait_is_told_once(
    server: TakingServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.answers = [Told(503), Told(503)]
    call(server.url)
    assert flush(WAIT_SECONDS)
    (told,) = caplog.records
    assert told.getMessage() == (
        "calls wait to be captured: the server does not take them now: 503 not this time"
    )


def test_of_a_batch_only_the_lines_that_were_not_taken_are_sent_again(server: TakingServer) -> None:
    server.goes_on.clear()
    call(server.url)
    assert server.is_asked.wait(WAIT_SECONDS)
    server.answers = [Told(), Told(statuses=(202, 503, 422, 409, 413)), Told()]
    call(server.url, times=5)
    server.goes_on.set()
    assert flush(WAIT_SECONDS)
    assert [len(batch) for batch in server.batches] == [1, 5, 1]
    assert server.batches[2] == server.batches[1][1:2]
    assert fates(counts()) == (6, 3, 0, 3)
    assert counts().dropped_because == {
        "the server refuses the capture": 2,
        "larger than the server takes": 1,
    }


def test_a_line_that_the_answer_does_not_mention_is_sent_again(server: TakingServer) -> None:
    server.answers = [Told(statuses=())]
    call(server.url)
    assert flush(WAIT_SECONDS)
    assert fates(counts()) == (1, 1, 0, 0)


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_refused_is_told_once_and_the_calls_are_dropped(
    server: TakingServer, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    server.answers = [Told(status)] * 2
    for _ in range(2):
        call(server.url)
        assert flush(WAIT_SECONDS)
    assert fates(counts()) == (2, 0, 0, 2)
    assert counts().dropped_because == {"the server refuses the key": 2}
    deliveries.close(0.0)
    (told,) = [each for each in caplog.records if each.levelno == logging.WARNING]
    assert "the server refuses the key" in told.getMessage()


def test_a_batch_that_is_too_large_is_halved_until_it_is_taken(server: TakingServer) -> None:
    server.goes_on.clear()
    call(server.url)
    assert server.is_asked.wait(WAIT_SECONDS)
    server.answers = [Told(), Told(413), Told(413), Told(413), Told(), Told()]
    call(server.url, times=4)
    server.goes_on.set()
    assert flush(WAIT_SECONDS)
    assert [len(batch) for batch in server.batches] == [1, 4, 2, 1, 1, 2]
    assert fates(counts()) == (5, 4, 0, 1)
    assert counts().dropped_because == {"larger than the server takes": 1}


class Pauses:
    """In place of the event that ends the thread: notes how long it would wait."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def is_set(self) -> bool:
        return False

    def wait(self, seconds: float) -> None:
        self.seconds.append(seconds)


@pytest.mark.parametrize("status", [429, 503])
def test_the_server_is_left_alone_as_long_as_it_says(status: int) -> None:
    pauses = Pauses()
    made = delivery.Delivery("http://127.0.0.1:9", "ri_key")
    made._is_closing = pauses  # type: ignore[assignment]
    made._pause(delivery.Answer(status, retry_after_seconds=7.0), 1)
    assert pauses.seconds == [7.0]


def test_pauses_without_a_word_of_the_server_double_up_to_half_a_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(delivery, "FIRST_PAUSE_SECONDS", 0.5)
    made = delivery.Delivery("http://127.0.0.1:9", "ri_key")
    monkeypatch.setattr(made._random, "uniform", lambda _, longest: longest)
    nothing = delivery.Answer(None)
    assert [made._pause_seconds(nothing, n) for n in (1, 2, 3, 9, 99)] == [
        1.0,
        2.0,
        4.0,
        30.0,
        30.0,
    ]


def test_a_server_that_is_down_loses_nothing_until_the_program_ends() -> None:
    call(free_url(), times=3)
    assert not flush(0.0)
    assert assert_balanced(counts()).waiting == 3
    deliveries.close(0.0)
    assert fates(counts()) == (3, 0, 0, 3)
    assert counts().dropped_because == {"the program ended first": 3}


def test_a_server_that_comes_back_is_sent_what_waited() -> None:
    url = free_url()
    call(url, times=3)
    with taking_server(int(url.rpartition(":")[2])) as server:
        assert flush(WAIT_SECONDS)
        assert fates(counts()) == (3, 3, 0, 0)
        assert len(server.lines) == 3


def test_a_server_that_hangs_keeps_no_call_waiting_and_the_end_of_the_program_only_so_long(
    server: TakingServer,
) -> None:
    server.goes_on.clear()
    call(server.url)
    assert server.is_asked.wait(WAIT_SECONDS)
    call(server.url, times=10)
    assert assert_balanced(counts()).waiting == 11
    deliveries.close(0.0)
    assert fates(counts()) == (11, 0, 0, 11)
    server.goes_on.set()


def test_what_does_not_fit_into_the_queue_is_dropped_and_told_once(
    server: TakingServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made = delivery.Delivery(server.url, "ri_key", max_calls=4)
    deliveries._deliveries[(server.url, "ri_key", "")] = made
    server.goes_on.clear()
    call(server.url, times=10)
    assert assert_balanced(counts()).dropped_because == {"the queue is full": 6}
    server.goes_on.set()
    assert flush(WAIT_SECONDS)
    assert fates(counts()) == (10, 4, 0, 6)
    deliveries.close(0.0)
    assert len([each for each in caplog.records if "the queue is full" in each.getMessage()]) == 1


def test_an_answer_that_a_garbage_collection_closes_in_the_middle_of_a_count_is_counted(
    server: TakingServer,
) -> None:
    made = delivery.Delivery(server.url, "ri_key")
    deliveries._deliveries[(server.url, "ri_key", "")] = made
    with made._ledger._settled, made._starting:
        call(server.url)
    call(server.url)
    assert flush(WAIT_SECONDS)
    assert fates(counts()) == (2, 2, 0, 0)


def test_the_queue_is_bounded_in_bytes_too(server: TakingServer) -> None:
    made = delivery.Delivery(server.url, "ri_key", max_bytes=1_000)
    deliveries._deliveries[(server.url, "ri_key", "")] = made
    call(server.url)
    assert fates(counts()) == (1, 0, 0, 1)


def test_a_call_that_cannot_be_written_is_counted_and_the_next_one_is_sent(
    server: TakingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise RecursionError

    with monkeypatch.context() as broken:
        broken.setattr(delivery, "line_of", fail)
        call(server.url)
        assert flush(WAIT_SECONDS)
    call(server.url)
    assert flush(WAIT_SECONDS)
    assert fates(counts()) == (2, 1, 0, 1)
    assert counts().dropped_because == {"could not be recorded": 1}


def test_a_call_that_cannot_be_begun_is_counted_and_goes_on(
    server: TakingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("response_inspector.recorder.Recording", fail)
    call(server.url)
    assert fates(counts()) == (1, 0, 0, 1)


def test_a_call_is_open_until_its_answer_is_and_the_end_of_the_program_ends_it(
    server: TakingServer,
) -> None:
    client = capture(httpx.Client(transport=Played(httpx, b"{}")), url=server.url, key="ri_key")
    with client.stream("POST", ASK) as got:
        assert assert_balanced(counts()).open == 1
        deliveries.close(WAIT_SECONDS)
        assert got.read() == b"{}"
    assert fates(counts()) == (1, 1, 0, 0)
    (line,) = server.lines
    assert (line["outcome"], line["response"]["reads"]) == ("recorder-stopped", [])


# -- the spool -------------------------------------------------------------------------------------


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "spool"


def spooled_lines(spool: Path) -> int:
    return sum(len(path.read_bytes().splitlines()) for path in spool.glob("*.ndjson"))


def test_what_a_server_does_not_take_goes_to_the_spool(spool: Path) -> None:
    call(free_url(), times=3, spool=spool)
    assert flush(WAIT_SECONDS)
    assert fates(counts()) == (3, 0, 3, 0)
    assert spooled_lines(spool) == 3
    assert all(path.stat().st_mode & 0o077 == 0 for path in (spool, *spool.iterdir()))


def test_what_a_refused_key_leaves_goes_to_the_spool(server: TakingServer, spool: Path) -> None:
    server.answers = [Told(401)]
    call(server.url, spool=spool)
    assert flush(WAIT_SECONDS)
    assert fates(counts()) == (1, 0, 1, 0)


def test_what_is_not_sent_at_the_end_of_the_program_goes_to_the_spool(
    server: TakingServer, spool: Path
) -> None:
    server.goes_on.clear()
    call(server.url, spool=spool)
    assert server.is_asked.wait(WAIT_SECONDS)
    call(server.url, times=2, spool=spool)
    deliveries.close(0.0)
    assert fates(counts()) == (3, 0, 3, 0)
    assert spooled_lines(spool) == 3
    server.goes_on.set()


def test_the_next_program_sends_the_spool_with_the_keys_of_its_lines(
    server: TakingServer, spool: Path
) -> None:
    call(free_url(), times=3, spool=spool)
    assert flush(WAIT_SECONDS)
    deliveries.close(0.0)
    waited = b"".join(path.read_bytes() for path in spool.glob("*.ndjson"))
    call(server.url, spool=spool)
    sending = deliveries.delivery_to(server.url, "ri_key", str(spool))
    with sending._ledger._settled:
        assert sending._ledger._settled.wait_for(
            lambda: sending._ledger._sent_from_spool == 3, WAIT_SECONDS
        )
    deliveries.close(WAIT_SECONDS)
    assert sending.counts().sent == 1 and len(server.lines) == 4
    assert all(line["idempotency_key"].encode() in waited for line in server.lines[1:])
    assert spooled_lines(spool) == 0


def test_a_spool_that_is_full_drops(spool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("response_inspector.spool.SPOOL_BYTES", 10)
    call(free_url(), spool=spool)
    assert flush(WAIT_SECONDS)
    assert fates(counts()) == (1, 0, 0, 1)
    assert counts().dropped_because == {"the spool is full": 1}


def test_a_spool_that_cannot_be_written_drops(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    call(free_url(), spool=tmp_path / "file" / "below")
    assert flush(WAIT_SECONDS)
    assert fates(counts()) == (1, 0, 0, 1)
