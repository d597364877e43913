"""A capture as a file for tests, over HTTP."""

import json
from uuid import UUID, uuid4

import pytest

from inspector.archive.intake.submission import Submission
from inspector.core.wire.exchange import Exchange, Read, Request
from tests.archive.calls import begun, call
from tests.archive.samples import SSE, STREAM, WHOLE, accept_arrival, inspect_all, inspected
from tests.people import Person

KINDS = ("har", "reads")
NAMES = {"har": "{id}.har", "reads": "{id}.reads.jsonl"}


def address(capture_id: object, kind: str = "har") -> str:
    return f"/api/v1/captures/{capture_id}/fixture/?kind={kind}"


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_a_file_with_a_plain_name(owner: Person, kind: str) -> None:
    capture_id = inspected(owner, STREAM, SSE)
    answer = owner.get(address(capture_id, kind))
    name = NAMES[kind].format(id=capture_id, module=str(capture_id).replace("-", "_"))
    assert answer.status == 200
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer.headers["Content-Security-Policy"]


def test_a_har_holds_a_document_as_text(owner: Person) -> None:
    sent = owner.get(address(inspected(owner, WHOLE), "har")).json
    assert sent["log"]["entries"][0]["response"]["content"]["text"] == WHOLE.decode()


def test_a_fixture_says_what_was_removed_and_holds_the_masks(owner: Person) -> None:
    secret = "sk-proj-Yx82kfQm3vT0pLw9RzB4cN7d"
    headers = (("Authorization", f"Bearer {secret}"), ("Content-Type", "application/json"))
    request = Request(method="POST", url="https://llm.example/v1/x", headers=headers, body=b"{}")
    body = f'{{"error":{{"message":"bad key {secret}"}}}}'.encode()
    exchange = Exchange(reads=(Read(None, body),), request=request)
    accepted = accept_arrival(owner, Submission(exchange))
    inspect_all()
    for kind in KINDS:
        text = owner.get(address(accepted.id, kind)).body.decode()
        assert secret not in text
        assert "*" * len(secret) in text
        assert "A credential of the request was overwritten in 1 place of the response." in text


@pytest.mark.parametrize("query", ["?kind=xml", "?kind=", "", "?kind=har&kind=har", "?as=har"])
def test_an_unknown_kind_is_refused(owner: Person, query: str) -> None:
    answer = owner.get(f"/api/v1/captures/{inspected(owner)}/fixture/{query}")
    assert answer.status == 422


def test_a_refusal_names_the_kinds_that_there_are(owner: Person) -> None:
    message = owner.get(address(inspected(owner), "xml")).json["error"]["message"]
    assert "har, reads" in message


def test_who_has_it_already_is_told_so(owner: Person) -> None:
    path = address(inspected(owner))
    etag = owner.get(path).headers["ETag"]
    assert owner.get(path, {"If-None-Match": etag}).status == 304
    assert owner.get(path.replace("har", "reads"), {"If-None-Match": etag}).status == 200


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_recorded_or_deleted_or_was_never_there_is_not_found(
    owner: Person, kind: str
) -> None:
    one = call(owner)
    begun(one)
    assert owner.get(address(one.id, kind)).status == 404
    deleted = inspected(owner)
    assert owner.ask("DELETE", f"/api/v1/captures/{deleted}/").status == 200
    assert owner.get(address(deleted, kind)).status == 404
    assert owner.get(address(uuid4(), kind)).status == 404


def test_times_of_an_envelope_are_in_the_fixture(owner: Person) -> None:
    reads = [{"at_us": 7_000, "data": "{}"}, {"at_us": 9_001, "data": "\n"}]
    envelope = json.dumps({"response": {"status": 200, "reads": reads}}).encode()
    kind = "application/vnd.inspector.exchange+json"
    capture_id = UUID(owner.post("/api/v1/captures/", envelope, kind).json["id"])
    lines = owner.get(address(capture_id, "reads")).body.splitlines()
    assert [json.loads(line)["at_us"] for line in lines] == [7_000, 9_001]
