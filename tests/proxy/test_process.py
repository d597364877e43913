"""The process itself: what it loads, what it says of itself, and how it ends."""

import asyncio
import http.client
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

from inspector.core.wire.exchange import TransportOutcome
from inspector.proxy.messages import CallEnded, Lookup, Stopping
from inspector.proxy.server import DrainingServer
from tests.proxy.conftest import open_way
from tests.proxy.played_recorder import PlayedRecorder
from tests.proxy.scripted_upstream import WAIT_SECONDS, Gate
from tests.proxy.started_proxy import ROOT, StartedProxy

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
PIECE = b"2\r\nok\r\n"


def test_the_proxy_loads_neither_django_nor_celery():
    asks = (
        "import sys, inspector.proxy.__main__, inspector.proxy.app, inspector.proxy.server;"
        "print([name for name in sys.modules if name.split('.')[0] in ('django', 'celery')])"
    )
    said = subprocess.run([sys.executable, "-c", asks], cwd=ROOT, capture_output=True, text=True)

    assert (said.stdout, said.stderr) == ("[]\n", "")


def test_a_server_that_nobody_calls_sleeps_until_its_end(monkeypatch):
    async def woken(seconds):
        raise AssertionError(f"wakes after {seconds} s")

    async def lived():
        app = SimpleNamespace(limits=None, calls=None)
        server = DrainingServer(app, drain=None)
        asyncio.get_running_loop().call_soon(server.handle_exit, signal.SIGTERM, None)
        await server.main_loop()
        return server.should_exit

    monkeypatch.setattr(asyncio, "sleep", woken)
    assert asyncio.run(lived())


def test_a_stream_that_is_open_at_sigterm_goes_on_to_its_end(upstream):
    gate = Gate()
    upstream.answer(CHUNKED + PIECE, gate, PIECE + b"0\r\n\r\n")
    with PlayedRecorder() as recorder, StartedProxy(recorder) as proxy:
        way = open_way(recorder, upstream.url)
        with proxy.connect() as connection:
            connection.request("POST", way.chat, b"{}")
            response = connection.getresponse()
            assert response.read1(10) == b"ok"
            proxy.terminate()
            proxy.until_it_listens_no_more()
            gate.open()
            assert response.read() == b"ok"
        log = proxy.log()

    assert proxy.process.returncode == 0
    assert way.of(CallEnded)[0].outcome is TransportOutcome.ENDED
    assert isinstance(recorder.messages[-1], Stopping)
    assert [line["event"] for line in log] == ["request"]


def test_a_call_whose_key_is_looked_up_at_sigterm_is_answered(upstream):
    upstream.answer(CHUNKED + PIECE + b"0\r\n\r\n")
    with PlayedRecorder() as recorder, StartedProxy(recorder) as proxy:
        way = open_way(recorder, upstream.url)
        recorder.knows.clear()
        with proxy.connect() as connection:
            connection.request("POST", way.chat, b"{}")
            recorder.wait(lambda: recorder.of(Lookup))
            proxy.terminate()
            proxy.until_it_listens_no_more()
            recorder.knows.set()
            assert connection.getresponse().read() == b"ok"
        assert proxy.process.wait(WAIT_SECONDS) == 0

    assert way.of(CallEnded)[0].outcome is TransportOutcome.ENDED


def test_a_stream_that_is_open_for_too_long_after_sigterm_is_cut(upstream):
    upstream.answer(CHUNKED + PIECE, Gate())
    with PlayedRecorder() as recorder, StartedProxy(recorder, "--drain-seconds", "0") as proxy:
        way = open_way(recorder, upstream.url)
        with proxy.connect() as connection:
            connection.request("POST", way.chat, b"{}")
            response = connection.getresponse()
            assert response.read1(10) == b"ok"
            proxy.terminate()
            with pytest.raises(http.client.IncompleteRead):
                response.read()
        assert proxy.process.wait(WAIT_SECONDS) == 0

    [ended] = way.of(CallEnded)
    assert (ended.outcome, ended.fault) == (TransportOutcome.RECORDER_STOPPED, None)
    assert way.body() == b"ok"
    assert upstream.ended()
    assert isinstance(recorder.messages[-1], Stopping)


def test_a_second_signal_ends_open_streams_at_once(upstream):
    upstream.answer(CHUNKED + PIECE, Gate())
    with PlayedRecorder() as recorder, StartedProxy(recorder) as proxy:
        way = open_way(recorder, upstream.url)
        with proxy.connect() as connection:
            connection.request("POST", way.chat, b"{}")
            response = connection.getresponse()
            assert response.read1(10) == b"ok"
            proxy.terminate()
            proxy.until_it_listens_no_more()
            proxy.terminate()
            with pytest.raises(http.client.IncompleteRead):
                response.read()
        assert proxy.process.wait(WAIT_SECONDS) == 0

    assert way.of(CallEnded)[0].outcome is TransportOutcome.RECORDER_STOPPED


def test_a_recorder_that_does_not_end_is_ended(upstream):
    with PlayedRecorder() as recorder, StartedProxy(recorder, "--recorder-seconds", "0.2") as proxy:
        recorder.wait(lambda: recorder.lives)
        recorder.stops = False
        proxy.terminate()
        assert proxy.process.wait(WAIT_SECONDS) == 0

    assert isinstance(recorder.messages[-1], Stopping)


def test_the_recorder_learns_that_the_proxy_was_killed(upstream):
    upstream.answer(CHUNKED + PIECE, Gate())
    with PlayedRecorder() as recorder, StartedProxy(recorder) as proxy:
        way = open_way(recorder, upstream.url)
        with proxy.connect() as connection:
            connection.request("POST", way.chat, b"{}")
            assert connection.getresponse().read1(10) == b"ok"
            recorder.wait(way.body)
            proxy.process.kill()
            recorder.wait(lambda: recorder.is_alone)

    assert way.of(CallEnded) == []


def test_the_proxy_is_ready_once_its_recorder_has_named_what_it_found():
    with PlayedRecorder() as recorder:
        recorder.greets.clear()
        with StartedProxy(recorder) as proxy:
            assert proxy.ask("GET", "/livez").status == 200
            assert proxy.ask("GET", "/readyz").status == 503
            recorder.greets.set()
            recorder.wait(lambda: recorder.lives)
            recorder.until_heard(proxy)
            assert proxy.ask("GET", "/readyz").status == 200


def test_numbers_are_for_the_operators_key():
    with PlayedRecorder() as recorder, StartedProxy(recorder, INSPECTOR_METRICS_KEY="k") as proxy:
        assert proxy.ask("GET", "/metrics").status == 401
        assert proxy.ask("GET", "/metrics", headers={"Authorization": "Bearer x"}).status == 401
        numbers = proxy.metrics("k")

    assert numbers["calls_proxied_total"] == 0
    assert numbers["recorder_starts_total"] == 1


def test_without_a_key_of_the_operator_there_are_no_numbers(proxy):
    assert proxy.ask("GET", "/metrics", headers={"Authorization": "Bearer "}).status == 404


def test_other_addresses_are_answered_404(proxy):
    assert proxy.ask("GET", "/").status == 404
    assert proxy.ask("GET", "/proxys/x").status == 404


def test_the_log_holds_neither_keys_nor_addresses(upstream):
    with PlayedRecorder() as recorder, StartedProxy(recorder) as proxy:
        way = open_way(recorder, upstream.url)
        proxy.ask("POST", way.to("/secret-path?key=secret-query"), b"secret-body")
        proxy.ask("POST", "/proxy/ri_secret-key/x/y", headers={"Authorization": "secret-header"})
        proxy.terminate()
        log = proxy.log()

    assert [(line["upstream"], line["outcome"], line["status"]) for line in log] == [
        (way.name, "ended", 200),
        (None, "unknown_key", 401),
    ]
    assert "secret" not in str(log)


def test_a_log_that_nobody_reads_holds_nothing_up(proxy):
    more_than_a_pipe_takes = 600
    with proxy.connect() as connection:
        for _ in range(more_than_a_pipe_takes):
            connection.request("GET", "/proxy/ri_nobody/unknown/x")
            assert connection.getresponse().read()
