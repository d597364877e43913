"""Entries of a HAR become exchanges; whatever stands in one is no error but a sentence."""

import base64
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.json.document import BadDocument
from inspector.core.wire.exchange import Read
from inspector.dashboard.paste.pasted import PasteOptions, read_pasted
from inspector.transfer import har
from tests.archive.samples import WHOLE


def entry(**response: Any) -> dict[str, Any]:
    content = {"size": 1, "mimeType": "application/json", "text": WHOLE.decode()}
    return {
        "startedDateTime": "2026-03-01T12:00:00.5+01:00",
        "time": 812.5,
        "request": {
            "method": "POST",
            "url": "https://user:hunter2@api.example/v1/chat?api_key=hunter2&n=2",
            "headers": [
                {"name": "Authorization", "value": "Bearer hunter2"},
                {"name": "Accept", "value": "text/event-stream"},
            ],
            "cookies": [{"name": "session", "value": "hunter2"}],
            "postData": {"mimeType": "application/json", "text": '{"model":"asked"}'},
        },
        "response": {
            "status": 200,
            "headers": [
                {"name": "content-type", "value": "application/json; charset=utf-8"},
                {"name": "set-cookie", "value": "hunter2"},
                {"name": "content-encoding", "value": "br"},
                {"name": "x-request-id", "value": "r"},
            ],
            "content": content,
            **response,
        },
        "timings": {"blocked": -1, "wait": 500.0, "receive": 300},
    }


def log(*entries: Any) -> dict[str, Any]:
    return {"log": {"version": "1.2", "creator": {"name": "x"}, "entries": list(entries)}}


def told(value: Any) -> str:
    with pytest.raises(BadDocument) as refused:
        har.parse_entry(value)
    assert refused.value.code == "invalid_har"
    return refused.value.message


def test_an_entry_becomes_an_exchange_without_times_that_nobody_noted() -> None:
    arrival = har.parse_entry(entry())
    exchange = arrival.exchange
    assert exchange.reads == (Read(None, WHOLE),)
    assert (exchange.status_code, exchange.content_type) == (200, "application/json; charset=utf-8")
    assert exchange.request is not None
    assert (exchange.request.method, exchange.request.body) == ("POST", b'{"model":"asked"}')
    assert arrival.started_at == datetime(2026, 3, 1, 11, 0, 0, 500_000, tzinfo=UTC)
    assert arrival.metadata == {
        "har": {
            "time_ms": 812.5,
            "timings_ms": {"wait": 500.0, "receive": 300},
            "decoded_from": "br",
        }
    }


def test_credentials_are_left_out() -> None:
    content = json.dumps(log(entry())).encode()
    assert "hunter2" not in repr(read_pasted(content, PasteOptions()).arrival)
    assert "hunter2" not in repr(list(har.summarize_entries([entry()])))


def test_headers_of_the_coding_go_with_the_coding() -> None:
    names = [name for name, _ in har.parse_entry(entry()).exchange.headers]
    assert names == ["content-type", "set-cookie", "x-request-id"]


def test_a_body_in_base64_is_its_bytes() -> None:
    content = {"text": base64.b64encode(b"\x00\xff").decode(), "encoding": "base64"}
    assert har.parse_entry(entry(content=content)).exchange.body == b"\x00\xff"


def test_base64_may_stand_on_several_lines() -> None:
    content = {"text": "SGVs\r\nbG8=\n", "encoding": "base64"}
    assert har.parse_entry(entry(content=content)).exchange.body == b"Hello"


def test_plain_text_that_is_said_to_be_base64_is_read_and_told() -> None:
    found = har.parse_entry(entry(content={"text": WHOLE.decode(), "encoding": "base64"}))
    assert found.exchange.body == WHOLE
    assert found.note == (
        "the body is said to be base64 and is plain text: it was read as it stands"
    )
    assert har.parse_entry(entry()).note == ""


def test_binary_frames_can_be_read() -> None:
    sent = [{"name": "content-type", "value": "application/vnd.amazon.eventstream"}]
    (summary,) = har.summarize_entries([entry(headers=sent)])
    assert summary.is_readable


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ({}, "holds no body"),
        ({"text": "abcde", "encoding": "base64"}, "not base64"),
        ({"text": "a", "encoding": "rot13"}, "neither left out nor base64"),
        ({"text": "\ud800"}, "half a surrogate pair"),
        ({"text": 1}, "$.response.content.text"),
    ],
)
def test_a_body_that_is_none_is_told_in_a_sentence(content: dict[str, Any], named: str) -> None:
    assert named in told(entry(content=content))


@pytest.mark.parametrize("status", [0, -1, 99, 1000])
def test_a_status_that_none_is_is_not_known(status: int) -> None:
    assert har.parse_entry(entry(status=status)).exchange.status_code is None


@pytest.mark.parametrize(
    "text", [None, "", "yesterday", "2026-03-01T12:00:00", "0001-01-01T00:00:00+23:00"]
)
def test_a_moment_without_its_zone_or_off_the_calendar_is_not_known(text: str | None) -> None:
    assert har.parse_entry({**entry(), "startedDateTime": text}).started_at is None


def test_the_likeliest_entry_is_the_answer_to_a_post_that_can_be_read() -> None:
    page, answer = entry(), entry()
    page["request"]["method"] = "GET"
    picture = entry(content={"mimeType": "image/png", "text": "x"}, headers=[])
    found = list(har.summarize_entries([picture, page, "nonsense", answer]))
    assert [each.number for each in found] == [0, 1, 3]
    chosen = har.likeliest_entry(found)
    assert chosen is not None and chosen.number == 3
    assert (chosen.host, chosen.path, chosen.media_type) == (
        "api.example", "/v1/chat", "application/json",
    )  # fmt: skip


@pytest.mark.parametrize("value", [None, 1, [], {}, {"log": {}}, {"log": {"entries": 1}},
                                   {"request": {}, "response": {}}])  # fmt: skip
def test_what_is_no_har_is_none(value: Any) -> None:
    assert har.entries_in(value) is None


def test_one_entry_alone_is_a_har_of_one() -> None:
    assert har.entries_in(entry()) == [entry()]
    assert har.entries_in(log(entry(), entry())) == [entry(), entry()]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(["request", "response", "timings", "time", "startedDateTime"]), JSON)
def test_anything_in_any_place_gives_an_exchange_or_a_sentence(name: str, value: Any) -> None:
    broken = {**entry(), name: value}
    list(har.summarize_entries([broken]))
    try:
        har.parse_entry(broken)
    except BadDocument as error:
        assert error.code == "invalid_har"
