"""The answer of a stored exchange: what is kept, what is left out, what has to be assumed."""

from __future__ import annotations

import gzip

import pytest

from inspector.core.wire.exchange import Clock, Exchange, Read, TransportFault, TransportOutcome
from inspector.replay.recorded_answer import RecordedAnswer, answer_of
from tests.replay.answers import answer

ONE_EVENT = b'data: {"a": 1}\n\n'


def of_body(body: bytes, **known: object) -> RecordedAnswer:
    found = answer_of(Exchange(reads=(Read(None, body),), **known), "c-1")  # type: ignore[arg-type]
    assert found is not None
    return found


def test_status_headers_reads_and_times_are_the_recorded_ones() -> None:
    found = answer(
        (10, b"a"),
        (20, b"b"),
        status=201,
        headers=(("Content-Type", "text/event-stream"), ("X-Request-Id", "r-1")),
        ended_at_us=30,
    )
    assert found.status == 201
    assert found.headers == (("content-type", "text/event-stream"), ("x-request-id", "r-1"))
    assert found.reads == (Read(10, b"a"), Read(20, b"b"))
    assert (found.clock, found.duration_us) == (Clock.RECORDED, 30)
    assert found.assumed == ()


def test_headers_of_one_connection_and_for_browsers_are_left_out() -> None:
    found = answer(
        (0, b"{}"),
        headers=(
            ("content-type", "application/json"),
            ("Connection", "keep-alive"),
            ("Transfer-Encoding", "chunked"),
            ("Set-Cookie", "a=b"),
            ("Strict-Transport-Security", "max-age=1"),
            ("X-Inspector-Replay", "another"),
            ("bad name", "x"),
            ("x-bad", "a\nb"),
            ("x-ratelimit-remaining", "5"),
        ),
    )
    assert found.headers == (("content-type", "application/json"), ("x-ratelimit-remaining", "5"))


def test_a_stored_coding_is_kept_with_its_bytes() -> None:
    coded = gzip.compress(ONE_EVENT, mtime=0)
    headers = (("content-encoding", "gzip"), ("content-length", str(len(coded))))
    found = of_body(coded, status_code=200, headers=headers)
    assert ("content-encoding", "gzip") in found.headers
    assert ("content-length", str(len(coded))) in found.headers
    assert found.reads == (Read(None, coded),)


def test_the_coding_of_bytes_that_were_stored_decoded_is_left_out_with_its_length() -> None:
    headers = (("content-encoding", "gzip"), ("content-length", "99"), ("x-a", "1"))
    found = of_body(ONE_EVENT, status_code=200, headers=headers)
    assert [name for name, _ in found.headers] == ["content-type", "x-a"]


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (ONE_EVENT, "text/event-stream; charset=utf-8"),
        (b": keep-alive\n\n", "text/event-stream; charset=utf-8"),
        (b"event: ping\ndata: {}\n\n", "text/event-stream; charset=utf-8"),
        (b'{"id": "c1"}', "application/json"),
        (b'{\n  "id": "c1"\n}\n', "application/json"),
        (b'{"done": false}\n{"done": true}\n', "application/x-ndjson"),
        (b'[{"a": 1}]', "application/json"),
        (b"", "text/plain; charset=utf-8"),
        (b"Bad gateway", "text/plain; charset=utf-8"),
        (gzip.compress(ONE_EVENT, mtime=0), "text/event-stream; charset=utf-8"),
    ],
)
def test_without_headers_the_content_type_follows_from_the_body(
    body: bytes, content_type: str
) -> None:
    found = of_body(body)
    assert found.content_type == content_type
    assert (found.status, found.assumed) == (200, ("status", "content-type"))


def test_a_content_type_that_is_known_without_headers_is_not_assumed() -> None:
    found = of_body(b"{}", status_code=200, content_type="application/json")
    assert (found.content_type, found.assumed) == ("application/json", ())


def test_a_call_that_got_no_response_has_no_answer() -> None:
    failed = Exchange(
        reads=(), outcome=TransportOutcome.UPSTREAM_ERROR, fault=TransportFault.UNREACHABLE
    )
    assert answer_of(failed, "c-1") is None
