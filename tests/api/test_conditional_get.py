from uuid import uuid4

import pytest

from tests.archive.samples import accept, inspect_all, inspected
from tests.people import Person

CAPTURES = "/api/v1/captures/"
PARTS = ("", "raw/", "completion/", "timeline/", "findings/")


def test_what_a_client_has_already_is_not_sent_again(
    owner: Person, teammate: Person, subtests: pytest.Subtests
) -> None:
    for part in PARTS:
        with subtests.test(part=part):
            path = f"{CAPTURES}{inspected(owner)}/{part}"
            first = owner.get(path)
            etag = first.headers["ETag"]
            assert etag.startswith('"') and first.headers["Cache-Control"] == "private, no-cache"
            for known in (etag, f"W/{etag}", f'"other", {etag}', "*"):
                again = teammate.get(path, {"If-None-Match": known})
                assert (again.status, again.body) == (304, b"")
                assert again.headers["ETag"] == etag
                assert again.headers["Cache-Control"] == "private, no-cache"
            for other in ('"other"', "", etag.strip('"')):
                assert owner.get(path, {"If-None-Match": other}).body == first.body


def test_heads_have_the_etag_too(owner: Person) -> None:
    path = f"{CAPTURES}{inspected(owner)}/"
    etag = owner.get(path).headers["ETag"]
    head = owner.ask("HEAD", path)
    assert (head.status, head.headers["ETag"]) == (200, etag)
    assert owner.ask("HEAD", path, headers={"If-None-Match": etag}).status == 304


def test_a_list_changes_its_etag_when_something_arrives(owner: Person) -> None:
    etag = owner.get(CAPTURES).headers["ETag"]
    assert owner.get(CAPTURES, {"If-None-Match": etag}).status == 304
    accept(owner)
    arrived = owner.get(CAPTURES, {"If-None-Match": etag})
    assert arrived.status == 200
    inspect_all()
    etag = arrived.headers["ETag"]
    assert owner.get(CAPTURES, {"If-None-Match": etag}).status == 200


def test_a_capture_changes_its_etag_with_its_note_and_its_bytes_do_not(owner: Person) -> None:
    path = f"{CAPTURES}{inspected(owner)}/"
    before = [owner.get(path + part).headers["ETag"] for part in PARTS]
    owner.ask("PATCH", path, b'{"note":"new"}')
    after = [owner.get(path + part).headers["ETag"] for part in PARTS]
    assert [one == other for one, other in zip(before, after, strict=True)] == [False, *[True] * 4]


def test_an_etag_opens_no_door_of_another_team(
    owner: Person, stranger: Person, subtests: pytest.Subtests
) -> None:
    capture_id = inspected(owner)
    for part in PARTS:
        with subtests.test(part=part):
            etag = owner.get(f"{CAPTURES}{capture_id}/{part}").headers["ETag"]
            answers = [
                stranger.get(f"{CAPTURES}{each}/{part}", {"If-None-Match": known})
                for each in (capture_id, uuid4())
                for known in (etag, "*", '"x"')
            ]
            assert {answer.status for answer in answers} == {404}
            assert all("ETag" not in answer.headers for answer in answers)


def test_a_stranger_with_equal_bytes_has_his_own_list(owner: Person, stranger: Person) -> None:
    inspected(owner)
    etag = owner.get(CAPTURES).headers["ETag"]
    inspected(stranger)
    assert stranger.get(CAPTURES, {"If-None-Match": etag}).status == 200
