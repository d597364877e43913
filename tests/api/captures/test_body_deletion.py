"""Answers of the API on a capture whose body a rule has deleted."""

from uuid import UUID

import pytest

from inspector.archive import body_deletion
from tests.people import Person
from tests.sharing.shared import captured

CAPTURES = "/api/v1/captures/"


@pytest.fixture
def capture_id(owner: Person) -> UUID:
    made = captured(owner)
    body_deletion.delete_bodies(owner.team.pk, [made], "retention rule 7")
    return made


def test_the_capture_says_so_and_keeps_what_was_counted(owner: Person, capture_id: UUID) -> None:
    found = owner.get(f"{CAPTURES}{capture_id}/").json
    assert found["body_deleted_by"] == "retention rule 7" and found["body_deleted_at"]
    assert found["analysis"]["usage"]["total_tokens"] == 43
    assert found["analysis"]["choices"][0]["content"] == ""
    assert {"pointer": "/choices/0/content", "length": 23} in found["truncated"]
    assert (found["exchange"]["request"], found["exchange"]["headers"]) == (None, None)
    (row,) = owner.get(f"{CAPTURES}?q=bodiless:yes").json["captures"]
    assert row["body_deleted_at"] == found["body_deleted_at"]


@pytest.mark.parametrize(
    "path",
    ["raw/", "completion/", "timeline/", "fixture/?kind=har"],
)  # fmt: skip
def test_what_is_read_from_the_body_is_gone(owner: Person, capture_id: UUID, path: str) -> None:
    answer = owner.get(f"{CAPTURES}{capture_id}/{path}")
    assert (answer.status, answer.code) == (410, "body_deleted")


def test_one_that_has_the_file_is_told_too(owner: Person) -> None:
    made = captured(owner)
    etag = owner.get(f"{CAPTURES}{made}/raw/").headers["ETag"]
    body_deletion.delete_bodies(owner.team.pk, [made], "retention rule 7")
    again = owner.get(f"{CAPTURES}{made}/raw/", {"If-None-Match": etag})
    assert again.status == 410


def test_links_are_made_to_what_is_left(owner: Person, capture_id: UUID) -> None:
    assert owner.post(f"{CAPTURES}{capture_id}/shares/", b"{}").status == 201
