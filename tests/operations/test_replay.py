"""A recorded response is played again: at its times, at another speed, or with a fault."""

import http.client
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from uuid import uuid4

import msgspec
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from inspector.archive.intake.submission import Submission
from inspector.core.wire.exchange import Exchange, Read, TransportFault, TransportOutcome
from inspector.operations.management.commands import replay as replay_command
from inspector.operations.replay import (
    ERROR_BODY,
    Fault,
    FaultKind,
    Replay,
    ReplayRefused,
    ReplayServer,
    Step,
    plan_replay,
)
from tests.archive.calls import begun, call
from tests.archive.samples import accept_arrival
from tests.people import Person

FIRST = b'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n'
LAST = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
DONE = b"data: [DONE]\n\n"
CHAT = Exchange(
    reads=(Read(200_000, FIRST), Read(500_000, LAST + DONE)),
    status_code=200,
    headers=(("content-type", "text/event-stream"),),
)
GARBAGE = b'data: {"choices":[{"delta":{"cont\n\n'


def body_of(replay: Replay) -> bytes:
    return b"".join(step.data for step in replay.steps)


# -- what is sent, and when -----------------------------------------------------------------------


def test_reads_are_sent_at_their_times() -> None:
    assert plan_replay(CHAT).steps == (Step(200_000, FIRST), Step(500_000, LAST + DONE))


@pytest.mark.parametrize(("speed", "times"), [(2, [100_000, 250_000]), (0, [0, 0])])
def test_a_speed_divides_the_times_and_0_sends_all_at_once(speed: float, times: list[int]) -> None:
    assert [step.at_us for step in plan_replay(CHAT, speed).steps] == times


def test_without_times_all_comes_at_once() -> None:
    untimed = msgspec.structs.replace(CHAT, reads=(Read(None, FIRST), Read(None, DONE)))
    assert [step.at_us for step in plan_replay(untimed).steps] == [0, 0]


def test_a_time_that_goes_back_counts_as_the_one_before() -> None:
    odd = msgspec.structs.replace(CHAT, reads=(Read(9, FIRST), Read(4, b""), Read(5, DONE)))
    assert plan_replay(odd).steps == (Step(9, FIRST), Step(9, DONE))


def test_a_slow_start_moves_everything_whatever_the_speed() -> None:
    assert [step.at_us for step in plan_replay(CHAT, 0, 3_000_000).steps] == [3_000_000, 3_000_000]


def test_headers_of_the_connection_and_the_site_are_left_out() -> None:
    headers = (
        ("Content-Type", "text/event-stream"),
        ("X-Request-Id", "r1"),
        ("Content-Length", "9"),
        ("Set-Cookie", "a=b"),
        ("Access-Control-Allow-Origin", "*"),
        ("X-Split", "a\r\nX-Injected: 1"),
        ("X Bad", "1"),
    )
    kept = plan_replay(msgspec.structs.replace(CHAT, headers=headers)).headers
    assert kept == (("Content-Type", "text/event-stream"), ("X-Request-Id", "r1"))


def test_a_content_type_that_was_told_beside_the_headers_is_sent() -> None:
    assert plan_replay(Exchange.of_body(b"{}", "application/json")).headers == (
        ("content-type", "application/json"),
    )


def test_a_recording_that_broke_off_breaks_off_again() -> None:
    cut = msgspec.structs.replace(CHAT, outcome=TransportOutcome.UPSTREAM_ERROR)
    assert (plan_replay(cut).breaks, plan_replay(CHAT).breaks) == (True, False)


@pytest.mark.parametrize(
    "exchange",
    [Exchange(reads=(), status_code=101), Exchange(reads=(), fault=TransportFault.UNREACHABLE)],
)
def test_what_is_no_answer_is_not_played(exchange: Exchange) -> None:
    with pytest.raises(ReplayRefused):
        plan_replay(exchange)


# -- the faults -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "sent"), [(0, b""), (1, FIRST), (2, FIRST + LAST), (3, FIRST + LAST + DONE)]
)
def test_a_cut_breaks_the_connection_after_so_many_events(number: int, sent: bytes) -> None:
    replay = plan_replay(CHAT, fault=Fault(FaultKind.CUT, number))
    assert (body_of(replay), replay.breaks, replay.stalls) == (sent, True, False)


def test_a_stall_sends_nothing_more_and_does_not_end() -> None:
    replay = plan_replay(CHAT, fault=Fault(FaultKind.STALL, 1))
    assert (body_of(replay), replay.breaks, replay.stalls) == (FIRST, False, True)


def test_an_event_of_garbage_stands_between_the_others() -> None:
    replay = plan_replay(CHAT, fault=Fault(FaultKind.GARBAGE, 2))
    assert body_of(replay) == FIRST + LAST + GARBAGE + DONE
    assert [step.at_us for step in replay.steps] == [200_000, 500_000, 500_000, 500_000]


def test_garbage_among_lines_of_json_is_a_line() -> None:
    lines = Exchange.of_body(b'{"done":false}\n{"done":true}\n', "application/x-ndjson")
    replay = plan_replay(lines, fault=Fault(FaultKind.GARBAGE, 1))
    assert body_of(replay).splitlines()[1] == b'{"choices":[{"delta":{"cont'


def test_a_status_comes_in_place_of_the_answer() -> None:
    replay = plan_replay(CHAT, fault=Fault(FaultKind.STATUS, 529))
    assert (replay.status, replay.steps) == (529, (Step(0, ERROR_BODY),))


def test_more_events_than_there_are_are_refused_with_their_number() -> None:
    with pytest.raises(ReplayRefused, match="has 3 events, not 4"):
        plan_replay(CHAT, fault=Fault(FaultKind.CUT, 4))


# -- the server -----------------------------------------------------------------------------------


@contextmanager
def served(replay: Replay, waits: list[float]) -> Iterator[ReplayServer]:
    with ReplayServer(replay, wait=waits.append) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def asked(replay: Replay, **headers: str) -> Iterator[http.client.HTTPResponse]:
    with served(replay, []) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=120)
        connection.request("POST", "/v1/chat/completions", b"{}", headers)
        try:
            yield connection.getresponse()
        finally:
            connection.close()


def test_any_request_gets_the_answer() -> None:
    with asked(plan_replay(CHAT)) as answer:
        assert (answer.status, answer.headers["content-type"]) == (200, "text/event-stream")
        assert answer.read() == FIRST + LAST + DONE


def test_the_server_waits_for_each_time() -> None:
    waits: list[float] = []
    hours = tuple(Step(hour * 3_600_000_000, b"x") for hour in (1, 2))
    with served(Replay(200, (), hours), waits) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=120)
        connection.request("GET", "/v1/models")
        connection.getresponse().read()
        connection.close()
    before_head, before_first, before_second = waits
    assert 0 < before_first <= before_head <= 3_600 < before_second <= 7_200


def test_a_cut_is_no_end_of_the_body() -> None:
    cut = plan_replay(CHAT, fault=Fault(FaultKind.CUT, 1))
    with asked(cut) as answer, pytest.raises(http.client.IncompleteRead) as broken:
        answer.read()
    assert broken.value.partial == FIRST


def test_a_stall_ends_when_the_caller_leaves() -> None:
    with asked(plan_replay(CHAT, fault=Fault(FaultKind.STALL, 1))) as answer:
        assert answer.read(len(FIRST)) == FIRST


def test_an_answer_without_a_body_ends_behind_its_headers() -> None:
    with asked(Replay(204, (), ())) as answer:
        assert (answer.status, answer.read()) == (204, b"")


@pytest.mark.parametrize("header", ["Origin", "Sec-Fetch-Site"])
def test_pages_of_browsers_get_nothing(header: str) -> None:
    with asked(plan_replay(CHAT), **{header: "null"}) as answer:
        assert (answer.status, answer.read()) == (403, b"")


# -- the command ----------------------------------------------------------------------------------


def test_the_command_prints_its_address_and_ends_with_0(tmp_path: Path) -> None:
    (tmp_path / "chat.sse").write_bytes(FIRST + DONE)
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "replay", "chat.sse"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        host = address.removeprefix("http://").removesuffix("/v1")
        connection = http.client.HTTPConnection(host, timeout=120)
        connection.request("POST", "/v1/responses", b"{}")
        assert connection.getresponse().read() == FIRST + DONE
        connection.close()
        server.send_signal(signal.SIGTERM)
        assert server.wait(120) == 0


def test_a_stored_capture_is_played(owner: Person) -> None:
    capture_id = accept_arrival(owner, Submission(CHAT)).id
    assert replay_command.exchange_of(str(capture_id)) == CHAT


def test_what_cannot_be_played_says_why(owner: Person, tmp_path: Path) -> None:
    one = call(owner)
    begun(one)
    for source in (str(uuid4()), str(one.id), str(tmp_path / "none.sse")):
        with pytest.raises(CommandError) as refused:
            call_command("replay", source)
        assert refused.value.returncode == 2
    with pytest.raises(CommandError, match="not allowed with"):
        call_command("replay", "x.sse", "--cut-after", "1", "--status", "500")
