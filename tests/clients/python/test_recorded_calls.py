"""Lines that are sent of a call, and that its caller sees no difference."""

from __future__ import annotations

import asyncio
import base64
import gzip
from types import ModuleType
from typing import Any

import httpx
import pytest
from response_inspector import capture, counts, flush, tagged

from tests.clients.python.played import ASK, EVENTS, HEADERS, PACKAGES, Played
from tests.clients.python.taking_server import TakingServer

WAIT_SECONDS = 600
KEY = "sk-proj-0123456789abcdefABCDEF"
BODY = {"model": "m-1", "stream": True}
both_packages = pytest.mark.parametrize("package", PACKAGES, ids=["httpx", "httpx2"])


def captured(server: TakingServer, played: Played, **options: Any) -> Any:
    client = played.package.Client(transport=played)
    return capture(client, url=server.url, key="ri_key", **options)


def captured_async(server: TakingServer, played: Played) -> Any:
    return capture(played.package.AsyncClient(transport=played), url=server.url, key="ri_key")


def sent(server: TakingServer) -> dict[str, Any]:
    """The one line that the server has."""
    assert flush(WAIT_SECONDS)
    (line,) = server.lines
    return line


def reads_of(line: dict[str, Any]) -> list[bytes]:
    reads = line["response"]["reads"]
    return [
        base64.b64decode(each["data_b64"]) if "data_b64" in each else each["data"].encode()
        for each in reads
    ]


@both_packages
def test_a_streamed_call_is_sent_whole_with_each_read_at_its_time(
    server: TakingServer, package: ModuleType
) -> None:
    client = captured(server, Played(package, *EVENTS))
    with client.stream("POST", ASK, json=BODY, headers={"Authorization": f"Bearer {KEY}"}) as got:
        assert list(got.iter_raw()) == list(EVENTS)
    line = sent(server)
    assert reads_of(line) == list(EVENTS)
    times = [each["at_us"] for each in line["response"]["reads"]]
    assert times == sorted(times) and times[0] > 0
    assert line["response"]["status"] == 200
    assert [*map(tuple, line["response"]["headers"])] == list(HEADERS.items())
    assert line["request"]["method"] == "POST" and line["request"]["url"] == ASK
    assert line["request"]["body"] == '{"model":"m-1","stream":true}'
    assert (line["outcome"], line["measured_by"]) == ("ended", "client")


@both_packages
def test_an_asynchronous_call_is_sent_alike(server: TakingServer, package: ModuleType) -> None:
    async def call() -> list[bytes]:
        async with (
            captured_async(server, Played(package, *EVENTS)) as client,
            client.stream("POST", ASK, json=BODY) as got,
        ):
            return [each async for each in got.aiter_raw()]

    assert asyncio.run(call()) == list(EVENTS)
    line = sent(server)
    assert reads_of(line) == list(EVENTS)
    assert line["outcome"] == "ended"


def test_a_client_that_closes_in_the_middle_has_cancelled(server: TakingServer) -> None:
    played = Played(httpx, *EVENTS)
    with captured(server, played).stream("POST", ASK, json=BODY) as got:
        assert next(got.iter_raw()) == EVENTS[0]
    assert played.is_closed
    line = sent(server)
    assert (line["outcome"], reads_of(line)) == ("client-cancelled", [EVENTS[0]])


def test_a_task_that_is_cancelled_has_cancelled(server: TakingServer) -> None:
    async def call() -> None:
        client = captured_async(server, Played(httpx, EVENTS[0], failure=asyncio.CancelledError()))
        await client.post(ASK, json=BODY)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(call())
    assert sent(server)["outcome"] == "client-cancelled"


def test_an_answer_that_nobody_reads_or_closes_has_been_cancelled(server: TakingServer) -> None:
    request = httpx.Request("POST", ASK, json=BODY)
    transport = capture(Played(httpx, *EVENTS), url=server.url, key="ri_key")
    assert transport.handle_request(request).status_code == 200
    assert sent(server)["outcome"] == "client-cancelled"


def test_a_body_that_came_as_long_as_announced_is_whole_though_closed_at_once(
    server: TakingServer,
) -> None:
    headers = {"Content-Length": "2"}
    with captured(server, Played(httpx, b"{}", headers=headers)).stream("POST", ASK) as got:
        next(got.iter_raw())
    assert sent(server)["outcome"] == "ended"


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (httpx.ReadTimeout("too long"), "upstream-timeout"),
        (httpx.RemoteProtocolError("cut"), "upstream-error"),
        (KeyboardInterrupt(), "client-cancelled"),
    ],
    ids=["a timeout", "a cut", "an interrupt"],
)
def test_what_breaks_an_answer_is_its_outcome_and_reaches_the_caller(
    server: TakingServer, error: BaseException, outcome: str
) -> None:
    with pytest.raises(type(error)) as raised:
        captured(server, Played(httpx, EVENTS[0], failure=error)).post(ASK, json=BODY)
    assert raised.value is error
    line = sent(server)
    assert (line["outcome"], reads_of(line)) == (outcome, [EVENTS[0]])


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (httpx.ConnectError("refused"), "upstream-error"),
        (httpx.ConnectTimeout("nobody there"), "upstream-timeout"),
    ],
    ids=["refused", "a timeout"],
)
def test_a_call_without_an_answer_is_sent_with_the_exception_by_its_name(
    server: TakingServer, error: Exception, outcome: str
) -> None:
    with pytest.raises(type(error)) as raised:
        captured(server, Played(httpx, refusal=error)).post(ASK, json=BODY)
    assert raised.value is error
    line = sent(server)
    assert line["response"] == {"reads": []}
    assert line["outcome"] == outcome
    assert line["metadata"] == {"transport_error": type(error).__name__}


def test_a_body_that_is_no_text_is_sent_byte_for_byte(server: TakingServer) -> None:
    body = gzip.compress(b'{"choices":[]}', mtime=0)
    headers = {"Content-Encoding": "gzip"}
    got = captured(server, Played(httpx, body[:9], body[9:], headers=headers)).post(ASK)
    assert got.json() == {"choices": []}
    assert reads_of(sent(server)) == [body[:9], body[9:]]


def test_an_answer_that_a_mock_made_whole_is_sent_as_one_read(server: TakingServer) -> None:
    mock = httpx.MockTransport(lambda _: httpx.Response(200, json={"choices": []}))
    client = capture(httpx.Client(transport=mock), url=server.url, key="ri_key")
    assert client.post(ASK, json=BODY).json() == {"choices": []}
    line = sent(server)
    assert reads_of(line) == [b'{"choices":[]}'] and line["outcome"] == "ended"


def test_what_is_too_long_is_kept_up_to_the_limit_and_said_to_be_capped(
    server: TakingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("response_inspector.recording.KEPT_BYTES", 5)
    monkeypatch.setattr("response_inspector.envelope.KEPT_BYTES", 5)
    got = captured(server, Played(httpx, b"abcd", b"efgh", b"ij")).post(ASK, json=BODY)
    assert got.content == b"abcdefghij"
    line = sent(server)
    assert (reads_of(line), line["outcome"]) == ([b"abcd", b"e"], "capped")
    assert "body" not in line["request"]


def test_the_body_of_an_upload_is_left_to_its_transport(server: TakingServer) -> None:
    played = Played(httpx, b"{}")
    captured(server, played, everything=True).post(ASK, content=iter([b"a", b"b"]))
    assert "body" not in sent(server)["request"]


def test_calls_that_ask_for_no_completion_are_left_alone_unless_all_are_wanted(
    server: TakingServer,
) -> None:
    captured(server, Played(httpx, b"{}")).get("https://api.example/v1/models")
    assert (counts().called, counts().skipped) == (0, 1)
    captured(server, Played(httpx, b"{}"), everything=True).get("https://api.example/v1/models")
    assert sent(server)["request"]["method"] == "GET"


def test_of_a_sample_of_nothing_nothing_is_sent(server: TakingServer) -> None:
    client = captured(server, Played(httpx, b"{}"), sample=0.0)
    assert client.post(ASK, json=BODY).content == b"{}"
    assert (counts().called, counts().skipped) == (0, 1)


def test_tags_and_metadata_are_those_of_the_place_where_call_begins(server: TakingServer) -> None:
    client = captured(server, Played(httpx, b"{}"), tags=["shop"], metadata={"region": "eu"})
    with tagged("checkout", user="42"), tagged(user="43", session="s-1"):
        client.post(ASK, json=BODY)
    line = sent(server)
    assert line["tags"] == ["shop", "checkout"]
    assert line["metadata"] == {"region": "eu", "user": "43", "session": "s-1"}


def test_tasks_have_the_metadata_of_where_they_were_begun(server: TakingServer) -> None:
    async def call(client: Any, user: str) -> None:
        with tagged(user=user):
            await asyncio.sleep(0)
            await client.post(ASK, json={"user": user})

    async def calls() -> None:
        client = captured_async(server, Played(httpx, b"{}"))
        await asyncio.gather(*(call(client, user) for user in "abc"))

    asyncio.run(calls())
    assert flush(WAIT_SECONDS)
    said = {line["request"]["body"]: line["metadata"] for line in server.lines}
    assert said == {f'{{"user":"{user}"}}': {"user": user} for user in "abc"}


@pytest.mark.parametrize(
    ("metadata", "kept"),
    [
        ({"price": float("nan")}, {"left_out": "metadata that is no JSON"}),
        ({"long": "x" * 70_000}, {"left_out": "metadata of 70012 bytes"}),
        ({"when": httpx.URL("https://a.example")}, {"when": "https://a.example"}),
        ({"note": f"with {KEY}"}, {"note": "with [removed]"}),
    ],
    ids=["no number", "too long", "an object", "a key"],
)
def test_metadata_that_the_server_would_refuse_does_not_lose_the_call(
    server: TakingServer, metadata: dict[str, Any], kept: dict[str, Any]
) -> None:
    captured(server, Played(httpx, b"{}"), metadata=metadata).post(ASK, json=BODY)
    assert sent(server)["metadata"] == kept


def test_tags_are_cut_to_what_the_server_takes(server: TakingServer) -> None:
    tags = ["t" * 70, "", *map(str, range(40))]
    captured(server, Played(httpx, b"{}"), tags=tags).post(ASK, json=BODY)
    assert sent(server)["tags"] == ["t" * 64, *map(str, range(31))]


class Told(httpx.HTTPTransport):
    """httpx's own transport, as far as it tells its steps, without a network."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.extensions["trace"]("http11.send_request_body.complete", {})
        return httpx.Response(200, stream=httpx.ByteStream(b"{}"))


def test_times_count_from_the_last_byte_of_the_request_where_the_transport_tells_it(
    server: TakingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([1_000_000, 5_000_000])
    monkeypatch.setattr("time.perf_counter_ns", lambda: next(clock, 7_000_000))
    steps: list[str] = []
    transport = capture(Told(), url=server.url, key="ri_key")
    extensions = {"trace": lambda name, _: steps.append(name)}
    request = httpx.Request("POST", ASK, extensions=extensions)
    assert transport.handle_request(request).read() == b"{}"
    assert sent(server)["response"]["reads"] == [{"at_us": 2_000, "data": "{}"}]
    assert steps == ["http11.send_request_body.complete"]
    assert request.extensions == extensions
