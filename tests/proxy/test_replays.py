"""Stored answers, replayed to programs: who may have which, and what they get."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from inspector.archive import deletion
from inspector.archive.intake.submission import Submission
from inspector.archive.models import Capture, State
from inspector.core.wire.exchange import (
    Exchange,
    Headers,
    MeasuredBy,
    Read,
    Request,
    TransportFault,
    TransportOutcome,
)
from inspector.teams.keys import create_api_key
from inspector.teams.models import ApiKey, Upstream
from tests.archive.samples import STREAM, WHOLE, accept_arrival, inspect_all
from tests.people import Person
from tests.proxy.played_recorder import PlayedRecorder
from tests.proxy.scripted_upstream import WAIT_SECONDS
from tests.proxy.started_proxy import Reply
from tests.proxy.test_callers import leave, request, rest_of, until
from tests.proxy.viewing_proxy import ViewingProxy

pytestmark = pytest.mark.django_db(transaction=True)

SSE: Headers = (("content-type", "text/event-stream"), ("x-request-id", "req_7"))
EVENTS = [event + b"\n\n" for event in STREAM.split(b"\n\n")[:-1]]
HELLO = b'{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hello"}]}'
BYE = b'{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Bye"}]}'
CHAT = "https://api.openai.com/v1/chat/completions"


@pytest.fixture(scope="module")
def replaying(
    django_db_setup: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ViewingProxy]:
    data_dir = tmp_path_factory.mktemp("viewer")
    with PlayedRecorder() as recorder, ViewingProxy(recorder, data_dir) as proxy:
        proxy.until_it_answers()
        yield proxy


Start = Callable[..., ViewingProxy]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a proxy of the test's own, with flags."""
    with ExitStack() as started:

        def starts(*flags: str) -> ViewingProxy:
            recorder = started.enter_context(PlayedRecorder())
            proxy = started.enter_context(ViewingProxy(recorder, tmp_path, *flags))
            proxy.until_it_answers()
            return proxy

        yield starts


@pytest.fixture
def key(owner: Person) -> str:
    return create_api_key(owner.team, "tests", ["replay"])


def stored(
    person: Person,
    reads: Sequence[tuple[int | None, bytes]] = tuple((1_000, event) for event in EVENTS),
    *,
    asked: bytes | None = HELLO,
    url: str | None = CHAT,
    status: int | None = 200,
    headers: Headers | None = SSE,
    outcome: TransportOutcome = TransportOutcome.ENDED,
    tags: tuple[str, ...] = (),
) -> UUID:
    exchange = Exchange(
        reads=tuple(Read(at_us, data) for at_us, data in reads),
        status_code=status,
        headers=headers,
        content_type=dict(headers or ()).get("content-type"),
        outcome=outcome,
        request=None if asked is None else Request(method="POST", url=url, body=asked),
    )
    return accept_arrival(person, Submission(exchange, tags=tags)).id


def inspected(person: Person, *args: object, **named: object) -> UUID:
    capture_id = stored(person, *args, **named)  # type: ignore[arg-type]
    inspect_all()
    return capture_id


def without_request_id(reply: Reply) -> tuple[int, list[tuple[str, str]], bytes]:
    """All of an answer but the number that no two have in common."""
    body = re.sub(rb'"request_id":"[0-9a-f-]{36}"', b'"request_id":""', reply.body)
    return reply.status, reply.headers.items(), body


# -- what a program gets -----------------------------------------------------------------------


@pytest.mark.both_stacks
def test_a_stored_answer_comes_with_its_status_headers_and_bytes(
    replaying: ViewingProxy, owner: Person, key: str
) -> None:
    capture = inspected(owner)
    reply = replaying.replay(f"/replay/{capture}/v1/chat/completions", key)
    assert (reply.status, reply.body) == (200, STREAM)
    assert reply.headers["Content-Type"] == "text/event-stream"
    assert reply.headers["X-Request-Id"] == "req_7"
    assert reply.headers["X-Inspector-Replay"] == str(capture)
    assert reply.error is None


def test_a_whole_answer_comes_with_its_length_whatever_is_asked(
    replaying: ViewingProxy, owner: Person, key: str
) -> None:
    headers = (("content-type", "application/json"), ("content-length", str(len(WHOLE))))
    capture = inspected(owner, [(None, WHOLE)], headers=headers)
    for method, rest in (("POST", "/v1/chat/completions"), ("GET", ""), ("PUT", "/a/b?alt=sse")):
        reply = replaying.replay(f"/replay/{capture}{rest}", key, method=method)
        assert (reply.status, reply.body) == (200, WHOLE)
        assert reply.headers["Content-Length"] == str(len(WHOLE))


def test_an_error_of_a_provider_is_replayed_as_an_error(
    replaying: ViewingProxy, owner: Person, key: str
) -> None:
    body = b'{"error":{"message":"Slow down.","type":"rate_limit_error"}}'
    headers = (("content-type", "application/json"), ("retry-after", "7"))
    capture = inspected(owner, [(9_000, body)], status=429, headers=headers)
    reply = replaying.replay(f"/replay/{capture}/v1/chat/completions", key)
    assert (reply.status, reply.body, reply.headers["Retry-After"]) == (429, body, "7")
    assert reply.error is None


def test_reads_come_one_by_one_at_their_times(
    replaying: ViewingProxy, owner: Person, key: str
) -> None:
    gap_us = 300_000
    reads = [(1_000 + number * gap_us, event) for number, event in enumerate(EVENTS)]
    capture = inspected(owner, reads)
    with replaying.connect() as connection:
        began = time.monotonic()
        connection.request("POST", f"/replay/{capture}/v1", b"{}", {"api-key": key})
        response = connection.getresponse()
        for number, event in enumerate(EVENTS):
            assert response.read1(len(STREAM)) == event
            # Never earlier than recorded; how much later is for the benchmark to say.
            assert time.monotonic() - began >= number * gap_us / 1e6
        assert response.read() == b""


def test_a_body_of_many_megabytes_comes_whole(
    replaying: ViewingProxy, owner: Person, key: str
) -> None:
    text = b"".join(b"%d " % number for number in range(1_200_000))
    body = WHOLE.replace(b"Hello", text)
    capture = inspected(owner, [(None, body)], headers=(("content-type", "application/json"),))
    reply = replaying.replay(f"/replay/{capture}/v1", key)
    assert len(body) > 8_000_000
    assert reply.body == body


def test_a_broken_answer_breaks_again(replaying: ViewingProxy, owner: Person, key: str) -> None:
    capture = inspected(owner, [(1, EVENTS[0])], outcome=TransportOutcome.UPSTREAM_ERROR)
    with pytest.raises(http.client.IncompleteRead) as cut:
        replaying.replay(f"/replay/{capture}/v1", key)
    assert cut.value.partial == EVENTS[0]


def test_a_capture_that_waits_for_inspection_is_replayed_already(
    replaying: ViewingProxy, owner: Person, key: str
) -> None:
    capture = stored(owner)
    assert replaying.replay(f"/replay/{capture}/v1", key).body == STREAM
    refused = replaying.replay(f"/replay/{capture};cut-event=1/v1", key)
    assert (refused.status, refused.error) == (409, "capture_not_read")


def test_a_call_without_a_response_has_nothing_to_replay(
    replaying: ViewingProxy, owner: Person, key: str
) -> None:
    exchange = Exchange(
        reads=(),
        outcome=TransportOutcome.UPSTREAM_ERROR,
        fault=TransportFault.UNREACHABLE,
        request=Request(method="POST", url=CHAT, body=HELLO),
        measured_by=MeasuredBy.PROXY,
    )
    capture = accept_arrival(owner, Submission(exchange)).id
    reply = replaying.replay(f"/replay/{capture}/v1", key)
    assert (reply.status, reply.error) == (409, "nothing_to_replay")


# -- who asks --------------------------------------------------------------------------------------


def key_places(key: str) -> list[tuple[dict[str, str], str]]:
    return [
        ({"Authorization": f"Bearer {key}"}, ""),
        ({"authorization": f"bearer {key}"}, ""),
        ({"x-api-key": key}, ""),
        ({"api-key": key}, ""),
        ({"x-goog-api-key": key}, ""),
        ({"X-Inspector-Key": key}, ""),
        ({"X-Inspector-Key": key, "Authorization": "Bearer sk-of-a-provider"}, ""),
        ({"Authorization": "Bearer sk-of-a-provider", "x-api-key": key}, ""),
        ({}, f"?key={key}"),
        ({}, f"?alt=sse&key={key}"),
    ]


def test_a_key_stands_where_client_libraries_put_it(
    replaying: ViewingProxy, owner: Person, key: str, subtests: pytest.Subtests
) -> None:
    capture = inspected(owner)
    for headers, query in key_places(key):
        with subtests.test(headers=list(headers), query=query.replace(key, "KEY")):
            path = f"/replay/{capture}/v1beta/models/m:streamGenerateContent{query}"
            assert replaying.ask("POST", path, b"{}", headers).body == STREAM


def test_without_a_key_or_with_an_unknown_one_nothing_is_replayed(
    replaying: ViewingProxy, owner: Person
) -> None:
    path = f"/replay/{inspected(owner)}/v1"
    for reply in (
        replaying.ask("POST", path, b"{}"),
        replaying.replay(path, "ri_nobody"),
        replaying.replay(path, ""),
        replaying.replay(path, "x" * 5_000),
    ):
        assert (reply.status, reply.error) == (401, "unknown_key")
        assert json.loads(reply.body)["error"]["code"] == "unknown_key"


def test_a_key_of_another_scope_replays_nothing(replaying: ViewingProxy, owner: Person) -> None:
    path = f"/replay/{inspected(owner)}/v1"
    capturing = create_api_key(owner.team, "proxy", ["capture"])
    for other in (owner.key, capturing):
        reply = replaying.replay(path, other)
        assert (reply.status, reply.error) == (403, "key_may_not_replay")


def test_a_replay_key_does_nothing_but_replay(
    replaying: ViewingProxy, owner: Person, key: str
) -> None:
    asking = Person(owner.user, owner.team, key)
    capture = inspected(owner)
    for path in ("/api/v1/captures/", f"/api/v1/captures/{capture}/", "/api/v1/usage/"):
        assert asking.get(path).status == 403
    assert asking.post("/api/v1/captures/", WHOLE).status == 403


def test_a_revoked_key_replays_nothing_from_then_on(
    replaying: ViewingProxy, owner: Person, key: str
) -> None:
    path = f"/replay/{inspected(owner)}/v1"
    assert replaying.replay(path, key).status == 200
    ApiKey.objects.filter(name="tests").update(revoked_at=timezone.now())
    assert replaying.replay(path, key).error == "unknown_key"


@pytest.mark.both_stacks
def test_foreign_deleted_recording_and_unknown_captures_are_one_404(
    replaying: ViewingProxy, owner: Person, teammate: Person, stranger: Person, key: str
) -> None:
    ours, gone, recorded = inspected(owner), inspected(owner), inspected(owner)
    foreign = inspected(stranger)
    deletion.delete(owner.service, gone)
    Capture.objects.filter(pk=recorded).update(state=State.RECORDING)
    theirs = create_api_key(stranger.team, "tests", ["replay"])
    teammates = create_api_key(teammate.team, "more tests", ["replay"])

    assert replaying.replay(f"/replay/{ours}/v1", teammates).status == 200
    assert replaying.replay(f"/replay/{foreign}/v1", theirs).status == 200
    unknown = without_request_id(replaying.replay(f"/replay/{uuid4()}/v1", key))
    assert unknown[0] == 404
    for target in (foreign, gone, recorded, "nothing", "%00", "", f"{ours}x"):
        reply = replaying.replay(f"/replay/{target}/v1", key)
        assert without_request_id(reply) == unknown
    assert without_request_id(replaying.replay(f"/replay/{ours}/v1", theirs)) == unknown


# -- options ---------------------------------------------------------------------------------------


def test_options_stand_in_the_path_the_query_or_headers(
    replaying: ViewingProxy, owner: Person, key: str
) -> None:
    capture = inspected(owner)
    by_path = replaying.replay(f"/replay/{capture};status=503;retry-after=2/v1/x", key)
    by_query = replaying.replay(f"/replay/{capture}/v1/x?status=503&retry-after=2", key)
    header = {"X_Inspector_Replay_Status": "503", "X_Inspector_Replay_Retry_After": "2"}
    by_header = replaying.replay(f"/replay/{capture}/v1/x", key, **header)
    for reply in (by_path, by_query, by_header):
        assert (reply.status, reply.headers["Retry-After"]) == (503, "2")


@pytest.mark.parametrize(
    ("option", "quoted"),
    [
        ("speed=0.0001", "0, or from 0.25 to 16"),
        ("speed=fast", "0, or from 0.25 to 16"),
        ("cut-byte=1000000", "length"),
        ("cut-event=99", "event"),
        ("fault=none", "there are speed, jitter"),
        ("status=200", "400 to 599"),
        ("speed=1&speed=2", "once"),
        ("cut-byte=1&cut-event=1", "excludes"),
    ],
)
def test_an_option_that_cannot_be_met_is_422_and_tells_what_can(
    replaying: ViewingProxy, owner: Person, key: str, option: str, quoted: str
) -> None:
    reply = replaying.replay(f"/replay/{inspected(owner)}/v1?{option}", key)
    assert (reply.status, reply.error) == (422, "invalid_option")
    assert quoted in json.loads(reply.body)["error"]["message"]


def cut_body(replaying: ViewingProxy, path: str, key: str) -> bytes:
    with pytest.raises(http.client.IncompleteRead) as cut:
        replaying.replay(path, key)
    return cut.value.partial


def test_a_connection_breaks_where_it_is_asked_to(
    replaying: ViewingProxy, owner: Person, key: str
) -> None:
    capture = inspected(owner)
    assert cut_body(replaying, f"/replay/{capture};cut-event=1/v1", key) == EVENTS[0]
    assert cut_body(replaying, f"/replay/{capture}/v1?cut-byte=10", key) == STREAM[:10]
    assert cut_body(replaying, f"/replay/{capture}/v1?cut-byte=0", key) == b""


def test_a_broken_body_of_known_length_is_cut_short_of_it(
    replaying: ViewingProxy, owner: Person, key: str
) -> None:
    headers = (("content-type", "application/json"), ("content-length", str(len(WHOLE))))
    capture = inspected(owner, [(None, WHOLE)], headers=headers)
    assert cut_body(replaying, f"/replay/{capture};cut-byte=50/v1", key) == WHOLE[:50]


def test_end_marks_are_dropped_or_doubled(replaying: ViewingProxy, owner: Person, key: str) -> None:
    capture = inspected(owner)
    dropped = replaying.replay(f"/replay/{capture};end-mark=drop/v1", key).body
    doubled = replaying.replay(f"/replay/{capture};end-mark=double/v1", key).body
    assert (dropped, doubled) == (b"".join(EVENTS[:-1]), STREAM + EVENTS[-1])


def test_a_wrong_content_type_is_told(replaying: ViewingProxy, owner: Person, key: str) -> None:
    capture = inspected(owner)
    reply = replaying.replay(f"/replay/{capture};content-type=text%2Fhtml/v1", key)
    assert (reply.headers["Content-Type"], reply.body) == ("text/html", STREAM)


def test_the_first_requests_fail_and_the_next_succeed_for_each_key_by_itself(
    replaying: ViewingProxy, owner: Person, key: str
) -> None:
    path = f"/replay/{inspected(owner)};status=503;status-times=2/v1/chat/completions"
    other = create_api_key(owner.team, "other tests", ["replay"])
    assert [replaying.replay(path, key).status for _ in range(4)] == [503, 503, 200, 200]
    assert [replaying.replay(path, other).status for _ in range(3)] == [503, 503, 200]
    again = path.replace("status=503", "status=503;seed=1")
    assert replaying.replay(again, key).status == 503


def test_a_stalled_answer_waits_until_the_caller_leaves(
    replaying: ViewingProxy, owner: Person, key: str
) -> None:
    capture = inspected(owner)
    with replaying.wire() as wire:
        path = f"/replay/{capture};stall-event=1/v1"
        wire.sendall(request(path, f"x-api-key: {key}", "Content-Length: 2"))
        until(wire, EVENTS[0] + b"\r\n")
        wire.settimeout(0.2)
        with pytest.raises(TimeoutError):
            wire.recv(1)
        open_now = replaying.metrics("operator")["replays_open"]
    assert open_now == 1
    while replaying.metrics("operator")["replays_open"]:
        pass


# -- sets ------------------------------------------------------------------------------------------


@pytest.mark.both_stacks
def test_a_set_answers_the_same_prompt_by_the_newest_of_its_answers(
    replaying: ViewingProxy, owner: Person, key: str
) -> None:
    first = stored(owner, asked=HELLO, tags=("checkout",))
    second = stored(owner, asked=HELLO, tags=("checkout",))
    stored(owner, asked=BYE, tags=("checkout",))
    stored(owner, asked=HELLO)
    inspect_all()
    laid_out = json.dumps({**json.loads(HELLO), "model": "another", "temperature": 1}, indent=2)
    for written in ("tag:checkout", "tag=checkout", "tag=checkout&model=gpt-4o", "tag%3Acheckout"):
        path = f"/replay/set/{written}/v1/chat/completions"
        for body in (HELLO, laid_out.encode()):
            reply = replaying.replay(path, key, body)
            assert reply.headers["X-Inspector-Replay"] == str(second) != str(first)
            assert reply.headers["X-Inspector-Replay-Matched"] == "prompt"


def test_of_one_prompt_the_same_model_path_stream_and_tools_are_preferred(
    replaying: ViewingProxy, owner: Person, key: str
) -> None:
    tools = b'"tools":[{"type":"function","function":{"name":"track"}}]'
    with_tools = HELLO[:-1] + b"," + tools + b"}"
    offered = stored(owner, asked=with_tools, tags=("t",))
    plain = stored(owner, asked=HELLO, tags=("t",))
    whole = stored(owner, [(None, WHOLE)], asked=HELLO.replace(b"true", b"false"), tags=("t",))
    other = stored(owner, asked=HELLO.replace(b"gpt-4o", b"gpt-5"), tags=("t",))
    inspect_all()

    def answering(body: bytes) -> str:
        path = "/replay/set/tag:t/v1/chat/completions"
        return str(replaying.replay(path, key, body).headers["X-Inspector-Replay"])

    assert answering(with_tools) == str(offered)
    assert answering(HELLO) == str(plain)
    assert answering(HELLO.replace(b"true", b"false")) == str(whole)
    assert answering(HELLO.replace(b"gpt-4o", b"gpt-5")) == str(other)


def test_of_another_prompt_the_same_model_and_path_answer(
    replaying: ViewingProxy, owner: Person, key: str
) -> None:
    capture = inspected(owner, asked=HELLO, tags=("checkout",))
    reply = replaying.replay("/replay/set/tag:checkout/v1/chat/completions", key, BYE)
    assert reply.headers["X-Inspector-Replay"] == str(capture)
    assert reply.headers["X-Inspector-Replay-Matched"] == "model"


def test_answers_whose_requests_are_unknown_come_in_their_order(
    replaying: ViewingProxy, owner: Person, key: str
) -> None:
    bare = WHOLE.replace(b'"model":"gpt-4o",', b"")
    captures = [stored(owner, [(None, bare)], asked=None, tags=("run",)) for _ in range(3)]
    inspect_all()
    path = "/replay/set/tag:run/v1/chat/completions"
    replies = [replaying.replay(path, key, HELLO) for _ in range(4)]
    found = [reply.headers["X-Inspector-Replay"] for reply in replies]
    assert found == [str(each) for each in (*captures, captures[0])]
    assert {reply.headers["X-Inspector-Replay-Matched"] for reply in replies} == {"order"}


def test_a_miss_names_the_nearest_and_what_differs(
    replaying: ViewingProxy, owner: Person, stranger: Person, key: str
) -> None:
    capture = inspected(owner, asked=HELLO, tags=("checkout",))
    inspected(stranger, asked=BYE, tags=("checkout",))
    other = BYE.replace(b"gpt-4o", b"gpt-5")
    reply = replaying.replay("/replay/set/tag:checkout/v1/responses", key, other)
    assert (reply.status, reply.error) == (404, "no_match")
    message = json.loads(reply.body)["error"]["message"]
    assert f"The nearest is {capture} (gpt-4o), of another prompt and path and model." in message
    empty = replaying.replay("/replay/set/tag:nothing/v1/responses", key, other)
    assert (empty.status, empty.error) == (404, "no_match")
    assert "empty" in json.loads(empty.body)["error"]["message"]


@pytest.mark.parametrize(
    ("written", "quoted"),
    [
        ("", "a set is tag:"),
        ("checkout", "checkout is no filter"),
        ("tag=", "tag has 1 to"),
        ("verdict=fine", "verdict has no value"),
        ("since=never", "since is not"),
        ("tag=" + "x" * 3_000, "a set is tag:"),
        ("&".join(["tag=x"] * 60), "a set is tag:"),
    ],
)
def test_a_set_that_cannot_be_is_422_and_says_why(
    replaying: ViewingProxy, owner: Person, key: str, written: str, quoted: str
) -> None:
    reply = replaying.replay(f"/replay/set/{written}/v1/chat/completions", key, HELLO)
    assert (reply.status, reply.error) == (422, "invalid_set")
    assert quoted in json.loads(reply.body)["error"]["message"]


def test_options_of_a_set_stand_behind_it(replaying: ViewingProxy, owner: Person, key: str) -> None:
    inspected(owner, asked=HELLO, tags=("check;out",))
    path = "/replay/set/tag=check%3Bout;speed=0;cut-event=1/v1/chat/completions"
    with pytest.raises(http.client.IncompleteRead) as cut:
        replaying.replay(path, key, HELLO)
    assert cut.value.partial == EVENTS[0]


def test_a_request_that_is_too_large_for_a_set_is_413(
    replaying: ViewingProxy, owner: Person, key: str
) -> None:
    capture = inspected(owner, tags=("checkout",))
    large = b" " * (8 * 1024 * 1024 + 1)
    reply = replaying.replay("/replay/set/tag:checkout/v1/chat/completions", key, large)
    assert (reply.status, reply.error) == (413, "request_too_large")
    # Where the answer is named nothing is kept of the request.
    assert replaying.replay(f"/replay/{capture}/v1", key, large).body == STREAM


def test_an_answer_is_cut_where_the_viewer_ends_and_the_next_viewer_answers(
    start: Start, owner: Person, key: str
) -> None:
    # More than sockets hold: the rest stays with the viewer while nothing is read.
    body = b'"' + b"a" * 20_000_000 + b'"'
    capture = stored(owner, [(None, body)], headers=(("content-type", "application/json"),))
    proxy = start()
    with proxy.wire() as wire:
        wire.sendall(request(f"/replay/{capture}/v1", f"x-api-key: {key}", "Content-Length: 2"))
        began = until(wire, b"aaaa")
        os.kill(proxy.viewer_pid(), signal.SIGKILL)
        came = began + rest_of(wire)
    assert len(came) < len(body) and not came.endswith(b"0\r\n\r\n")
    proxy.until_it_answers()
    assert proxy.replay(f"/replay/{capture}/v1", key).body == body


def test_a_caller_that_leaves_in_the_middle_ends_the_replay(
    replaying: ViewingProxy, owner: Person, key: str
) -> None:
    body = b'"' + b"a" * 20_000_000 + b'"'
    capture = stored(owner, [(None, body)], headers=(("content-type", "application/json"),))
    wire = replaying.wire()
    wire.sendall(request(f"/replay/{capture}/v1", f"x-api-key: {key}", "Content-Length: 2"))
    until(wire, b"aaaa")
    leave(wire, is_abrupt=True)
    while replaying.metrics("operator")["replays_open"]:
        pass


# -- bounds, pages, the log ------------------------------------------------------------------------


def test_a_key_has_as_many_replays_open_as_it_may(
    replaying: ViewingProxy, owner: Person, key: str
) -> None:
    ApiKey.objects.filter(name="tests").update(max_streams=1)
    capture = inspected(owner)
    with replaying.wire() as wire:
        path = f"/replay/{capture};stall-event=1/v1"
        wire.sendall(request(path, f"x-api-key: {key}", "Content-Length: 2"))
        until(wire, EVENTS[0] + b"\r\n")
        reply = replaying.replay(f"/replay/{capture}/v1", key)
        assert (reply.status, reply.error) == (429, "too_many_streams")
        assert reply.headers["Retry-After"] == "1"
    while replaying.replay(f"/replay/{capture}/v1", key).status == 429:
        pass
    assert replaying.replay(f"/replay/{capture}/v1", key).body == STREAM


def test_a_replay_is_cut_when_its_time_is_over(start: Start, owner: Person, key: str) -> None:
    capture = inspected(owner, [(1, EVENTS[0]), (3_000_000_000, EVENTS[1])])
    proxy = start("--replay-seconds", "0.2")
    assert cut_body(proxy, f"/replay/{capture}/v1", key) == EVENTS[0]


def test_only_so_many_replays_are_open_at_once(start: Start, owner: Person, key: str) -> None:
    capture = inspected(owner)
    proxy = start("--replays", "1")
    with proxy.wire() as wire:
        path = f"/replay/{capture};stall-event=1/v1"
        wire.sendall(request(path, f"x-api-key: {key}", "Content-Length: 2"))
        until(wire, EVENTS[0] + b"\r\n")
        reply = proxy.replay(f"/replay/{capture}/v1", key)
        assert (reply.status, reply.error) == (503, "replay_busy")
        # A second signal cuts what is open.
        proxy.terminate()
        proxy.until_it_listens_no_more()
        proxy.terminate()
        assert rest_of(wire) == b""
    assert proxy.process.wait(WAIT_SECONDS) == 0


def test_nothing_is_replayed_as_a_page(replaying: ViewingProxy, owner: Person, key: str) -> None:
    path = f"/replay/{inspected(owner)}/v1?key={key}"
    page = replaying.ask("GET", path, headers={"Sec-Fetch-Dest": "document"})
    assert (page.status, page.error) == (403, "no_pages")
    script = replaying.ask("GET", path, headers={"Sec-Fetch-Dest": "empty"})
    assert (script.status, script.body) == (200, STREAM)
    assert script.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert script.headers["X-Content-Type-Options"] == "nosniff"


def test_pages_of_listed_sites_may_read_answers_and_errors(
    replaying: ViewingProxy, owner: Person, key: str
) -> None:
    listed, other = "https://app.example", "https://other.example"
    Upstream.objects.create(
        team=owner.team, name="llm", base_url="https://llm.example", sites=[listed], made_by="x"
    )
    path = f"/replay/{inspected(owner)}/v1/chat/completions"
    preflight = {"Origin": listed, "Access-Control-Request-Method": "POST"}
    assert replaying.ask("OPTIONS", path, headers=preflight).status == 204

    def allowed(origin: str, path: str) -> str | None:
        reply = replaying.replay(path, key, Origin=origin)
        return reply.headers["Access-Control-Allow-Origin"]

    assert allowed(listed, path) == allowed(listed, f"{path}?speed=77") == listed
    assert allowed(other, path) is allowed(other, f"{path}?speed=77") is None


def test_a_websocket_is_refused(replaying: ViewingProxy, key: str) -> None:
    headers = {"Connection": "Upgrade", "Upgrade": "websocket", "x-api-key": key}
    assert replaying.ask("GET", "/replay/x/v1/realtime", headers=headers).status == 426


def test_log_and_numbers_tell_of_replays_and_of_no_key(
    start: Start, owner: Person, key: str
) -> None:
    capture = inspected(owner)
    proxy = start()
    before = proxy.metrics("operator")
    proxy.replay(f"/replay/{capture}/v1?key={key}", key)
    proxy.replay(f"/replay/{uuid4()}/v1?key={key}", key)
    after = proxy.metrics("operator")
    proxy.terminate()
    log = [line for line in proxy.log() if line["event"] == "replay"][-2:]
    counts = {name: after[name] - before[name] for name in after if name.startswith("replay")}
    assert counts == {
        "replays_total": 1,
        "replays_refused_total": 1,
        "replayed_bytes_total": len(STREAM),
        "replays_open": 0,
    }
    assert [(line["capture"], line["outcome"], line["status"]) for line in log] == [
        (str(capture), "whole", 200),
        (None, "unknown_capture", 404),
    ]
    assert key not in str(log)


def test_without_a_viewer_nothing_is_replayed_and_calls_pass(proxy, way) -> None:  # type: ignore[no-untyped-def]
    refused = proxy.ask("POST", "/replay/x/v1", b"{}", {"x-api-key": "ri_any"})
    assert (refused.status, refused.error) == (503, "replay_unavailable")
    assert proxy.ask("POST", way.chat, b"{}").status == 200
