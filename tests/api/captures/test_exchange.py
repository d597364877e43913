"""The exchange around a body, told by the interface: to its team, without credentials."""

import json
from typing import Any

import pytest

from tests.archive.samples import inspect_all
from tests.people import Answer, Person

CAPTURES = "/api/v1/captures/"
ENVELOPE = "application/vnd.inspector.exchange+json"
SECRET = "sk-exchange0123456789abcdefghijklmnop"
BODY = {
    "id": "chatcmpl-7",
    "object": "chat.completion",
    "created": 1795183339,
    "model": "gpt-4o",
    "system_fingerprint": "fp_a",
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "4"}, "finish_reason": "stop"}
    ],
}
SENT: dict[str, Any] = {
    "response": {
        "status": 200,
        "headers": [["x-request-id", "req_7"], ["set-cookie", f"a={SECRET}"], ["x-blank", ""]],
        "body": json.dumps(BODY),
    },
    "request": {
        "method": "POST",
        "url": f"https://api.openai.com/v1/chat/completions?api_key={SECRET}",
        "headers": {"Authorization": f"Bearer {SECRET}", "User-Agent": "curl/8"},
        "body": json.dumps({"model": "gpt-4o", "seed": 7}),
    },
    "started_at": "2026-11-20T15:02:18.5+01:00",
    "outcome": "client-cancelled",
    "metadata": {"release": "7", "none": None, "api_key": SECRET},
}

pytestmark = [pytest.mark.django_db]


def stored(person: Person, envelope: dict[str, Any]) -> str:
    answer = person.post(CAPTURES, json.dumps(envelope).encode(), ENVELOPE)
    assert answer.status == 202, answer.body
    inspect_all()
    return f"{CAPTURES}{answer.json['id']}/"


def detail(person: Person, envelope: dict[str, Any]) -> Answer:
    return person.get(stored(person, envelope))


@pytest.mark.both_stacks
def test_a_team_is_told_the_exchange_and_nobody_else(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    path = stored(owner, SENT)
    for person in (owner, teammate):
        assert person.get(path).json["exchange"] == {
            "status": 200,
            "headers": [["x-request-id", "req_7"], ["set-cookie", "[removed]"], ["x-blank", ""]],
            "request": {
                "method": "POST",
                "url": "https://api.openai.com/v1/chat/completions?api_key=[removed]",
                "model": "gpt-4o",
                "headers": [["Authorization", "[removed]"], ["User-Agent", "curl/8"]],
                "total_bytes": None,
            },
            "started_at": "2026-11-20T14:02:18.500000Z",
            "outcome": "client-cancelled",
            "upstream": None,
            "fault": None,
            "total_bytes": None,
            "metadata": {"release": "7", "none": None, "api_key": "[removed]"},
        }
    assert SECRET.encode() not in owner.get(path).body
    assert stranger.get(path).status == 404


def test_what_nobody_sent_along_is_null_and_an_empty_list_is_one(owner: Person) -> None:
    bare = detail(owner, {"response": {"body": json.dumps(BODY)}}).json["exchange"]
    assert bare == {
        "status": None,
        "headers": None,
        "request": None,
        "started_at": None,
        "outcome": "ended",
        "upstream": None,
        "fault": None,
        "total_bytes": None,
        "metadata": {},
    }
    empty = {"response": {"body": "{}", "headers": []}, "request": {"headers": {}}}
    found = detail(owner, empty).json["exchange"]
    assert (found["headers"], found["request"]) == (
        [],
        {"method": None, "url": None, "model": None, "headers": [], "total_bytes": None},
    )


def test_list_and_detail_name_the_response_as_its_provider_does(owner: Person) -> None:
    path = stored(owner, SENT)
    named = {
        "provider_id": "chatcmpl-7",
        "object": "chat.completion",
        "created": 1795183339,
        "system_fingerprint": "fp_a",
        "request_seed": 7,
    }
    (row,) = owner.get(CAPTURES).json["captures"]
    found = owner.get(path).json
    for answer in (row, found):
        assert {name: answer[name] for name in named} == named
    assert found["created_at"] == "2026-11-20T14:02:19.000000Z"
    assert found["analysis"]["identity"] == {
        "id": "chatcmpl-7",
        "object": "chat.completion",
        "created": 1795183339,
        "system_fingerprint": "fp_a",
    }


def test_requests_of_equal_prompts_have_one_digest(owner: Person) -> None:
    def digest_of(request_body: str) -> object:
        request = {"body": request_body}
        envelope = {"response": {"body": json.dumps(BODY)}, "request": request}
        return detail(owner, envelope).json["prompt_sha256"]

    chat = digest_of('{"model":"gpt-4o","messages":[{"role":"user","content":"Where is it?"}]}')
    assert isinstance(chat, str) and len(chat) == 64
    assert digest_of('{"model":"parcel-1","input":"Where is it?"}') == chat
    assert digest_of('{"model":"gpt-4o"}') is None
    assert detail(owner, {"response": {"body": "{}"}}).json["prompt_sha256"] is None


def test_odd_names_are_null_in_the_summary_and_as_sent_in_the_analysis(owner: Person) -> None:
    odd = {**BODY, "id": 7, "created": "today", "system_fingerprint": ""}
    found = detail(owner, {"response": {"body": json.dumps(odd)}}).json
    names = ("provider_id", "created", "system_fingerprint", "created_at", "request_seed")
    assert [found[name] for name in names] == [None] * 5
    assert found["analysis"]["identity"] == {
        "id": 7,
        "object": "chat.completion",
        "created": "today",
        "system_fingerprint": "",
    }


def test_an_error_without_a_name_has_none(owner: Person) -> None:
    found = detail(owner, {"response": {"body": '{"error":{"message":"no"}}'}}).json
    assert (found["provider_id"], found["object"]) == (None, "error")
    assert found["analysis"]["identity"] == {}


def test_a_stored_analysis_says_where_its_completion_stands(owner: Person) -> None:
    path = stored(owner, SENT)
    assert owner.get(path).json["analysis"]["completion"] is None
    assert owner.get(f"{path}completion/").json["id"] == "chatcmpl-7"
    schemas = owner.get("/api/schema/?format=json").json["components"]["schemas"]
    assert "`/api/v1/captures/<id>/completion/`" in schemas["CaptureDetail"]["description"]


@pytest.mark.parametrize("host", ["openrouter.ai", "api.openai.com"])
def test_a_cost_inside_usage_is_stated_where_its_vendor_documents_it(
    owner: Person, host: str
) -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 12, "total_tokens": 21, "cost": 0.0123}
    found = detail(
        owner,
        {
            "response": {"body": json.dumps({**BODY, "usage": usage})},
            "request": {"url": f"https://{host}/api/v1/chat/completions"},
        },
    ).json
    is_stated = host == "openrouter.ai"
    assert found["cost"]["stated_usd"] == ("0.0123" if is_stated else None)
    assert found["analysis"]["usage"].get("cost") == ("0.0123" if is_stated else None)
    assert ("/cost" in found["analysis"]["usage"]["extras"]) is not is_stated
