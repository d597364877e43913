"""Recordings of traffic: HAR, cassettes of VCR and flows of mitmproxy."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from inspector.core.wire.exchange import Read, TransportOutcome
from inspector.transfer.entries import FileKindName
from tests.transfer.files.reading_files import STREAM, WHOLE, file_of, kind_of, only, told

URL = "https://api.example/v1/chat/completions"

# -- HAR -------------------------------------------------------------------------------------------


def entry(url: str = URL, method: str = "POST", **content: Any) -> dict[str, Any]:
    return {
        "startedDateTime": "2026-03-01T12:00:00.500Z",
        "time": 812.5,
        "request": {
            "method": method,
            "url": url,
            "headers": [],
            "postData": {"mimeType": "application/json", "text": '{"model":"m"}'},
        },
        "response": {
            "status": 200,
            "headers": [],
            "content": {"size": 1, "mimeType": "application/json", "text": WHOLE.decode()}
            | content,
        },
        "timings": {"wait": 500, "receive": 300},
    }


def har(*entries: Any) -> bytes:
    return json.dumps(
        {"log": {"version": "1.2", "pages": [{"id": "p"}], "entries": list(entries)}}, indent=1
    ).encode()


def test_every_call_of_a_har_is_read_and_the_rest_of_the_page_is_passed_over() -> None:
    page = [
        entry("https://chat.example/app.css", "GET", mimeType="text/css", text="p{}"),
        entry(),
        entry("https://chat.example/metrics", text='{"ok":true}'),
        entry("https://chat.example/api/ask", mimeType="text/event-stream", text=STREAM.decode()),
        {"request": {"method": "OPTIONS", "url": URL}, "response": {"status": 204, "content": {}}},
    ]
    assert kind_of(har(*page)) is FileKindName.HAR
    assert told(file_of(har(*page))) == [
        (1, "passed over: GET /app.css has no answer of a model"),
        (2, WHOLE.decode()),
        (3, "passed over: POST /metrics asks for no completion"),
        (4, STREAM.decode()),
        (5, "passed over: OPTIONS /v1/chat/completions has no answer of a model"),
    ]


def test_the_page_of_a_gateway_is_an_answer_to_a_call_and_no_page_of_a_site() -> None:
    gateway = "<html><title>502 Bad Gateway</title></html>"
    page = [
        entry(mimeType="text/html", text=gateway),
        entry("https://chat.example/", "GET", mimeType="text/html", text="<p>Hello"),
    ]
    assert told(file_of(har(*page))) == [
        (1, gateway),
        (2, "passed over: GET / has no answer of a model"),
    ]


def test_a_call_has_its_moment_its_request_and_no_time_of_a_read() -> None:
    found = only(file_of(har(entry())))
    assert found.exchange.reads == (Read(None, WHOLE),)
    assert found.started_at == datetime(2026, 3, 1, 12, 0, 0, 500_000, tzinfo=UTC)
    assert found.metadata == {
        "har": {"time_ms": 812.5, "timings_ms": {"wait": 500, "receive": 300}}
    }
    assert found.exchange.request is not None
    assert found.exchange.request.body == b'{"model":"m"}'


def test_a_call_without_its_content_is_told_and_not_passed_over() -> None:
    without = entry()
    del without["response"]["content"]["text"]
    [(number, words)] = told(file_of(har(without)))
    assert (number, words) == (
        1,
        "unreadable: this entry holds no body: the HAR was exported without content",
    )


def test_of_a_har_that_breaks_off_the_whole_entries_are_read() -> None:
    text = har(entry(), entry(), entry())
    found = told(file_of(text[: text.rindex(b"postData")]))
    assert [number for number, words in found if words == WHOLE.decode()] == [1, 2]
    assert found[-1] == (
        3,
        "unreadable: the file ends within this entry; nothing behind it was read",
    )


# -- VCR -------------------------------------------------------------------------------------------

VCRPY = b"""\
interactions:
- request:
    body: '{"model":"m"}'
    headers:
      content-type:
      - application/json
    method: POST
    uri: https://api.example/v1/chat/completions
  response:
    body:
      string: '{"choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}'
    headers:
      Content-Type:
      - application/json
      Content-Encoding:
      - gzip
      Set-Cookie:
      - a=1
      - b=2
    status:
      code: 200
      message: OK
- request:
    body: null
    headers: {}
    method: GET
    uri: https://api.example/v1/models
  response:
    body:
      string: '{"data":[]}'
    headers: {}
    status: {code: 200, message: OK}
- request:
    body: null
    headers: {}
    method: POST
    uri: https://api.example/v1/chat/completions
  response:
    body:
      string: !!binary |
        H4sIAAAAAAAA/6uuBQBDv6ajAgAAAA==
    headers:
      Content-Encoding: [gzip]
    status: {code: 429, message: Too Many Requests}
version: 1
"""
RUBY = b"""\
---
http_interactions:
- request:
    method: post
    uri: https://api.example/v1/messages
    body:
      encoding: UTF-8
      string: '{"model":"claude"}'
    headers: {}
  response:
    status:
      code: 200
      message: OK
    headers:
      Content-Type:
      - application/json
    body:
      encoding: UTF-8
      string: '{"type":"message"}'
  recorded_at: Sun, 01 Mar 2026 12:00:00 GMT
recorded_with: VCR 6.2.0
"""


def test_interactions_of_vcrpy_are_read_and_other_calls_passed_over() -> None:
    assert kind_of(VCRPY) is FileKindName.CASSETTE
    numbers = [
        (number, words[:12])
        for number, words in told(
            file_of(VCRPY.replace(b"H4sIAAAAAAAA/6uuBQBDv6ajAgAAAA==", b"e30="))
        )
    ]
    assert numbers == [(1, '{"choices":['), (2, "passed over:"), (3, "{}")]


def test_headers_of_a_coding_stay_only_with_bytes_that_have_it() -> None:
    [first, _, third] = [each.content for each in file_of(VCRPY).entries()]
    assert first.exchange.headers == (
        ("Content-Type", "application/json"),
        ("Set-Cookie", "a=1"),
        ("Set-Cookie", "b=2"),
    )  # type: ignore[union-attr]
    assert third.exchange.headers == (("Content-Encoding", "gzip"),)  # type: ignore[union-attr]
    assert third.exchange.body.startswith(b"\x1f\x8b")  # type: ignore[union-attr]
    assert third.exchange.status_code == 429  # type: ignore[union-attr]


def test_a_cassette_of_ruby_has_the_moment_of_its_recording() -> None:
    found = only(file_of(RUBY))
    assert found.exchange.body == b'{"type":"message"}'
    assert found.exchange.request is not None
    assert (found.exchange.request.method, found.exchange.request.body) == (
        "POST",
        b'{"model":"claude"}',
    )
    assert found.started_at == datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "body",
    [
        {"string": WHOLE.decode()},
        {"base64_string": "eyJjaG9pY2Vz\nIjpbXX0=\n"},
        {"base64_string": WHOLE.decode()},
    ],
)
def test_a_cassette_in_json_is_read_alike(body: dict[str, str]) -> None:
    interaction = {
        "request": {"method": "POST", "uri": URL, "body": "{}", "headers": {}},
        "response": {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": body},
    }
    text = json.dumps({"version": 1, "interactions": [interaction]}, indent=4).encode()
    assert kind_of(text) is FileKindName.CASSETTE
    assert only(file_of(text)).exchange.body in (WHOLE, b'{"choices":[]}')


def test_answers_of_httpx_in_older_cassettes_stand_under_other_names() -> None:
    text = b"interactions:\n- request: {method: POST, uri: 'https://api.example/v1/messages', body: '{}'}\n  response: {content: '{}', http_version: HTTP/1.1, status_code: 200, headers: {}}\nversion: 1\n"
    assert (only(file_of(text)).exchange.status_code, only(file_of(text)).exchange.body) == (
        200,
        b"{}",
    )


def test_what_is_no_interaction_and_no_yaml_is_told_with_its_place() -> None:
    text = b"interactions:\n- 7\n- {request: {}, response: {}}\n- [\n"
    [first, second, third] = told(file_of(text))
    assert first == (1, "unreadable: the interaction is missing, or no mapping")
    assert second == (2, "unreadable: the response has no body")
    assert third[1].startswith("unreadable: this is no YAML: ")


def test_a_cassette_runs_nothing() -> None:
    text = b"interactions:\n- !!python/object/apply:os.system ['true']\nversion: 1\n"
    [(number, words)] = told(file_of(text))
    assert number == 1
    assert "could not determine a constructor" in words


def test_a_cassette_cannot_grow_beyond_its_text() -> None:
    levels = b"".join(
        b"    a%d: &a%d [*a%d,*a%d,*a%d]\n" % (n, n, n - 1, n - 1, n - 1) for n in range(1, 60)
    )
    head = b"interactions:\n- request: {method: POST, uri: 'https://api.example/v1/messages'}\n  response:\n    body: '{}'\n"
    headers = head + b"    a0: &a0 [x]\n" + levels + b"    headers: {a: *a59}\n"
    assert only(file_of(headers)).exchange.headers == ()
    merged = (
        head
        + b"    a0: &b0 {x: 1}\n"
        + levels.replace(b"&a", b"&b")
        .replace(b"[", b"{<<: [")
        .replace(b"]", b"]}")
        .replace(b"*a", b"*b")
    )
    assert "keys are merged here" in told(file_of(merged))[0][1]


# -- mitmproxy -------------------------------------------------------------------------------------


def netstring(value: Any) -> bytes:
    """A value as mitmproxy writes it."""
    if value is None:
        return b"0:~"
    if isinstance(value, bool):
        return b"4:true!" if value else b"5:false!"
    if isinstance(value, dict):
        content, mark = b"".join(netstring(part) for pair in value.items() for part in pair), b"}"
    elif isinstance(value, (list, tuple)):
        content, mark = b"".join(map(netstring, value)), b"]"
    else:
        content, mark = {
            bytes: lambda: (value, b","),
            str: lambda: (value.encode(), b";"),
            int: lambda: (b"%d" % value, b"#"),
            float: lambda: (repr(value).encode(), b"^"),
        }[type(value)]()
    return b"%d:%s%s" % (len(content), content, mark)


def flow(path: bytes = b"/v1/chat/completions", **parts: Any) -> dict[str, Any]:
    return {
        "version": 21,
        "type": "http",
        "id": "f1",
        "request": {"host": "api.example", "port": 443, "method": b"POST", "scheme": b"https", "authority": b"", "path": path, "http_version": b"HTTP/2.0", "headers": ((b"accept", b"*/*"),), "content": b'{"model":"m"}', "trailers": None, "timestamp_start": 1772366400.5, "timestamp_end": 1772366400.6},
        "response": {"http_version": b"HTTP/2.0", "status_code": 200, "reason": b"", "headers": ((b"content-type", b"application/json"),), "content": WHOLE, "trailers": None, "timestamp_start": 1772366401.0, "timestamp_end": 1772366401.25},
        "error": None,
    } | parts  # fmt: skip


def test_a_flow_is_read_with_the_moments_that_mitmproxy_noted_beside_it() -> None:
    text = netstring(flow())
    assert kind_of(text) is FileKindName.MITMPROXY
    found = only(file_of(text))
    assert found.exchange.reads == (Read(None, WHOLE),)
    assert found.exchange.request is not None
    assert found.exchange.request.url == URL
    assert found.started_at == datetime(2026, 3, 1, 12, 0, 0, 500_000, tzinfo=UTC)
    assert found.metadata == {"mitmproxy": {"response_began_ms": 500.0, "response_ended_ms": 750.0}}


def test_flows_without_an_answer_of_a_model_are_passed_over() -> None:
    flows = [
        flow(b"/style.css") | {"response": None},
        {"type": "tcp"},
        flow(response=None, error={"msg": "no route", "timestamp": 1.0}),
        flow(),
    ]
    assert told(file_of(b"".join(map(netstring, flows)))) == [
        (1, "passed over: POST /style.css asks for no completion"),
        (2, "passed over: a flow of the type tcp"),
        (3, "passed over: no response came: no route"),
        (4, WHOLE.decode()),
    ]


@pytest.mark.parametrize(
    ("message", "outcome"),
    [
        ("Client disconnected.", TransportOutcome.CLIENT_CANCELLED),
        ("server closed connection", TransportOutcome.UPSTREAM_ERROR),
    ],
)
def test_a_flow_that_broke_says_who_ended_it(message: str, outcome: TransportOutcome) -> None:
    found = only(file_of(netstring(flow(error={"msg": message, "timestamp": 1.0}))))
    assert found.exchange.outcome is outcome


def test_a_body_that_was_passed_on_without_being_kept_is_told() -> None:
    kept = flow()["response"] | {"content": None}
    assert told(file_of(netstring(flow(response=kept)))) == [
        (1, "unreadable: mitmproxy passed the body on without keeping it")
    ]


def test_a_flow_that_is_broken_costs_no_other() -> None:
    good = netstring(flow())
    broken = b"%d:%s}" % (12, b"4:type;9:ab;")
    assert [
        number for number, words in told(file_of(good + broken + good)) if words == WHOLE.decode()
    ] == [1, 3]
    assert told(file_of(good + good[:50]))[-1][0] == 2
    assert told(file_of(good + b"x"))[-1] == (
        2,
        "unreadable: no flow begins here; nothing behind it was read",
    )


def test_values_are_nested_only_so_deep() -> None:
    deep: Any = {}
    for _ in range(40):
        deep = {"a": deep}
    assert told(file_of(netstring(deep))) == [(1, "unreadable: it is more than 20 levels deep")]
