import pytest

from inspector.archive.models import Capture
from tests.archive.samples import inspected
from tests.people import JSON, Answer, Person

CAPTURES = "/api/v1/captures/"


def patch(
    person: Person, capture_id: object, body: bytes, headers: dict[str, str] | None = None
) -> Answer:
    return person.ask("PATCH", f"{CAPTURES}{capture_id}/", body, JSON, headers)


def test_tags_and_note_are_said_anew(owner: Person, teammate: Person) -> None:
    capture_id = inspected(owner)
    answer = patch(teammate, capture_id, b'{"tags": ["b", "a", "b"], "note": "look"}')
    assert (answer.status, answer.json) == (
        200,
        {"id": str(capture_id), "tags": ["b", "a"], "note": "look"},
    )
    assert patch(owner, capture_id, b'{"note": ""}').json == {
        "id": str(capture_id),
        "tags": ["b", "a"],
        "note": "",
    }
    found = owner.get(f"{CAPTURES}{capture_id}/").json
    assert (found["tags"], found["note"], found["verdict"]) == (["b", "a"], "", "complete")
    assert [row["id"] for row in owner.get(f"{CAPTURES}?tag=a").json["captures"]] == [
        str(capture_id)
    ]


def test_a_body_that_says_anything_else_changes_nothing(
    owner: Person, subtests: pytest.Subtests
) -> None:
    capture_id = inspected(owner)
    for body, status, told in [
        (b"{}", 422, "neither"),
        (b'{"tags": null}', 422, "neither"),
        (b'{"note": "a", "state": "inspected"}', 422, "state"),
        (b'{"id": "x", "note": "a"}', 422, "id"),
        (b'{"tags": "a"}', 422, "tags"),
        (b'{"tags": [1]}', 422, "tags"),
        (b'{"tags": [""]}', 422, "tags"),
        (b'{"tags": [" "]}', 422, "tags"),
        (b'{"note": ["a"]}', 422, "note"),
        (b'["note"]', 422, ""),
        (b"null", 422, ""),
        (b'{"note": "a", "note": "b"}', 400, "note"),
        (b'{"note": "a",}', 400, ""),
        (b'{"note": NaN}', 400, ""),
        (b"[" * 3_000, 400, ""),
        (b'{"note": "' + b"a" * 4_001 + b'"}', 422, "note"),
        (b'{"tags": ["' + b"a" * 65 + b'"]}', 422, "tags"),
    ]:
        with subtests.test(body=body, status=status, told=told):
            answer = patch(owner, capture_id, body)
            assert answer.status == status
            assert told in answer.json["error"]["message"]
            capture = Capture.objects.get(pk=capture_id)
            assert (capture.tags, capture.note) == ([], "")


def test_forms_and_parameters_are_refused(owner: Person) -> None:
    capture_id = inspected(owner)
    form = "application/x-www-form-urlencoded"
    refused = owner.ask("PATCH", f"{CAPTURES}{capture_id}/", b"note=a", form)
    assert (refused.status, refused.code) == (415, "form_encoded")
    assert "send the body as JSON" in refused.json["error"]["message"]
    assert owner.ask("PATCH", f"{CAPTURES}{capture_id}/?note=a", b'{"note":"b"}').status == 422


def test_nobody_overwrites_what_they_have_not_seen(owner: Person, teammate: Person) -> None:
    capture_id = inspected(owner)
    seen = {"If-Match": owner.get(f"{CAPTURES}{capture_id}/").headers["ETag"]}
    assert patch(teammate, capture_id, b'{"note": "first"}', seen).status == 200
    late = patch(owner, capture_id, b'{"note": "second"}', seen)
    assert (late.status, late.code) == (412, "changed_meanwhile")
    assert Capture.objects.get(pk=capture_id).note == "first"
    assert patch(owner, capture_id, b'{"note": "third"}', {"If-Match": "*"}).status == 200


def test_texts_that_no_column_holds_become_visible(owner: Person) -> None:
    capture_id = inspected(owner)
    answer = patch(
        owner, capture_id, b'{"tags": ["a\\u0000", "\\ud83d\\ude00"], "note": "\\u0000"}'
    )
    assert answer.json["tags"] == ["a\\u0000", "\U0001f600"]
    assert answer.json["note"] == "\\u0000"
