"""A running call is watched: the proxy, its recorder and its viewer as they are started."""

import os
import signal
from pathlib import Path

import pytest

from tests.people import Person
from tests.proxy.scripted_upstream import Gate, ScriptedUpstream
from tests.proxy.test_recorder_link import children
from tests.proxy.viewer.live_host import (
    HEAD,
    LAST,
    LiveHost,
    chunked,
    path_of,
    recording_id,
    wait_for,
)
from tests.proxy.viewer.viewing import chunk, text_of

pytestmark = [pytest.mark.both_stacks, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def host(tmp_path: Path):
    with LiveHost(tmp_path) as host:
        yield host


def test_what_the_upstream_says_is_told_while_the_call_goes_on_until_its_end(
    owner: Person, upstream: ScriptedUpstream, host: LiveHost
) -> None:
    first, second = Gate(), Gate()
    script = (HEAD + chunked(chunk("one ")), first, chunked(chunk("two ")), second, LAST)
    upstream.answer(*script)
    with (
        host.call(path_of(owner, upstream.url)) as answer,
        host.watch(owner, recording_id(owner)) as watching,
    ):
        watching.until(lambda told: text_of(told) == "one ")
        first.open()
        told = watching.until(lambda told: text_of(told) == "one two ")
        assert told[-1].data["head"]["dialect"] == "openai-chat"
        assert told[-1].data["now_us"] >= told[-1].data["reads"]["at_us"][-1]
        second.open()
        assert watching.until(lambda told: told[-1:] == [("end", {})])
        assert watching.response.read() == b""
        assert answer.read() == chunk("one ") + chunk("two ")


def test_a_viewer_that_is_killed_costs_the_call_nothing_and_another_one_tells_the_whole(
    owner: Person, upstream: ScriptedUpstream, host: LiveHost
) -> None:
    gate = Gate()
    upstream.answer(HEAD + chunked(chunk("one ")), gate, chunked(chunk("two")) + LAST)
    with host.call(path_of(owner, upstream.url)) as answer:
        capture_id = recording_id(owner)
        with host.watch(owner, capture_id) as watching:
            watching.until(lambda told: text_of(told) == "one ")
            os.kill(viewer_of(host), signal.SIGKILL)
            told = watching.until(lambda told: told[-1].event == "lost")
            assert told[-1].data == {"reason": "viewer-ended"}
        assert host.ask("GET", "/readyz").status == 200
        wait_for(lambda: host.metrics("k")["viewer_starts_total"] == 2)
        with host.watch(owner, capture_id) as watching:
            watching.until(lambda told: text_of(told) == "one ")
            gate.open()
            watching.until(lambda told: text_of(told) == "one two")
        assert answer.read() == chunk("one ") + chunk("two")
    wait_for(lambda: host.metrics("k")["calls_recorded_total"] == 1)
    assert host.metrics("k")["calls_missed_total"] == 0


def viewer_of(host: LiveHost) -> int:
    (viewer,) = [
        each
        for each in children(host.process.pid)
        if b"inspector.proxy.viewer" in Path(f"/proc/{each}/cmdline").read_bytes()
    ]
    return viewer
