"""A recorder that dies, hangs or lags: calls pass, and every one is accounted for."""

import asyncio
import os
import signal
from types import SimpleNamespace
from typing import Any

import pytest

from inspector.core.wire.exchange import TransportOutcome
from inspector.proxy.balance import Balance
from inspector.proxy.frames import frame
from inspector.proxy.limits import ProxyLimits
from inspector.proxy.messages import (
    Adopted,
    CallBegun,
    CallMissed,
    CallsPassed,
    Dropped,
    Omitted,
    ReadsForwarded,
    Recorded,
    Spooled,
    SpoolState,
    TrySpool,
    proxy_messages,
)
from inspector.proxy.recorder_link import FLUSH_SECONDS, TRY_SECONDS, RecorderLink
from inspector.proxy.tee import Tee
from tests.proxy.conftest import OK, open_way
from tests.proxy.played_recorder import PlayedRecorder
from tests.proxy.scripted_upstream import Gate
from tests.proxy.started_proxy import StartedProxy

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
PIECE = b"2\r\nok\r\n"
FATES = ("calls_open", "calls_spooled", "calls_recorded", "calls_missed", "calls_omitted")


def fates(proxy: StartedProxy) -> tuple[int, ...]:
    """Return counts of all calls: open, spooled, recorded, missed, omitted. They always sum up."""
    numbers = proxy.metrics("k")
    each = tuple(numbers.get(name, numbers.get(f"{name}_total", 0)) for name in FATES)
    assert sum(each) == numbers["calls_proxied_total"]
    return each


def test_each_word_of_the_recorder_moves_a_call_on_once(upstream):
    with PlayedRecorder() as recorder, StartedProxy(recorder, INSPECTOR_METRICS_KEY="k") as proxy:
        recorder.stores = False
        way = open_way(recorder, upstream.url)
        for _ in range(4):
            proxy.ask("POST", way.chat, b"{}")
        one, two, three, four = (each.call for each in way.ended(4))
        assert fates(proxy) == (4, 0, 0, 0, 0)
        recorder.say(Spooled([one, two, three]))
        recorder.until_heard(proxy)
        assert fates(proxy) == (1, 3, 0, 0, 0)
        recorder.say(Recorded([one]), Omitted([two]), Dropped([three]), Dropped([four]))
        recorder.say(Recorded([one]), Dropped([one]), Spooled([one]), Omitted([four]))
        recorder.until_heard(proxy)
        assert fates(proxy) == (0, 0, 1, 2, 1)


def test_calls_go_on_when_the_recorder_dies_and_the_next_one_is_told_of_new_calls(upstream):
    gate = Gate()
    with PlayedRecorder() as recorder, StartedProxy(recorder, INSPECTOR_METRICS_KEY="k") as proxy:
        recorder.stores = False
        way = open_way(recorder, upstream.url)
        proxy.ask("POST", way.chat, b"{}")
        proxy.ask("POST", way.chat, b"{}")
        proxy.ask("POST", way.chat, b"{}")
        spooled, stored, lost = (each.call for each in way.ended(3))
        recorder.say(Spooled([spooled, stored]))
        recorder.until_heard(proxy)

        upstream.answer(CHUNKED + PIECE, gate, PIECE + b"0\r\n\r\n")
        with proxy.connect() as open_call:
            open_call.request("POST", way.chat, b"{}")
            response = open_call.getresponse()
            assert response.read1(10) == b"ok"
            recorder.wait(lambda: len(way.of(CallBegun)) == 4 and len(way.of(ReadsForwarded)) == 4)
            recorder.adopts = [spooled, way.of(CallBegun)[3].call]
            recorder.stores = True
            recorder.greets.clear()
            recorder.die()
            while proxy.ask("GET", "/readyz").status == 200:
                pass
            upstream.answer(OK)
            assert proxy.ask("POST", way.chat, b"{}").body == b"{}"
            recorder.greets.set()
            gate.open()
            assert response.read() == b"ok"

        ended = way.ended(4)[3]
        assert recorder.lives == 2
        assert ended.call not in (spooled, stored, lost, recorder.adopts[1])
        recorder.until_heard(proxy)
        # Spooled: the first, and the one that was open, as far as it was told of. Recorded: the
        # second, for it left the spool, and the one that came later. Missed: the third.
        assert fates(proxy) == (0, 2, 2, 1, 0)
        assert way.of(CallBegun)[4].call == ended.call
        assert len(way.of(CallBegun)) == 5


def test_a_recorder_that_talks_nonsense_is_replaced(upstream):
    with PlayedRecorder() as recorder, StartedProxy(recorder) as proxy:
        recorder.wait(lambda: recorder.lives)
        recorder.say_raw(b"\xff\xff\xff\xff")
        recorder.wait(lambda: recorder.lives == 2)
        way = open_way(recorder, upstream.url)
        assert proxy.ask("POST", way.chat, b"{}").status == 200
        assert way.ended()


def test_a_recorder_that_takes_nothing_misses_calls_which_pass_all_the_same(upstream):
    size = 1 << 20
    upstream.answer(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size, b"x" * size)
    with (
        PlayedRecorder() as recorder,
        StartedProxy(recorder, "--unsent-bytes", str(2 * size), INSPECTOR_METRICS_KEY="k") as proxy,
    ):
        way = open_way(recorder, upstream.url)
        assert proxy.ask("POST", way.to("/warm"), b"{}").status == 200
        recorder.wait(way.passed)
        recorder.takes.clear()
        # Sockets and the relay take something, too.
        while proxy.metrics("k")["calls_missed_total"] < 2:
            assert proxy.ask("POST", way.chat, b"{}").body == b"x" * size
        assert proxy.metrics("k")["unsent_bytes"] <= 2 * size
        recorder.takes.set()
        missed = recorder.wait(lambda: recorder.of(CallMissed))
        numbers = proxy.metrics("k")

    assert missed[0].team_id == way.team_id
    assert numbers["calls_proxied_total"] > numbers["calls_missed_total"]


def test_without_a_recorder_known_pairs_pass_and_unknown_ones_are_answered_503(upstream):
    with PlayedRecorder() as recorder, StartedProxy(recorder, "--lookup-seconds", "1") as proxy:
        way = open_way(recorder, upstream.url)
        assert proxy.ask("POST", way.chat, b"{}").status == 200
        recorder.greets.clear()
        recorder.die()
        assert proxy.ask("POST", way.chat, b"{}").status == 200
        reply = proxy.ask("POST", "/proxy/ri_x/unheard-of/chat/completions", b"{}")
        recorder.greets.set()

    assert (reply.status, reply.error) == (503, "directory_unavailable")


def test_a_proxy_is_not_ready_while_the_spool_takes_nothing_and_asks_until_it_does():
    with PlayedRecorder() as recorder, StartedProxy(recorder) as proxy:
        recorder.wait(lambda: len(recorder.of(TrySpool)) == 1)
        recorder.say(SpoolState(takes=False))
        recorder.until_heard(proxy)
        assert proxy.ask("GET", "/readyz").status == 503
        assert proxy.ask("GET", "/livez").status == 200
        recorder.wait(lambda: len(recorder.of(TrySpool)) == 3)
        recorder.say(SpoolState(takes=True))
        recorder.until_heard(proxy)
        assert proxy.ask("GET", "/readyz").status == 200


class SlowChild:
    """A child that takes what it is sent when the test says so."""

    is_stopping = False

    def __init__(self) -> None:
        self.has_room = True
        self.sent: list[Any] = []

    def write(self, data: bytes) -> None:
        self.sent += proxy_messages(data[4:])


class Timers:
    """A loop's timers, which end when the test says so."""

    def __init__(self) -> None:
        self._due: list[tuple[float, Any]] = []

    def call_later(self, seconds: float, call: Any) -> Any:
        due = (seconds, call)
        self._due.append(due)
        return SimpleNamespace(cancel=lambda: due in self._due and self._due.remove(due))

    @property
    def seconds(self) -> list[float]:
        return [seconds for seconds, _ in self._due]

    def end(self) -> None:
        due, self._due = self._due, []
        for _, call in due:
            call()


@pytest.fixture
def timers(monkeypatch) -> Timers:
    timers = Timers()
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: timers)
    return timers


def slow_link() -> tuple[RecorderLink, Tee, SlowChild]:
    balance = Balance()
    tee = Tee(ProxyLimits(), balance)
    link = RecorderLink(("none",), tee, balance, lambda found: None, lambda: None)
    link._child = child = SlowChild()  # type: ignore[assignment]
    return link, tee, child


def hear(link: RecorderLink, *messages: Any) -> None:
    link.child_sent(frame(messages)[4:])


def test_a_link_has_a_timer_only_while_something_is_to_be_sent(timers):
    link, tee, child = slow_link()
    link.child_connected()
    hear(link, Adopted([]))
    assert (timers.seconds, child.sent) == ([], [TrySpool()])
    tee.pass_other(7)
    tee.pass_paused(7)
    assert timers.seconds == [FLUSH_SECONDS]
    timers.end()
    assert (timers.seconds, child.sent[1:]) == ([], [CallsPassed(7, 1, 1)])


def test_what_a_recorder_has_no_room_for_is_sent_without_a_timer_when_it_has(timers):
    link, tee, child = slow_link()
    link.child_connected()
    hear(link, Adopted([]))
    child.has_room = False
    tee.pass_other(7)
    timers.end()
    assert (timers.seconds, child.sent) == ([], [TrySpool()])
    child.has_room = True
    link.child_has_room()
    assert child.sent[1:] == [CallsPassed(7, 1, 0)]


def test_what_came_while_no_recorder_was_there_is_sent_to_the_next(timers):
    link, tee, child = slow_link()
    tee.pass_other(7)
    timers.end()
    link.child_connected()
    assert (timers.seconds, child.sent) == ([], [])
    hear(link, Adopted([]))
    assert child.sent == [TrySpool(), CallsPassed(7, 1, 0)]


def test_a_spool_is_tried_by_a_timer_only_while_it_takes_nothing(timers):
    link, _, child = slow_link()
    link.child_connected()
    hear(link, Adopted([]), SpoolState(takes=False), SpoolState(takes=False))
    assert timers.seconds == [TRY_SECONDS]
    timers.end()
    assert (timers.seconds, child.sent) == ([TRY_SECONDS], [TrySpool(), TrySpool()])
    hear(link, SpoolState(takes=True))
    assert timers.seconds == []
    hear(link, SpoolState(takes=False))
    link.child_lost()
    assert timers.seconds == []


def test_a_recorder_that_is_killed_is_replaced(upstream):
    with PlayedRecorder() as recorder, StartedProxy(recorder) as proxy:
        recorder.wait(lambda: recorder.lives)
        [child] = children(proxy.process.pid)
        os.kill(child, signal.SIGKILL)
        recorder.wait(lambda: recorder.lives == 2)
        way = open_way(recorder, upstream.url)
        assert proxy.ask("POST", way.chat, b"{}").status == 200
        assert way.ended()[0].outcome is TransportOutcome.ENDED


def children(process: int) -> list[int]:
    with open(f"/proc/{process}/task/{process}/children") as listed:
        return [int(each) for each in listed.read().split()]
