"""Calls over sockets, captured by the client and inspected by the product."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from response_inspector import capture, counts, flush, tagged

from tests.archive.samples import inspect_all
from tests.http_server import Handler, served
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

WAIT_SECONDS = 600
KEY = "sk-proj-0123456789abcdefABCDEF"
CHUNK = {"id": "c-1", "object": "chat.completion.chunk", "created": 1700000000, "model": "m-1"}


def event(delta: dict[str, str], finish_reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return b"data: " + json.dumps({**CHUNK, "choices": [choice]}).encode() + b"\n\n"


EVENTS = (
    event({"role": "assistant", "content": "Der "}),
    event({"content": "Tee"}),
    event({}, "stop"),
    b"data: [DONE]\n\n",
)


@dataclass
class Upstream:
    """Streams EVENTS, each when the one before was read: so each is a read of its own."""

    url: str = ""
    next_one: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    is_open: threading.Event = field(default_factory=threading.Event)
    """Set, the stream ends after its events; until then it stays open behind them."""


@contextmanager
def streaming_upstream() -> Iterator[Upstream]:
    upstream = Upstream()

    class Stream(Handler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.read_body()
            self.begin_stream(X_Request_Id="req-7")
            for each in EVENTS:
                upstream.next_one.acquire()
                self.send_chunk(each)
            upstream.is_open.wait()
            self.end_stream()

    with served(Stream) as origin:
        upstream.url = f"{origin}/v1/chat/completions"
        try:
            yield upstream
        finally:
            upstream.is_open.set()
            upstream.next_one.release(len(EVENTS))


ASK: dict[str, Any] = {
    "json": {"model": "m-1", "stream": True, "messages": [{"role": "user", "content": "Tee?"}]},
    "headers": {"Authorization": f"Bearer {KEY}"},
}


def inspected(owner: Person) -> dict[str, Any]:
    """The one capture, as the API tells it."""
    assert flush(WAIT_SECONDS)
    assert (counts().called, counts().sent) == (1, 1)
    inspect_all()
    (row,) = owner.get("/api/v1/captures/").json["captures"]
    found: dict[str, Any] = owner.get(f"/api/v1/captures/{row['id']}/").json
    assert owner.get(f"/api/v1/captures/{row['id']}/raw/").body == b"".join(EVENTS)
    return found


def test_a_streamed_call_is_captured_with_its_times_and_inspected(
    live_server: Any, owner: Person
) -> None:
    client = capture(httpx.Client(), url=live_server.url, key=owner.key, tags=["shop"])
    with (
        streaming_upstream() as upstream,
        client,
        tagged(user="42"),
        client.stream("POST", upstream.url, **ASK) as got,
    ):
        upstream.next_one.release()
        for data in got.iter_raw():
            assert data in EVENTS
            upstream.next_one.release()
            if data == EVENTS[-1]:
                upstream.is_open.set()
    found = inspected(owner)
    analysis, exchange = found["analysis"], found["exchange"]
    assert (analysis["verdict"], analysis["measured_by"]) == ("complete", "client")
    assert analysis["timeline"]["clock"] == "recorded"
    assert 0 < analysis["timeline"]["first_byte_us"] <= analysis["timeline"]["duration_us"]
    assert analysis["timeline"]["counts"]["reads"] == len(EVENTS)
    assert (exchange["status"], exchange["outcome"]) == (200, "ended")
    assert ["X-Request-Id", "req-7"] in exchange["headers"]
    assert exchange["request"]["model"] == "m-1"
    assert ["Authorization", "[removed]"] in exchange["request"]["headers"]
    assert (found["tags"], exchange["metadata"]) == (["shop"], {"user": "42"})
    assert KEY not in json.dumps(found)


def test_a_client_that_closes_after_the_end_mark_has_cancelled_nothing(
    live_server: Any, owner: Person
) -> None:
    """As SDKs do, which read no further than ``[DONE]``."""

    async def call(upstream: Upstream) -> None:
        client = capture(httpx.AsyncClient(), url=live_server.url, key=owner.key)
        async with client, client.stream("POST", upstream.url, **ASK) as got:
            upstream.next_one.release(len(EVENTS))
            body = b""
            async for data in got.aiter_raw():
                body += data
                if body == b"".join(EVENTS):
                    return

    with streaming_upstream() as upstream:
        asyncio.run(call(upstream))
    found = inspected(owner)
    assert found["exchange"]["outcome"] == "client-cancelled"
    assert found["analysis"]["verdict"] == "complete"


def test_a_call_that_nobody_answers_is_captured_without_a_body(
    live_server: Any, owner: Person
) -> None:
    client = capture(httpx.Client(), url=live_server.url, key=owner.key)
    with client, pytest.raises(httpx.ConnectError):
        client.post("http://127.0.0.1:1/v1/chat/completions", **ASK)
    assert flush(WAIT_SECONDS)
    inspect_all()
    (row,) = owner.get("/api/v1/captures/").json["captures"]
    found = owner.get(f"/api/v1/captures/{row['id']}/").json
    assert (found["state"], found["analysis"]["verdict"]) == ("inspected", "upstream-error")
    assert found["exchange"]["metadata"] == {"transport_error": "ConnectError"}
    assert (found["exchange"]["status"], found["byte_length"]) == (None, 0)


def test_a_key_that_may_not_send_is_told_and_the_call_goes_on(
    live_server: Any, owner: Person, caplog: pytest.LogCaptureFixture
) -> None:
    client = capture(httpx.Client(), url=live_server.url, key="ri_unknown")
    with streaming_upstream() as upstream, client:
        upstream.next_one.release(len(EVENTS))
        upstream.is_open.set()
        assert client.post(upstream.url, **ASK).content == b"".join(EVENTS)
        assert flush(WAIT_SECONDS)
    assert counts().dropped_because == {"the server refuses the key": 1}
