import json

import pytest

from inspector.archive.models import Capture
from tests.archive.samples import WHOLE
from tests.people import JSON, Answer, Person

CAPTURES = "/api/v1/captures/"
ENVELOPE = "application/vnd.inspector.exchange+json"


def post_with_key(person: Person, body: bytes, key: str, content_type: str = JSON) -> Answer:
    return person.post(CAPTURES, body, content_type, {"Idempotency-Key": key})


def test_tags_note_and_dialect_come_by_the_query(owner: Person) -> None:
    path = f"{CAPTURES}?tag=nightly&tag=eu+west&tag=nightly&note=look+here&dialect=openai-chat"
    capture_id = owner.post(path, WHOLE).json["id"]
    capture = Capture.objects.get(pk=capture_id)
    assert capture.tags == ["nightly", "eu west"]
    assert (capture.note, capture.dialect_hint) == ("look here", "openai-chat")


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("tags=a", "tags"),
        ("wait=forever", "wait"),
        ("note=a&note=b", "note"),
        ("note=" + "a" * 4_001, "note"),
        ("tag=", "tag"),
        ("tag=+", "tag"),
        ("tag=" + "a" * 65, "tag"),
        ("&".join(f"tag={n}" for n in range(33)), "tag"),
        ("dialect=esperanto", "dialect"),
        ("dialect=", "dialect"),
    ],
)
def test_a_wrong_query_is_refused_by_name_and_nothing_is_stored(
    owner: Person, query: str, name: str
) -> None:
    answer = owner.post(f"{CAPTURES}?{query}", WHOLE)
    assert answer.status == 422
    assert f"'{name}'" in answer.json["error"]["message"]
    assert not Capture.objects.exists()


def test_a_nul_in_a_tag_becomes_visible(owner: Person) -> None:
    capture_id = owner.post(f"{CAPTURES}?tag=a%00b&note=%00", WHOLE).json["id"]
    capture = Capture.objects.get(pk=capture_id)
    assert (capture.tags, capture.note) == (["a\\u0000b"], "\\u0000")


def test_a_resend_is_told_so_and_another_body_is_a_conflict(owner: Person) -> None:
    first = post_with_key(owner, WHOLE, "run-7")
    again = post_with_key(owner, WHOLE, "run-7")
    other = post_with_key(owner, b"{}", "run-7")
    assert (first.status, first.json["duplicate"]) == (202, False)
    assert (again.status, again.json["duplicate"]) == (200, True)
    assert again.json["id"] == first.json["id"]
    assert (other.status, other.code) == (409, "idempotency_key_reused")
    assert Capture.objects.count() == 1


@pytest.mark.parametrize("key", ["", "a" * 256, "a\x7f", "\xa0"])
def test_a_key_that_no_column_should_hold_is_refused(owner: Person, key: str) -> None:
    answer = post_with_key(owner, WHOLE, key)
    assert (answer.status, answer.code) == (422, "invalid_idempotency_key")


def test_header_and_envelope_must_name_one_key(owner: Person) -> None:
    body = json.dumps({"response": {"body": "{}"}, "idempotency_key": "a"}).encode()
    assert post_with_key(owner, body, "b", ENVELOPE).status == 422
    assert post_with_key(owner, body, "a", ENVELOPE).status == 202
    assert owner.post(CAPTURES, body, ENVELOPE).json["duplicate"] is True


def test_tags_of_envelope_and_query_are_joined(owner: Person) -> None:
    body = json.dumps({"response": {"body": "{}"}, "tags": ["a", "b"]}).encode()
    capture_id = owner.post(f"{CAPTURES}?tag=b&tag=c", body, ENVELOPE).json["id"]
    assert Capture.objects.get(pk=capture_id).tags == ["a", "b", "c"]
