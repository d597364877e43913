"""The protocol without a client of its own: what is no message, and what no page may send."""

import json
from typing import Any

import pytest

from inspector.teams.access import CAPTURE, INGEST, READ
from inspector.teams.keys import create_api_key, revoke
from inspector.teams.models import ApiKey
from tests.people import JSON, Answer, Person, ask, bearer

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
STATELESS = {"MCP-Protocol-Version": "2026-07-28"}


def request(method: str, **params: Any) -> bytes:
    message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    return json.dumps(message).encode()


def test_what_is_no_message_is_told_so(owner: Person, subtests: pytest.Subtests) -> None:
    for body, code in [
        (b"{", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"}', -32700),
        (b"[" * 3_000, -32700),
        (b"[]", -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
        (b'{"id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"result":{}}', -32600),
    ]:
        with subtests.test(body=body[:60]):
            answer = owner.post("/mcp", body)
            assert (answer.status, answer.json["error"]["code"]) == (400, code)
            assert answer.json["id"] is None


def test_a_request_after_a_handshake_is_answered_by_its_id(owner: Person) -> None:
    for revision in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"):
        made = owner.post("/mcp", request("initialize", protocolVersion=revision)).json["result"]
        assert made["protocolVersion"] == revision
        assert made["capabilities"] == {"tools": {}}
        answer = owner.post("/mcp", request("ping"), headers={"MCP-Protocol-Version": revision})
        assert (answer.status, answer.json) == (200, {"jsonrpc": "2.0", "id": 7, "result": {}})
    later = owner.post("/mcp", request("initialize", protocolVersion="2031-01-01")).json
    assert later["result"]["protocolVersion"] == "2025-11-25"


def test_a_method_that_is_not_there_is_told_in_both_ways_of_speaking(owner: Person) -> None:
    answer = owner.post("/mcp", request("resources/list"))
    assert (answer.status, answer.json["error"]["code"]) == (200, -32601)
    headers = {**STATELESS, "Mcp-Method": "initialize"}
    answer = owner.post("/mcp", request("initialize", _meta=META), headers=headers)
    assert (answer.status, answer.json["error"]["code"]) == (404, -32601)


def test_a_revision_of_another_time_is_refused_with_those_that_are_spoken(owner: Person) -> None:
    answer = owner.post("/mcp", request("ping"), headers={"MCP-Protocol-Version": "2031-01-01"})
    assert (answer.status, answer.json["error"]["code"]) == (400, -32022)
    data = answer.json["error"]["data"]
    assert data["requested"] == "2031-01-01"
    assert data["supported"][-2:] == ["2025-11-25", "2026-07-28"]


def test_a_request_that_speaks_for_itself_says_the_same_in_its_headers(
    owner: Person, subtests: pytest.Subtests
) -> None:
    call = request("tools/call", _meta=META, name="read_documentation")
    base64 = "=?base64?cmVhZF9kb2N1bWVudGF0aW9u?="
    for body, headers, code in [
        (call, {"Mcp-Method": "tools/call", "Mcp-Name": "read_documentation"}, None),
        (call, {"Mcp-Method": "tools/call", "Mcp-Name": base64}, None),
        (call, {"Mcp-Method": "tools/call", "Mcp-Name": "=?base64?%?="}, -32020),
        (call, {"Mcp-Method": "tools/call", "Mcp-Name": "search_captures"}, -32020),
        (call, {"Mcp-Method": "tools/call"}, -32020),
        (call, {"Mcp-Method": "tools/list", "Mcp-Name": "read_documentation"}, -32020),
        (request("tools/list"), {"Mcp-Method": "tools/list"}, -32602),
        (request("tools/list", _meta=[]), {"Mcp-Method": "tools/list"}, -32602),
        (
            request("tools/list", _meta={**META, "io.modelcontextprotocol/protocolVersion": "x"}),
            {"Mcp-Method": "tools/list"},
            -32020,
        ),
    ]:
        with subtests.test(headers=headers, code=code):
            answer = owner.post("/mcp", body, headers={**STATELESS, **headers})
            assert answer.status == (400 if code else 200)
            assert answer.json.get("error", {}).get("code") == code


def test_a_notification_is_taken_and_not_answered(owner: Person) -> None:
    told = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
    answer = owner.post("/mcp", told)
    assert (answer.status, answer.body) == (202, b"")


def test_there_is_no_stream_to_open_and_no_session_to_end(owner: Person) -> None:
    for method in ("GET", "DELETE", "PUT"):
        answer = owner.ask(method, "/mcp")
        assert (answer.status, answer.headers["Allow"]) == (405, "POST, OPTIONS")


def test_only_json_of_a_bounded_length_is_read(owner: Person) -> None:
    for content_type in ("text/plain", "application/x-www-form-urlencoded", ""):
        assert owner.post("/mcp", request("ping"), content_type).status == 415
    large = request("ping", more="x" * 65_536)
    assert (owner.post("/mcp", large).status, owner.post("/mcp", large).code) == (
        413,
        "body_too_large",
    )


def asked_from(person: Person, origin: str) -> Answer:
    return person.post("/mcp", request("ping"), JSON, {"Origin": origin})


def test_a_page_of_another_origin_may_not_ask_whatever_name_led_it_here(owner: Person) -> None:
    for origin in ("http://evil.example", "http://127.0.0.1:9999", "null"):
        answer = asked_from(owner, origin)
        assert (answer.status, answer.code) == (403, "origin_refused")
        assert "Access-Control-Allow-Origin" not in answer.headers
    assert asked_from(owner, "http://127.0.0.1:8000").status == 200
    rebound = {**bearer(owner.key), "Host": "evil.example"}
    assert ask("POST", "/mcp", request("ping"), JSON, rebound).status == 400


def test_who_may_not_read_asks_in_vain(owner: Person) -> None:
    sender = create_api_key(owner.team, "sender", [INGEST])
    capturing = create_api_key(owner.team, "capturing", [CAPTURE])
    of_pages = create_api_key(owner.team, "shop", [INGEST], origins=("https://app.example",))
    gone = create_api_key(owner.team, "gone", [READ])
    revoke(ApiKey.objects.get(name="gone"))
    for key, status in [(sender, 403), (capturing, 403), (of_pages, 403), (gone, 401), ("x", 401)]:
        answer = ask("POST", "/mcp", request("ping"), JSON, bearer(key))
        assert answer.status == status
        assert answer.json["error"]["code"]
    assert ask("POST", "/mcp", request("ping"), JSON).status == 401
    assert owner.browser().post("/mcp", request("ping"), JSON).status_code == 401


def test_a_key_that_asks_too_often_is_told_when_to_go_on(owner: Person, settings: Any) -> None:
    settings.REQUESTS_PER_SECOND = 1
    answers = [owner.post("/mcp", request("ping")) for _ in range(4)]
    assert [answer.status for answer in answers][-1] == 429
    assert int(answers[-1].headers["Retry-After"]) >= 1
