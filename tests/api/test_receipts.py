"""Receipts of deleted captures over HTTP."""

import hashlib
from uuid import UUID

import pytest

from inspector.archive.models import Tombstone
from tests.archive.samples import STREAM, WHOLE, inspected
from tests.people import Person

RECEIPTS = "/api/v1/receipts/"
COUNTS = {"feedback_tokens", "feedback_votes", "exports", "shares"}


def deleted(person: Person, body: bytes = WHOLE) -> UUID:
    capture_id = inspected(person, body)
    assert person.ask("DELETE", f"/api/v1/captures/{capture_id}/").status == 200
    return capture_id


def listed(person: Person, query: str = "") -> list[str]:
    answer = person.get(f"{RECEIPTS}{query}")
    assert answer.status == 200
    return [each["id"] for each in answer.json["receipts"]]


def test_a_receipt_is_that_of_the_deletion_but_for_the_counts(owner: Person) -> None:
    receipt = owner.ask("DELETE", f"/api/v1/captures/{inspected(owner)}/").json
    answer = owner.get(RECEIPTS)
    assert (answer.status, answer.json["next_cursor"]) == (200, None)
    told = {name: value for name, value in receipt.items() if name not in COUNTS}
    assert answer.json["receipts"] == [told]
    assert owner.get(RECEIPTS, {"If-None-Match": answer.headers["ETag"]}).status == 304


def test_pages_follow_each_other_from_the_newest_deletion_on(owner: Person) -> None:
    gone = [str(deleted(owner)) for _ in range(5)]
    first = owner.get(f"{RECEIPTS}?limit=2").json
    second = owner.get(f"{RECEIPTS}?limit=2&cursor={first['next_cursor']}").json
    last = owner.get(f"{RECEIPTS}?limit=2&cursor={second['next_cursor']}").json
    found = [each["id"] for page in (first, second, last) for each in page["receipts"]]
    assert found == gone[::-1]
    assert last["next_cursor"] is None


def test_captures_that_went_at_the_same_moment_are_each_listed_once(owner: Person) -> None:
    gone = {str(deleted(owner)) for _ in range(3)}
    Tombstone.objects.update(deleted_at=Tombstone.objects.earliest("deleted_at").deleted_at)
    first = owner.get(f"{RECEIPTS}?limit=2").json
    rest = listed(owner, f"?limit=2&cursor={first['next_cursor']}")
    found = [*(each["id"] for each in first["receipts"]), *rest]
    assert len(found) == 3 and set(found) == gone


def test_a_receipt_is_found_by_id_and_by_hash(owner: Person) -> None:
    whole, stream = deleted(owner), deleted(owner, STREAM)
    digest = hashlib.sha256(STREAM).hexdigest()
    assert listed(owner, f"?id={whole}") == [str(whole)]
    assert listed(owner, f"?id={whole.hex.upper()}") == [str(whole)]
    assert listed(owner, f"?sha256={digest}") == [str(stream)]
    assert listed(owner, f"?sha256={digest.upper()}") == [str(stream)]
    assert listed(owner, f"?id={whole}&sha256={digest}") == []


def test_a_capture_that_is_there_has_no_receipt(owner: Person) -> None:
    capture_id = inspected(owner)
    digest = hashlib.sha256(WHOLE).hexdigest()
    assert listed(owner) == listed(owner, f"?id={capture_id}") == []
    assert listed(owner, f"?sha256={digest}") == []


@pytest.mark.parametrize(
    "query",
    [
        "id=x",
        "id=",
        "id=%00",
        "sha256=",
        "sha256=abc",
        f"sha256={'g' * 64}",
        f"sha256={'a' * 64}%0A",
        f"sha256={'a' * 64}&sha256={'b' * 64}",
        "cursor=x",
        "after=1-00000000000000000000000000000000",
        "limit=0",
        "team=elsewhere",
    ],
)
def test_what_is_no_question_is_refused(owner: Person, query: str) -> None:
    assert owner.get(f"{RECEIPTS}?{query}").status == 422


def test_the_address_of_the_capture_stays_missing(owner: Person) -> None:
    capture_id = deleted(owner)
    assert owner.get(f"/api/v1/captures/{capture_id}/").status == 404
