"""The connections of those who watch a running answer, with a viewer that the test plays."""

import http.client
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

import pytest

from inspector.proxy.live_views import MAX_WATCHERS
from inspector.proxy.viewer_messages import (
    MAX_DATA_BYTES,
    ViewerStopping,
    WatchAsked,
    WatchBegun,
    WatchData,
    WatchEnded,
    WatchRefusal,
    WatchRefused,
    WatchTaken,
)
from tests.proxy.conftest import OK, open_way
from tests.proxy.played_recorder import PlayedRecorder
from tests.proxy.played_viewer import PlayedViewer
from tests.proxy.scripted_upstream import WAIT_SECONDS
from tests.proxy.started_proxy import NO_HEADERS, Reply, StartedProxy

ORIGIN = "http://inspector.example"
EVENT = b"event: append\ndata: {}\n\n"
OF_PAGES = {"Sec-Fetch-Dest": "empty", "Origin": ORIGIN}


class Viewed(NamedTuple):
    """A proxy with a recorder and a viewer of its own."""

    proxy: StartedProxy
    viewer: PlayedViewer
    recorder: PlayedRecorder


@contextmanager
def started() -> Iterator[Viewed]:
    with PlayedRecorder() as recorder, PlayedViewer() as viewer:
        flags = ("--viewer-command", viewer.command)
        with StartedProxy(recorder, *flags, INSPECTOR_METRICS_KEY="k") as proxy:
            viewer.wait(lambda: viewer.lives == 1)
            yield Viewed(proxy, viewer, recorder)


@pytest.fixture(scope="module")
def shared() -> Iterator[Viewed]:
    with started() as viewed:
        yield viewed


@pytest.fixture
def viewing(shared: Viewed) -> StartedProxy:
    shared.viewer.messages.clear()
    return shared.proxy


@pytest.fixture
def viewer(shared: Viewed) -> PlayedViewer:
    return shared.viewer


@pytest.fixture
def own() -> Iterator[Viewed]:
    """For tests that end something of it."""
    with started() as viewed:
        yield viewed


@contextmanager
def watching(
    proxy: StartedProxy, headers: Mapping[str, str] = NO_HEADERS
) -> Iterator[http.client.HTTPConnection]:
    with proxy.connect() as connection:
        connection.request("GET", "/live/a-token", headers=dict(headers))
        yield connection


def test_data_goes_to_the_browser_as_it_is_and_the_next_is_asked_for_once_it_is_taken(
    viewing, viewer
):
    with watching(viewing, OF_PAGES) as connection:
        asked = viewer.asked()
        viewer.say(WatchBegun(asked.number, ORIGIN), WatchData(asked.number, EVENT))
        response = connection.getresponse()
        assert response.read(len(EVENT)) == EVENT
        viewer.wait(lambda: WatchTaken(asked.number) in viewer.messages)
        viewer.say(WatchData(asked.number, b"event: end\ndata: {}\n\n", is_last=True))
        assert response.read() == b"event: end\ndata: {}\n\n"

    assert asked.token == "a-token"
    assert response.status == 200
    assert response.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in response.headers["Content-Security-Policy"]
    viewer.wait(lambda: WatchEnded(asked.number) in viewer.messages)


def test_a_watcher_who_leaves_is_told_of(viewing, viewer):
    with watching(viewing) as connection:
        asked = viewer.asked()
        viewer.say(WatchBegun(asked.number, ORIGIN))
        assert connection.getresponse().status == 200
        assert viewing.metrics("k")["watchers"] == 1
    viewer.wait(lambda: WatchEnded(asked.number) in viewer.messages)
    assert viewing.metrics("k")["watchers"] == 0


def test_a_watcher_who_leaves_before_an_answer_is_told_of(viewing, viewer):
    with watching(viewing):
        asked = viewer.asked()
    viewer.wait(lambda: WatchEnded(asked.number) in viewer.messages)


@pytest.mark.parametrize(
    "code, status",
    [
        (WatchRefusal.INVALID_TOKEN, 403),
        (WatchRefusal.TOO_MANY_OF_USER, 429),
        (WatchRefusal.TOO_MANY, 503),
        (WatchRefusal.UNAVAILABLE, 503),
    ],
)
def test_a_refusal_has_a_code_and_its_status(viewing, viewer, code, status):
    with watching(viewing) as connection:
        viewer.say(WatchRefused(viewer.asked().number, code))
        response = connection.getresponse()
        reply = Reply(response.status, response.headers, response.read())
    assert (reply.status, reply.error) == (status, code)
    assert code.encode() in reply.body and b"a-token" not in reply.body


@pytest.mark.parametrize(
    "method, path, headers, status, code",
    [
        ("POST", "/live/x", {}, 405, "method_not_allowed"),
        ("OPTIONS", "/live/x", {}, 405, "method_not_allowed"),
        ("GET", "/live/x", {"Sec-Fetch-Dest": "document"}, 403, "no_pages"),
        ("GET", "/live/x", {"Sec-Fetch-Dest": "script"}, 403, "no_pages"),
        ("GET", f"/live/{'x' * 1001}", {}, 403, "invalid_live_token"),
    ],
)
def test_what_is_no_live_view_is_refused_without_the_viewer(
    viewing, viewer, method, path, headers, status, code
):
    reply = viewing.ask(method, path, headers=headers)
    assert (reply.status, reply.error) == (status, code)
    assert viewer.of(WatchAsked) == []


def test_without_a_viewer_calls_pass_and_live_views_are_unavailable(proxy, way):
    reply = proxy.ask("GET", "/live/x")
    assert (reply.status, reply.error) == (503, "live_view_unavailable")
    assert proxy.ask("POST", way.chat, b"{}").status == 200
    assert proxy.ask("GET", "/readyz").status == 200


def test_a_viewer_that_dies_ends_the_views_and_is_replaced_while_calls_pass(own, upstream):
    viewing, viewer, recorder = own
    upstream.answer(OK)
    way = open_way(recorder, upstream.url)
    with watching(viewing) as connection:
        viewer.say(WatchBegun(viewer.asked().number, ORIGIN))
        response = connection.getresponse()
        viewer.die()
        assert response.read() == b'event: lost\ndata: {"reason":"viewer-ended"}\n\n'
    assert viewing.ask("POST", way.chat, b"{}").status == 200
    viewer.wait(lambda: viewer.lives == 2)
    numbers = viewing.metrics("k")
    assert (numbers["viewer_connected"], numbers["viewer_starts_total"]) == (1, 2)


def test_the_end_of_the_proxy_waits_for_nobody_who_watches(own):
    viewing, viewer, _ = own
    with watching(viewing) as connection:
        viewer.say(WatchBegun(viewer.asked().number, ORIGIN))
        response = connection.getresponse()
        viewing.terminate()
        assert response.read() == b'event: lost\ndata: {"reason":"stopping"}\n\n'
    assert viewing.process.wait(WAIT_SECONDS) == 0
    assert isinstance(viewer.messages[-1], ViewerStopping)


def test_of_a_browser_that_takes_nothing_little_is_kept(viewing, viewer):
    """Four pieces fill what sockets take; the proxy says no more that it took one."""
    piece = b":" * MAX_DATA_BYTES
    with watching(viewing):
        asked = viewer.asked()
        viewer.say(WatchBegun(asked.number, ORIGIN))
        sent = 0
        while len(viewer.of(WatchTaken)) == sent and sent < 200:
            viewer.say(WatchData(asked.number, piece))
            sent += 1
            if not taken(viewing, viewer, sent):
                break
    assert sent < 200


def taken(proxy: StartedProxy, viewer: PlayedViewer, count: int) -> bool:
    """Whether the proxy has said it by the time that it has answered two other questions."""
    for _ in range(2):
        proxy.ask("GET", "/livez")
    return len(viewer.of(WatchTaken)) >= count


def test_so_many_may_watch_at_a_proxy_and_no_more(own):
    viewing, viewer, _ = own
    open_views = []
    for number in range(1, MAX_WATCHERS + 1):
        connection = http.client.HTTPConnection("127.0.0.1", viewing.port, timeout=WAIT_SECONDS)
        connection.request("GET", "/live/x")
        viewer.say(WatchBegun(viewer.asked(number).number, ORIGIN))
        connection.getresponse()
        open_views.append(connection)
    reply = viewing.ask("GET", "/live/x")
    for connection in open_views:
        connection.close()
    assert (reply.status, reply.error) == (503, "live_view_busy")
